import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { passing } from "./pass-signals.js";

/** The agent, its log and its simulation are programs of their own: this one does not import them. */
export function runBeside(program: string, args: readonly string[], flags: readonly string[] = []): void {
  const main = fileURLToPath(new URL(program, import.meta.url));
  // over the channel the child learns that this process is gone
  const child = spawn(process.execPath, [...flags, main, ...args], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const pass = passing(child, new SystemClock());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, pass);
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}
