import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Machine } from "./machine.js";
import { RunFolder, type User } from "./run-folder.js";

/** Seconds from power-on to power-off. A choice: the longest file starts a service ten times, and took 270 s on two cores that ten wanted. */
const LIMIT = 600;
/** Lines of the console that tell of a failure: a panic is about that long. */
const TAIL = 40;
/** timeout(1): the status after SIGKILL. */
const KILLED = 137;
const BEGIN = "tendril-kernel begin";
const END = /^tendril-kernel end (\d+)$/;

/** How a boot ended. `trouble`: the test did not run to its end, and why. */
export interface Ending {
  /** Of the test's process; undefined with trouble. */
  readonly status?: number;
  readonly trouble?: string;
  /** The last lines of the console: the kernel's words and the test's stderr. */
  readonly console: readonly string[];
}

/**
 * Boots the kernel, runs one compiled test file inside, and hands on each line of its standard output. Resolves when the
 * machine has gone down. The status of the kernel itself says nothing: it is 0 at every power-off.
 */
export async function boot(machine: Machine, onLine: (line: string) => void, limit = LIMIT): Promise<Ending> {
  const folder = new RunFolder();
  try {
    folder.fill(machine);
    const child = start(folder.path, machine, folder.giveToHarmlessUser(machine), limit);
    return await endOf(child, onLine, limit);
  } finally {
    folder.remove();
  }
}

async function endOf(child: ChildProcess, onLine: (line: string) => void, limit: number): Promise<Ending> {
  const console: string[] = [];
  const keep = (line: string) => void (console.push(line) > TAIL && console.shift());
  const [out, err, serial] = child.stdio.slice(1) as [Readable, Readable, Readable];
  const spoken = Promise.all([listen(serial, onLine), each(out, keep), each(err, keep)]);
  const [code, signal] = await once(child, "exit");
  const [{ begun, status }] = await spoken;
  if (status !== undefined) return { status, console };
  const how =
    signal === "SIGKILL" || code === KILLED ? `killed after ${limit} s` : `${signal ?? `status ${code}`}`;
  return { trouble: `the kernel ended ${begun ? "in mid-test" : "before the test began"} (${how})`, console };
}

/** Killed after `limit` seconds, also where this process is gone by then. */
function start(folder: string, machine: Machine, user: User, limit: number): ChildProcess {
  const child = spawn("timeout", ["--signal=KILL", String(limit), ...commandLine(folder, machine)], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // The kernel's memory is a file there: docker gives /dev/shm 64 MB, and forbids programs in it.
    env: { PATH: process.env.PATH, TMPDIR: tmpdir() },
    ...user,
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => child.kill());
  return child;
}

const commandLine = (folder: string, machine: Machine): string[] => [
  join(folder, "linux"),
  `mem=${machine.memory}M`,
  // a reboot ends the program too: the next boot is another run
  ..."quiet noreboot".split(" "),
  `dtb=${join(folder, "bench.dtb")}`,
  `uml_dir=${folder}/`,
  // The console speaks on stdout, the first serial line on descriptor 3.
  ..."con=null con0=null,fd:1 ssl=null ssl0=null,fd:3".split(" "),
  ...machine.root(folder),
];

/** Hands on what lies between the two markers; resolves at the end of the line. */
async function listen(serial: Readable, onLine: (line: string) => void) {
  let begun = false;
  let status: number | undefined;
  await each(serial, (line) => {
    const end = END.exec(line)?.[1];
    if (line === BEGIN) begun = true;
    else if (end !== undefined) status = Number(end);
    else if (begun) onLine(line);
  });
  return { begun, status };
}

async function each(stream: Readable, onLine: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) onLine(line);
}
