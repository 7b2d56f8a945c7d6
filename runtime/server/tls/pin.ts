import { createHash, type X509Certificate } from "node:crypto";

/**
 * What clients remember a key by: `sha256:` and the base64 of the SHA-256 of its SubjectPublicKeyInfo, as in RFC 7469,
 * section 2.4. A renewed certificate with the same key has the same.
 */
export const pinOf = ({ publicKey }: X509Certificate): string =>
  `sha256:${createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64")}`;

/** What a client needs to know of a TLS port that is up. */
export interface TlsAddress {
  /** That it is bound to, where the configuration may have a name. */
  readonly address: string;
  readonly port: number;
  readonly pin: string;
}
