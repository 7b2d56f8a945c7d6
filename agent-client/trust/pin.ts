import { createHash, type X509Certificate } from "node:crypto";

const PIN = /^sha256:[A-Za-z0-9+/]{43}=$/;

/** `sha256:` and the base64 of the SHA-256 of the key's SubjectPublicKeyInfo (RFC 7469, section 2.4), as a runtime tells it. */
export const pinOf = ({ publicKey }: X509Certificate): string =>
  `sha256:${createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64")}`;

/** Throws for what is no pin. */
export function asPin(text: string): string {
  if (PIN.test(text)) return text;
  throw new Error("must be a runtime's key as it says it: sha256: and 44 characters of base64");
}
