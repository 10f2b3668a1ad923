import QRCode from "qrcode";

/** The address as a QR code, drawn as SVG. Colours are hex without `#`; the size is in pixels. */
export function qrCode(address: string, look: { color: string; bg: string; size: number }): Promise<string> {
  return QRCode.toString(address, {
    type: "svg",
    width: look.size,
    color: { dark: `#${look.color}`, light: `#${look.bg}` },
  });
}
