import { invalid } from "../../core/errors.js";

/**
 * Capacity in bytes of the largest QR code at error correction level M, the library's default (ISO/IEC 18004, table
 * 7).
 */
const CAPACITY = 2_331;

/** Draws an address as a QR code in SVG. Colours are hex without `#`; the size is in pixels. */
export async function qrCode(
  address: string,
  look: { color: string; bg: string; size: number },
): Promise<string> {
  const length = Buffer.byteLength(address);
  if (length > CAPACITY)
    throw invalid(`The short URL has ${length} bytes; a QR code holds at most ${CAPACITY}.`);
  // Loaded with the first code: most sandboxes draw none.
  const { default: QRCode } = await import("qrcode");
  return QRCode.toString(address, {
    type: "svg",
    width: look.size,
    color: { dark: `#${look.color}`, light: `#${look.bg}` },
  });
}
