import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { millis, seconds } from "../../drivers/units.js";
import { calledAs } from "./print.js";

/**
 * Megabytes of V8's young generation, and how many threads help it: docs/decisions, memory and processor time. The first
 * lines of the programs say the same.
 */
export const FRUGAL: readonly string[] = ["--max-semi-space-size=2", "--v8-pool-size=1"];

/** Starts the agent, its log or its simulation. They are separate programs: this one does not import them. */
export function startProgram(program: string, args: readonly string[], flags: readonly string[] = []): void {
  const main = fileURLToPath(new URL(program, import.meta.url));
  // by the channel the child notices when this process is gone
  const child = spawn(process.execPath, [...flags, main, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, TENDRIL_CALLED: calledAs() }, // for usage and hints: agent-client/program.ts
  });
  const forward = signalForwarder(child, new SystemClock());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, forward);
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}

/** A choice: an agent stops in well under a second. */
const PATIENCE = seconds(5);
/** A choice: npx repeats the terminal's signal at once; a person presses again later. */
const SAME_KEYPRESS = millis(300);

/**
 * Forwards signals to a child. A stuck child does not react, so the second signal, or PATIENCE after the first, kills it.
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
