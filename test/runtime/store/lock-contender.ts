/** A process of the tests of the lock: told a folder, it tries to own it and says how that went; told nothing, it gives it up. */
import { lockState, type StateLock } from "../../../runtime/store/state-lock.js";

let lock: StateLock | undefined;

async function attempt(folder: string): Promise<string> {
  try {
    lock = await lockState(folder, { sleep: async () => undefined });
    return "owner";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

async function giveUp(): Promise<string> {
  await lock?.release();
  lock = undefined;
  return "free";
}

process.on("message", (folder: string) => {
  void (folder === "" ? giveUp() : attempt(folder)).then((said) => process.send?.(said));
});
process.send?.("ready");
