import { generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { makeFolder } from "../../../drivers/make-folder.js";
import { readIfThere, writeDurably } from "../../store/durable-file.js";
import { selfSigned } from "./certificate.js";
import { keyIn, type Material, readMaterial } from "./material.js";

/** Where a runtime keeps a key of its own, in the state folder. */
export const ownFiles = (state: string) => {
  const folder = join(state, "tls");
  return { folder, key: join(folder, "key.pem"), cert: join(folder, "cert.pem") };
};

/**
 * The runtime's own key, made once, and a certificate for it that names these hosts. The key is what clients remember;
 * the certificate is only its wrapping, and is made anew where the names are others. Throws TLS_FAILED or STORE_FAILED.
 */
export async function ownMaterial(state: string, names: readonly string[]): Promise<Material> {
  const files = ownFiles(state);
  await makeFolder(files.folder, 0o700);
  const key = (await keptKey(files.key)) ?? (await freshKey(files.key));
  if (!(await fits(files.cert, key, names)))
    await writeDurably(files.cert, selfSigned(key, names).toString());
  return readMaterial(files.cert, files.key);
}

/** A key that is there but cannot be used is not replaced: every agent knows this runtime by it. */
async function keptKey(file: string): Promise<KeyObject | undefined> {
  const pem = await readIfThere(file);
  return pem === undefined ? undefined : keyIn(pem, file);
}

async function freshKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeDurably(file, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return privateKey;
}

/** Whether the certificate in `file` is this key's, and names these hosts and no others. */
async function fits(file: string, key: KeyObject, names: readonly string[]): Promise<boolean> {
  const pem = await readIfThere(file);
  try {
    const found = new X509Certificate(pem ?? "");
    return found.checkPrivateKey(key) && found.subjectAltName === selfSigned(key, names).subjectAltName;
  } catch {
    return false; // what holds no certificate is made anew
  }
}
