import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { makeFolder, readPlainBytes } from "../../../drivers/durable-file.js";
import type { Clock } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { hours, type Millis } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { readIfThere, writeDurably } from "../../store/durable-file.js";
import { pinOf } from "../../wire/proof.js";
import { TLS_VERSION } from "../../wire/secure-socket.js";
import { type TlsProblem, tlsProblemWords } from "../../wire/tls-trouble.js";
import { selfSigned } from "./certificate.js";

/** A key and its certificates, checked against each other. */
export interface Material {
  /** PEM. */
  readonly key: string;
  /** PEM: the server's own first, then the ones that sign it. */
  readonly cert: string;
  readonly leaf: X509Certificate;
  readonly pin: string;
}

/** Permission bits of all other users; the group may read, as Debian's ssl-cert does. */
const WORLD = 0o007;

/**
 * Reads a key and its certificates. Throws TLS_FAILED if one is missing, readable by everybody, or not of the other.
 */
export async function readMaterial(certFile: string, keyFile: string): Promise<Material> {
  const [cert, key] = [await read(certFile), await read(keyFile)];
  await refuseOpen(keyFile);
  return checked(certificateIn(cert, certFile), keyIn(key, keyFile), { cert, certFile, key, keyFile });
}

interface Files {
  readonly cert: string;
  readonly certFile: string;
  readonly key: string;
  readonly keyFile: string;
}

function checked(leaf: X509Certificate, own: KeyObject, { cert, certFile, key, keyFile }: Files): Material {
  const files = { file: keyFile, certificate: certFile };
  if (!leaf.checkPrivateKey(own)) throw new TlsFailure({ is: "wrong_key", ...files });
  try {
    createSecureContext({ key, cert, minVersion: TLS_VERSION });
  } catch (cause) {
    throw new TlsFailure({ is: "unusable", ...files, reason: messageOf(cause) }, cause);
  }
  return { key, cert, leaf, pin: pinOf(leaf) };
}

async function read(file: string): Promise<string> {
  try {
    return (await readPlainBytes(file)).toString("utf8");
  } catch (cause) {
    const { code = "EINVAL" } = cause as NodeJS.ErrnoException;
    throw new TlsFailure({ is: "unreadable", file, code }, cause);
  }
}

async function refuseOpen(file: string): Promise<void> {
  if ((await stat(file)).mode & WORLD) throw new TlsFailure({ is: "open_to_all", file });
}

function certificateIn(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TlsFailure({ is: "no_certificate", file }, cause);
  }
}

function keyIn(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new TlsFailure({ is: pem.includes("ENCRYPTED") ? "encrypted_key" : "no_key", file }, cause);
  }
}

/** TLS_FAILED, with the values behind its words. */
export class TlsFailure extends TendrilError {
  constructor(
    readonly problem: TlsProblem,
    cause?: unknown,
  ) {
    super("TLS_FAILED", tlsProblemWords(problem), { cause });
  }
}

/** The files of the runtime's own key and certificate, in the state folder. */
export const ownFiles = (state: string) => {
  const folder = join(state, "tls");
  return { folder, key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
};

/**
 * The runtime's own key, made once, and a certificate for it that names these hosts. Clients remember the key; the
 * certificate is made again when the names change. Throws TLS_FAILED or STORE_FAILED.
 */
export async function ownMaterial(state: string, names: readonly string[]): Promise<Material> {
  const files = ownFiles(state);
  await makeFolder(files.folder, 0o700);
  const key = (await keptKey(files.key)) ?? (await freshKey(files.key));
  if (!(await fits(files.cert, key, names)))
    await writeDurably(files.cert, selfSigned(key, names).toString());
  return readMaterial(files.cert, files.key);
}

/** Does not replace a key that cannot be used, because every agent knows this runtime by it. */
async function keptKey(file: string): Promise<KeyObject | undefined> {
  const pem = await readIfThere(file);
  return pem === undefined ? undefined : keyIn(pem, file);
}

async function freshKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeDurably(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return privateKey;
}

/** Whether the certificate in `file` is for this key, these hosts, and no others. */
async function fits(file: string, key: KeyObject, names: readonly string[]): Promise<boolean> {
  const pem = await readIfThere(file);
  try {
    const found = new X509Certificate(pem ?? "");
    return found.checkPrivateKey(key) && found.subjectAltName === selfSigned(key, names).subjectAltName;
  } catch {
    return false; // no certificate: a new one is made
  }
}

/** A choice: ACME clients renew 30 days before the end, so by now they have failed for a while. */
const WARNING: Millis = hours(14 * 24);

/**
 * Why clients that check dates refuse this certificate, or soon will. Undefined if not, or if the clock was never set.
 */
export function expiryTrouble(
  { validFrom, validTo }: Pick<X509Certificate, "validFrom" | "validTo">,
  clock: Pick<Clock, "now" | "synchronised">,
): TlsProblem | undefined {
  if (!clock.synchronised()) return undefined;
  const [from, until, now] = [Date.parse(validFrom), Date.parse(validTo), clock.now()];
  const day = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  if (now < from) return { is: "not_yet_valid", day: day(from) };
  if (now >= until) return { is: "expired", day: day(until) };
  if (until - now < WARNING) return { is: "expires_soon", day: day(until) };
  return undefined;
}
