import { existsSync } from "node:fs";
import { join } from "node:path";
import { RUNTIME_FILE } from "../places.js";
import { LOCK_FILE, lockState } from "./state-lock.js";

/**
 * Whether the last runtime on this folder came to its end, at which it switches everything off, and none has the folder now.
 * False where that is not known: one that was killed leaves its file.
 */
export async function stoppedCleanly(state: string): Promise<boolean> {
  const isThere = (name: string) => existsSync(join(state, name));
  if (isThere(RUNTIME_FILE) || !isThere(LOCK_FILE)) return false;
  try {
    const lock = await lockState(state);
    await lock.release();
    return !isThere(RUNTIME_FILE);
  } catch {
    return false; // held, or nothing is known of it
  }
}
