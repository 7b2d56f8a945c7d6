/** Values as certificates are written: a tag, a length, the content (DER, ITU-T X.690). */
export type Der = Uint8Array;

/** Universal tags (X.690, section 8; X.680, table 1); a SEQUENCE and a SET are constructed. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export const tagged = (tag: number, ...parts: readonly Der[]): Der => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

/** Up to 127 in one byte, else the number of bytes and the bytes (X.690, section 8.1.3). */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(evenHex(length.toString(16)), "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

const evenHex = (hex: string): string => (hex.length % 2 === 0 ? hex : `0${hex}`);

export const sequence = (...parts: readonly Der[]): Der => tagged(TAG.sequence, ...parts);
export const set = (...parts: readonly Der[]): Der => tagged(TAG.set, ...parts);
export const boolean = (value: boolean): Der => tagged(TAG.boolean, Buffer.of(value ? 0xff : 0));
export const octets = (...parts: readonly Der[]): Der => tagged(TAG.octetString, ...parts);
export const text = (value: string): Der => tagged(TAG.utf8String, Buffer.from(value, "utf8"));

/** Not negative. A leading zero keeps a first bit of 1 from being the sign. */
export const integer = (bytes: Uint8Array): Der =>
  tagged(TAG.integer, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));

/** `unused`: bits of the last byte that do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Der => tagged(TAG.bitString, Buffer.of(unused), bytes);

/** From "1.2.840.10045.4.3.2": the first two numbers share a byte, the others have seven bits a byte. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const low = number & 0x7f;
  const high = Math.floor(number / 0x80);
  return high === 0 ? [low] : [...base128(high).map((byte) => byte | 0x80), low];
}

/** Of years before 1950 and from 2050 on as GeneralizedTime (RFC 5280, section 4.1.2.5). `iso`: in UTC, to the second. */
export function time(iso: string): Der {
  const digits = `${iso.replace(/\D/g, "").slice(0, 14)}Z`;
  const year = Number(digits.slice(0, 4));
  if (year >= 1950 && year < 2050) return tagged(TAG.utcTime, Buffer.from(digits.slice(2)));
  return tagged(TAG.generalizedTime, Buffer.from(digits));
}
