import { existsSync } from "node:fs";
import { join } from "node:path";
import { OFF_FILE, switchOffAsLastTime } from "../drivers/guard/off-list.js";
import { messageOf } from "../drivers/system-error.js";
import { TendrilError } from "./errors.js";
import type { Log } from "./log.js";
import { lockState, type StateLock } from "./store/state-lock.js";

/**
 * Switches off what the last run may have left on. It runs before anything that could fail, so relays are off even if
 * the runtime cannot start. Does nothing if another runtime uses the state folder. Never rejects: failures are logged,
 * and returned.
 */
export async function switchOffLeftovers(state: string, log: Log): Promise<readonly unknown[]> {
  if (!existsSync(join(state, OFF_FILE))) return [];
  const lock = await lockUnlessTaken(state);
  if (lock === "taken") return [];
  try {
    const failures = await switchOffAsLastTime(state);
    for (const error of failures) log("error", `not switched off: ${error.message}`);
    return failures;
  } catch (error) {
    log("error", messageOf(error));
    return [error];
  } finally {
    await lock?.release().catch(() => undefined); // a start that needs the lock reports what is wrong with it
  }
}

/** If the lock fails for another reason, such as a full disk, nobody holds it: then switching off is safe. */
async function lockUnlessTaken(state: string): Promise<StateLock | "taken" | undefined> {
  try {
    return await lockState(state);
  } catch (error) {
    return error instanceof TendrilError && error.code === "STATE_IN_USE" ? "taken" : undefined;
  }
}
