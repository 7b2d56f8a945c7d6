import { SystemClock } from "../../drivers/clock/system-clock.js";
import { millis } from "../../drivers/units.js";

/** A choice: what a well disk has begun is over by then. */
const SETTLES = { tries: 20, each: millis(50) };

/**
 * Ends this process with its exit code. A thread that waits for a disk that hangs would keep it for ever: then it ends by a signal,
 * SIGTERM if all went well, which a service manager counts as a clean end.
 */
export async function endProcess(): Promise<void> {
  const clock = new SystemClock();
  for (let left = SETTLES.tries; left > 0 && waitsForDisk(); left -= 1) await clock.sleep(SETTLES.each);
  if (!waitsForDisk()) return process.exit();
  process.removeAllListeners("SIGTERM");
  process.kill(process.pid, process.exitCode ? "SIGKILL" : "SIGTERM");
}

const waitsForDisk = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
