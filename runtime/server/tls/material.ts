import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { TendrilError } from "../../errors.js";
import { pinOf } from "../../wire/proof.js";
import { TLS_VERSION } from "../../wire/secure-socket.js";

/** A key and the certificates that go with it, checked against each other. */
export interface Material {
  /** PEM. */
  readonly key: string;
  /** PEM, the server's own first, then those that vouch for it. */
  readonly cert: string;
  readonly leaf: X509Certificate;
  readonly pin: string;
}

/** Permission bits of everybody who is neither the owner nor in the group: Debian's ssl-cert reads by group. */
const WORLD = 0o007;

/** Reads a key and its certificates. Throws TLS_FAILED for what is missing, open to everybody, or does not fit together. */
export async function readMaterial(certFile: string, keyFile: string): Promise<Material> {
  const [cert, key] = [await read(certFile), await read(keyFile)];
  await refuseOpen(keyFile);
  return fitting(certificateIn(cert, certFile), keyIn(key, keyFile), { cert, certFile, key, keyFile });
}

interface Files {
  readonly cert: string;
  readonly certFile: string;
  readonly key: string;
  readonly keyFile: string;
}

function fitting(leaf: X509Certificate, own: KeyObject, { cert, certFile, key, keyFile }: Files): Material {
  if (!leaf.checkPrivateKey(own))
    throw failed(`${keyFile} is not the key of the first certificate in ${certFile}`);
  try {
    createSecureContext({ key, cert, minVersion: TLS_VERSION });
  } catch (cause) {
    throw failed(`${certFile} and ${keyFile} cannot be used: ${messageOf(cause)}`, cause);
  }
  return { key, cert, leaf, pin: pinOf(leaf) };
}

const read = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((cause: unknown) => {
    throw failed(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  });

async function refuseOpen(file: string): Promise<void> {
  if ((await stat(file)).mode & WORLD)
    throw failed(`${file} is open to every user; run: chmod o-rwx ${file}`);
}

function certificateIn(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw failed(`${file} holds no certificate in PEM form`, cause);
  }
}

export function keyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const locked = pem.includes("ENCRYPTED");
    throw failed(
      `${file} ${locked ? "is protected by a passphrase" : "holds no private key in PEM form"}`,
      cause,
    );
  }
}

export const failed = (what: string, cause?: unknown): TendrilError =>
  new TendrilError("TLS_FAILED", what, { cause });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
