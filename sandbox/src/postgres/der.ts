/** The part of ASN.1's DER encoding that a certificate needs. */

function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 + digits.length]), digits, content]);
}

export const sequence = (...parts: Uint8Array[]) => tagged(0x30, ...parts);
export const set = (...parts: Uint8Array[]) => tagged(0x31, ...parts);
export const octets = (bytes: Uint8Array) => tagged(0x04, bytes);
export const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const text = (value: string) => tagged(0x0c, Buffer.from(value));
/** An unsigned number; a leading zero keeps it positive. */
export const integer = (bytes: Uint8Array) =>
  tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
export const bits = (bytes: Uint8Array, unused = 0) => tagged(0x03, Buffer.from([unused]), bytes);
/** `[number]` around other values. */
export const explicit = (number: number, ...parts: Uint8Array[]) => tagged(0xa0 + number, ...parts);
/** `[number]` instead of a primitive value's tag. */
export const implicit = (number: number, bytes: Uint8Array) => tagged(0x80 + number, bytes);

export function time(at: Date): Buffer {
  return tagged(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`));
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80);
  return digits;
}
