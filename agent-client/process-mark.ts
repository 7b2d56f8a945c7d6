import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

/** What tells a process from every other: a number alone is given to the next one when its owner is gone. */
export const processMark = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** The kernel's run (/proc/sys/kernel/random/boot_id); null where the system has none. */
  boot: z.string().nullable(),
  /** Where its number counts: containers have a space each (pid_namespaces(7)). */
  space: z.string().nullable(),
  /** Ticks from the boot to its start (proc_pid_stat(5), field 22). */
  started: z.string().nullable(),
});

export type ProcessMark = z.output<typeof processMark>;

export const ownMark = (): ProcessMark => ({
  pid: process.pid,
  host: hostname(),
  boot: told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: told(() => readlinkSync("/proc/self/ns/pid")),
  started: startOf(process.pid),
});

/** Whether a process runs, as far as this one can see: not into other computers and containers, and on Linux alone. */
export function stateOf(mark: ProcessMark): "runs" | "gone" | "unknown" {
  const own = ownMark();
  if (own.boot === null || own.space === null || own.boot !== mark.boot || own.space !== mark.space)
    return "unknown";
  const started = startOf(mark.pid);
  if (started !== null) return started === mark.started ? "runs" : "gone";
  return isThere(mark.pid) ? "unknown" : "gone";
}

/** Null for a process that is dead, hidden, or only waits for its parent to take notice. */
function startOf(pid: number): string | null {
  const line = told(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
  const [state = "Z", ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? null : (rest[18] ?? null);
}

/** Another user's process may be hidden from /proc (proc(5), hidepid), not from signals. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code !== "ESRCH";
  }
}

function told(ask: () => string): string | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
