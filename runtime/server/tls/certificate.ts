import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";

/**
 * Whose certificate it is and who signs it. The algorithm is ECDSA with SHA-256, so `signer` is an elliptic-curve key.
 */
interface ToBeSigned {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly issuer: string;
  readonly signer: KeyObject;
  /** ISO 8601, UTC. */
  readonly from: string;
  readonly until: string;
  readonly extensions: readonly Der[];
}

/** X.520: commonName. */
const COMMON_NAME = "2.5.4.3";
/** RFC 5280, sections 4.2.1.1 to 4.2.1.12. */
const EXTENSION = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

/** An X.509 certificate, version 3 (RFC 5280, section 4.1). */
export function certificate(wanted: ToBeSigned): X509Certificate {
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))), // [0] version 3
    integer(serial()),
    ECDSA_WITH_SHA256,
    name(wanted.issuer),
    sequence(time(wanted.from), time(wanted.until)),
    name(wanted.subject),
    spki(wanted.publicKey),
    tagged(0xa3, sequence(...wanted.extensions)), // [3] extensions
  );
  const signature = sign("sha256", body, wanted.signer);
  return new X509Certificate(sequence(body, ECDSA_WITH_SHA256, bits(signature)));
}

/** 127 random bits: positive, and of full length (RFC 5280, section 4.1.2.2). */
function serial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

const name = (commonName: string): Der => sequence(set(sequence(objectId(COMMON_NAME), text(commonName))));

const spki = (key: KeyObject): Der => key.export({ type: "spki", format: "der" });

export const extension = (id: keyof typeof EXTENSION, value: Der, critical = false): Der =>
  sequence(objectId(EXTENSION[id]), ...(critical ? [boolean(true)] : []), octets(value));

/** The extensions of a server's certificate. `issuer`: the key that signs it. */
export const serverExtensions = (names: readonly string[], key: KeyObject, issuer: KeyObject): Der[] => [
  extension("basicConstraints", sequence(), true), // not a certificate authority
  extension("keyUsage", bits(Buffer.of(0x80), 7), true), // digitalSignature
  extension("extendedKeyUsage", sequence(objectId(SERVER_AUTH))),
  extension("subjectAltName", sequence(...names.map(generalName))),
  extension("subjectKeyId", octets(keyId(key))),
  extension("authorityKeyId", sequence(tagged(0x80, keyId(issuer)))),
];

/** An identifier of the key: a hash of its whole SPKI (RFC 7093, section 2). */
export const keyId = (key: KeyObject): Der => createHash("sha256").update(spki(key)).digest().subarray(0, 20);

/** [2] a DNS name, or [7] an address (RFC 5280, section 4.2.1.6). */
function generalName(host: string): Der {
  const address = addressBytes(host);
  return address ? tagged(0x87, address) : tagged(0x82, Buffer.from(host, "ascii"));
}

function addressBytes(host: string): Uint8Array | undefined {
  if (isIPv4(host)) return Uint8Array.from(host.split("."), Number);
  if (!isIPv6(host) || host.includes("%")) return undefined;
  const hex = groupsOf(host).map((group) => group.padStart(4, "0"));
  return Buffer.from(hex.join(""), "hex");
}

/** The eight groups of an IPv6 address. `URL` has removed the zone and written an IPv4 tail in hexadecimal. */
function groupsOf(host: string): string[] {
  const plain = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = "", after] = plain.split("::");
  const [head, tail] = [before, after ?? ""].map((part) => part.split(":").filter(Boolean));
  const missing = after === undefined ? 0 : 8 - (head?.length ?? 0) - (tail?.length ?? 0);
  return [...(head ?? []), ...Array<string>(missing).fill("0"), ...(tail ?? [])];
}

/** From the start of Unix time to RFC 5280's "no well-defined expiration": valid even if a clock is wrong. */
const ALWAYS = { from: "1970-01-01T00:00:00Z", until: "9999-12-31T23:59:59Z" } as const;

/** A certificate for these host names and addresses, signed by its own key. */
export function selfSigned(key: KeyObject, names: readonly string[]): X509Certificate {
  const publicKey = createPublicKey(key);
  const subject = names[0] ?? "tendril";
  const extensions = serverExtensions(names, publicKey, publicKey);
  return certificate({ subject, publicKey, issuer: subject, signer: key, ...ALWAYS, extensions });
}

/** A value as certificates hold it: tag, length, content (DER, ITU-T X.690). */
type Der = Uint8Array;

/** Universal tags (X.690, section 8; X.680, table 1). SEQUENCE and SET are constructed. */
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

/** Up to 127 in one byte; more as the number of bytes, then the bytes (X.690, section 8.1.3). */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(evenHex(length.toString(16)), "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

const evenHex = (hex: string): string => (hex.length % 2 === 0 ? hex : `0${hex}`);

export const sequence = (...parts: readonly Der[]): Der => tagged(TAG.sequence, ...parts);
const set = (...parts: readonly Der[]): Der => tagged(TAG.set, ...parts);
export const boolean = (value: boolean): Der => tagged(TAG.boolean, Buffer.of(value ? 0xff : 0));
export const octets = (...parts: readonly Der[]): Der => tagged(TAG.octetString, ...parts);
const text = (value: string): Der => tagged(TAG.utf8String, Buffer.from(value, "utf8"));

/** A number that is not negative: a leading zero keeps a first bit of 1 from being the sign. */
export const integer = (bytes: Uint8Array): Der =>
  tagged(TAG.integer, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes]));

/** `unused`: bits at the end of the last byte that do not count. */
export const bits = (bytes: Uint8Array, unused = 0): Der => tagged(TAG.bitString, Buffer.of(unused), bytes);

/** From "1.2.840.10045.4.3.2": the first two numbers share a byte; the others have seven bits in each byte. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(TAG.objectId, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const low = number & 0x7f;
  const high = Math.floor(number / 0x80);
  return high === 0 ? [low] : [...base128(high).map((byte) => byte | 0x80), low];
}

/** GeneralizedTime before 1950 and from 2050 on (RFC 5280, section 4.1.2.5). `iso`: in UTC, to the second. */
export function time(iso: string): Der {
  const digits = `${iso.replace(/\D/g, "").slice(0, 14)}Z`;
  const year = Number(digits.slice(0, 4));
  if (year >= 1950 && year < 2050) return tagged(TAG.utcTime, Buffer.from(digits.slice(2)));
  return tagged(TAG.generalizedTime, Buffer.from(digits));
}

/** RFC 5758, section 3.2. */
const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
