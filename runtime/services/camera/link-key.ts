import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../../drivers/system-error.js";
import { writeDurably } from "../../store/durable-file.js";

/** 256 bits, as HMAC-SHA-256 wants (RFC 2104, section 3). */
export const KEY_BYTES = 32;

/** Where the key lives in the state folder. */
export const LINK_KEY_FILE = "photo-link.key";

/** The key that signs photo links, made at the first start: links live on over a restart. One of another length is made anew. */
export async function linkKey(state: string): Promise<Buffer> {
  const file = join(state, LINK_KEY_FILE);
  const kept = await readFile(file).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (kept && kept.length === KEY_BYTES) return kept;
  const made = randomBytes(KEY_BYTES);
  await writeDurably(file, made);
  return made;
}
