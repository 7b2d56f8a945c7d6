import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** 256 bits, as HMAC-SHA-256 wants (RFC 2104, section 3). */
const KEY_BYTES = 32;

/** The key that signs photo links, made at the first start: links live on over a restart. */
export async function linkKey(state: string): Promise<Buffer> {
  const file = join(state, "photo-link.key");
  try {
    await writeFile(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx", flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFile(file);
}
