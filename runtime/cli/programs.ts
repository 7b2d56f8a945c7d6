import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { millis, seconds } from "../../drivers/units.js";

/** The agent, its log and its simulation are programs of their own: this one does not import them. */
export function startProgram(program: string, args: readonly string[], flags: readonly string[] = []): void {
  const main = fileURLToPath(new URL(program, import.meta.url));
  // over the channel the child learns that this process is gone
  const child = spawn(process.execPath, [...flags, main, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const forward = signalForwarder(child, new SystemClock());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, forward);
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** A choice: an agent that is told to stop closes its files and its link in well under a second. */
const PATIENCE = seconds(5);
/** A choice: npx passes on the signal that the terminal has sent already, at once; a person presses again later. */
const SAME_KEYPRESS = millis(300);

/**
 * Passes signals on to a child. It may be stuck and hear none: the second one, or PATIENCE after the first, kills it,
 * since nothing else would.
 */
export function signalForwarder(
  child: Pick<ChildProcess, "kill">,
  clock: Pick<Clock, "after" | "monotonic">,
): (signal: NodeJS.Signals) => void {
  let askedAt: number | undefined;
  const kill = () => void child.kill("SIGKILL");
  return (signal) => {
    if (askedAt !== undefined) return clock.monotonic() - askedAt < SAME_KEYPRESS ? undefined : kill();
    askedAt = clock.monotonic();
    child.kill(signal);
    clock.after(PATIENCE, kill);
  };
}
