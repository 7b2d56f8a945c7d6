import { createPublicKey, generateKeyPairSync, type KeyObject, type X509Certificate } from "node:crypto";
import {
  bits,
  boolean,
  certificate,
  extension,
  keyId,
  octets,
  sequence,
  serverExtensions,
} from "../runtime/server/tls/certificate.js";

export const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
export const pemOf = (key: KeyObject): string => String(key.export({ type: "pkcs8", format: "pem" }));

/** Long ago, and far off. */
const FROM = "2020-01-01T00:00:00Z";
const UNTIL = "2099-01-01T00:00:00Z";

export interface Authority {
  readonly name: string;
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

/** Somebody who vouches for others. */
export function authority(name = "Test Authority"): Authority {
  const key = newKey();
  const publicKey = createPublicKey(key);
  const extensions = [
    extension("basicConstraints", sequence(boolean(true)), true),
    extension("keyUsage", bits(Buffer.of(0x06), 1), true), // keyCertSign, cRLSign
    extension("subjectKeyId", octets(keyId(publicKey))),
  ];
  const own = { subject: name, publicKey, issuer: name, signer: key, from: FROM, until: UNTIL };
  return { name, key, certificate: certificate({ ...own, extensions }) };
}

export interface Wanted {
  readonly by: Authority;
  readonly key?: KeyObject;
  readonly names?: readonly string[];
  readonly from?: string;
  readonly until?: string;
}

/** A server's certificate that an authority has signed, as PEM, with its key. */
export function signedBy({ by, key = newKey(), names = ["localhost", "127.0.0.1"], from, until }: Wanted) {
  const publicKey = createPublicKey(key);
  const made = certificate({
    subject: names[0] ?? "",
    publicKey,
    issuer: by.name,
    signer: by.key,
    from: from ?? FROM,
    until: until ?? UNTIL,
    extensions: serverExtensions(names, publicKey, createPublicKey(by.key)),
  });
  return { key: pemOf(key), cert: made.toString(), leaf: made };
}
