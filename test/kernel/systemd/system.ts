import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Runs a program and gives what it said. Throws with all of it where it fails. */
export function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error) throw error;
  if (status === 0) return stdout.trim();
  throw new Error(`${program} ${args.join(" ")} ended with status ${status}: ${stderr}${stdout}`);
}

/** A property of the unit, as systemctl shows it. */
export const property = (name: string, unit = "tendril.service"): string =>
  run("systemctl", "show", "--value", "--property", name, unit);

/** Whether the unit is up, and as which process: in one answer, for between two the one may die. */
export function state(unit = "tendril.service"): { readonly active: string; readonly pid: number } {
  const said = run("systemctl", "show", "--property=ActiveState,MainPID", unit).split("\n");
  const values = new Map(said.map((line) => line.split("=", 2) as [string, string]));
  return { active: values.get("ActiveState") ?? "", pid: Number(values.get("MainPID")) };
}

/** What a unit has said, in the order of the journal, a line each: message alone. */
export const journal = (unit: string): string[] =>
  run("journalctl", "--no-pager", "--output=cat", "--unit", unit).split("\n");

/** What all units have said of late, with the seconds since the boot. */
export const lately = (): string =>
  run("journalctl", "--boot", "--no-pager", "--output=short-monotonic", "--lines=60");

/** `/proc/PID/status` and the like, a line each, by the word before the colon. */
export function procStatus(pid: number): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, "utf8").split("\n");
  return new Map(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

/** Processes of the unit: the runtime first. */
export function processes(unit = "tendril.service"): number[] {
  const file = join("/sys/fs/cgroup", property("ControlGroup", unit), "cgroup.procs");
  const main = Number(property("MainPID", unit));
  const all = readFileSync(file, "utf8").trim().split("\n").map(Number);
  return [main, ...all.filter((pid) => pid !== main)];
}

/** The process of the unit whose command line has `word`. Throws if there is none. */
export function processOf(word: string): number {
  const found = processes().find((pid) => commandLine(pid).includes(word));
  if (found === undefined) throw new Error(`no process of the service has "${word}" in its command line`);
  return found;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // gone meanwhile
  }
}

/** Memory of the unit's control group, in MB: now, and the most there has been. */
export function memory(unit = "tendril.service"): { now: number; peak: number } {
  const read = (file: string) =>
    Number(readFileSync(join("/sys/fs/cgroup", property("ControlGroup", unit), file), "utf8"));
  const megabytes = (file: string) => Math.round(read(file) / 2 ** 20);
  return { now: megabytes("memory.current"), peak: megabytes("memory.peak") };
}
