import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import { makeFolderNow, replaceFileNow } from "../../drivers/durable-file.js";
import { hasCode, isAlive, isMissing } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import { type Calendar, type Clock, type Millis, seconds } from "../clock.js";
import { UsageError } from "../errors.js";
import type { Environment } from "../models/http.js";

/** The content of a file: none yet, unreadable, or a value. */
type Held<T> = { readonly is: "absent" | "unreadable" } | { readonly is: "value"; readonly value: T };

/**
 * A small JSON file. After a power cut it is either the old or the new one. Synchronous, so that nothing happens between
 * reading and writing. For one agent: two with the same file would overwrite each other's values.
 */
export class DurableFile<T> {
  constructor(
    readonly path: string,
    private readonly schema: z.ZodType<T>,
  ) {}

  read(): Held<T> {
    try {
      const read = this.schema.safeParse(parseJson(readFileSync(this.path, "utf8")));
      return read.success ? { is: "value", value: read.data } : { is: "unreadable" };
    } catch (error) {
      return { is: isMissing(error) ? "absent" : "unreadable" };
    }
  }

  /** The value is on disk when this returns. Throws the system's error, or a UsageError if the folder cannot be made. */
  write(value: T): void {
    makeFolder(dirname(this.path), 0o700);
    replaceFileNow(this.path, `${JSON.stringify(value)}\n`, 0o600);
  }

  /** Removes the file, if it exists. Throws the system's error. */
  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Makes a folder and its parents. Throws a UsageError in plain words. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (folder === "") throw new UsageError("a folder needs a name");
  try {
    makeFolderNow(folder, mode);
  } catch (cause) {
    const { code, path = folder } = cause as NodeJS.ErrnoException;
    throw new UsageError(`the folder ${path} cannot be made: ${REASONS[code ?? ""] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "it would lie in a file",
  ENOENT: "nothing can be made there",
  EACCES: "you may not write there",
  EROFS: "nothing can be written there",
};

/** The agent's default state folder (XDG Base Directory Specification: a relative path there is ignored). */
export function stateFolder({ XDG_STATE_HOME: given = "" }: Environment): string {
  return join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "tendril-agent");
}

export const runsIn = (agentState: string): string => join(agentState, "runs");

const named = z.strictObject({ version: z.literal(1), name: z.string().min(1) });

/**
 * The name of this agent among those with its token, such as "attic-3f9a1c": the computer's name, and a random part, since
 * several agents may run there. It is kept in the folder, so it stays after a restart. Throws the system's error if the
 * folder cannot be written.
 */
export function agentName(folder: string): string {
  const file = new DurableFile(join(folder, "agent.json"), named);
  const held = file.read();
  if (held.is === "value") return asInstance(held.value.name);
  const name = `${asInstance(hostname()).slice(0, 57)}-${randomBytes(3).toString("hex")}`;
  file.write({ version: 1, name });
  return name;
}

/** As the runtime takes it: 1 to 64 of letters, digits, `-`, `_` and `.` (runtime/tools/arguments.ts). */
const asInstance = (name: string): string => name.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 64);

/** How often the owner touches the lock file, for others that cannot see its process. A choice. */
export const HEARTBEAT: Millis = seconds(10);
/** After three missing heartbeats the owner counts as gone. */
const SILENCE: Millis = 3 * HEARTBEAT;
/** How often the lock file is checked meanwhile. A choice. */
const LOOK: Millis = seconds(1);

export interface LockOptions {
  readonly clock: Clock & Calendar;
  readonly signal: AbortSignal;
  /** Called once, before it waits for an owner whose process it cannot see. */
  readonly onWait: (text: string) => void;
  /** Called if another process owns the folder: this one must stop. */
  readonly onLost: (error: Error) => void;
}

/**
 * Makes this process the only agent of a folder until it releases the lock or dies. A file names the owner. The lock of a dead
 * process does not last: on this computer it is recognised by the process's start time, elsewhere by a file that is no longer
 * touched. Rejects with a UsageError that names the owner, and with an Error if the folder cannot be written.
 */
export async function lockState(folder: string, options: LockOptions): Promise<LockFile> {
  const lock = new LockFile(folder, options);
  try {
    await lock.take();
  } catch (error) {
    if (!isOfTheSystem(error) || options.signal.aborted) throw error;
    // no UsageError: a disk may have room again, so the service tries again (systemd/tendril-agent.service)
    throw new Error(
      `the agent's state folder ${folder} cannot be used (${error.message}): make it writable and free some space, or name another with --agent-state`,
    );
  }
  void lock.keepAlive();
  return lock;
}

/** An error of the file system, or makeFolder's error for one. */
const isOfTheSystem = (error: unknown): error is Error =>
  error instanceof Error && ("code" in error || error.cause !== undefined);

class LockFile {
  private readonly path: string;
  private readonly nonce = randomUUID();
  private readonly own: string;
  private readonly released = new AbortController();

  constructor(
    private readonly folder: string,
    private readonly options: LockOptions,
  ) {
    this.path = join(folder, "lock.json");
    const since = new Date(options.clock.now()).toISOString();
    this.own = JSON.stringify({ ...ownMark(), since, nonce: this.nonce });
  }

  async take(): Promise<void> {
    makeFolder(this.folder, 0o700);
    while (!this.create()) {
      const found = this.read();
      if (found === undefined) continue;
      await this.assertGone(found);
      this.remove(found);
    }
  }

  release(): void {
    this.released.abort();
    if (this.read() === this.own) rmSync(this.path);
  }

  async keepAlive(): Promise<void> {
    const { signal } = this.released;
    while (!signal.aborted) {
      this.touch();
      await this.options.clock.sleep(HEARTBEAT, signal).catch(() => undefined);
    }
  }

  /** After this computer slept, another agent may have taken the lock. */
  private touch(): void {
    try {
      const now = this.options.clock.now() / 1000;
      if (this.read() === this.own || this.create()) utimesSync(this.path, now, now);
      else this.options.onLost(new UsageError(this.taken(this.read() ?? "")));
    } catch {
      // the disk or the network failed: the next heartbeat tries again
    }
  }

  /** True if this process made the file: only one of several can. */
  private create(): boolean {
    try {
      writeFileSync(this.path, this.own, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    }
  }

  private async assertGone(found: string): Promise<void> {
    const owner = ownerIn(found);
    const state = owner ? stateOf(owner) : "unknown";
    if (state === "unknown") await this.waitForSilence(found);
    if (state === "runs") throw new UsageError(this.taken(found));
  }

  /** Waits until an owner whose process cannot be seen has been silent for SILENCE. */
  private async waitForSilence(found: string): Promise<void> {
    const { clock, signal, onWait } = this.options;
    onWait(
      `${this.path} names ${words(found)}, which cannot be seen from here: checking whether it is alive`,
    );
    const touched = this.touchedAt();
    for (let silent: Millis = 0; silent < SILENCE; silent += LOOK) {
      await clock.sleep(LOOK, signal);
      if (this.read() !== found) return; // gone or replaced: check again
      if (this.touchedAt() !== touched) throw new UsageError(this.taken(found));
    }
  }

  private touchedAt(): Millis | undefined {
    return statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Renames first, so that a lock that another agent has just made is put back, not deleted. */
  private remove(found: string): void {
    if (this.read() !== found) return;
    const aside = `${this.path}.${this.nonce}`;
    renameSync(this.path, aside);
    if (textOf(aside) === found) rmSync(aside);
    else renameSync(aside, this.path);
  }

  private read(): string | undefined {
    return textOf(this.path);
  }

  private taken(found: string): string {
    return `the folder ${this.folder} belongs to another agent, ${words(found)}: stop that one, or give this one a folder of its own with --agent-state DIR`;
  }
}

/** Undefined if there is no file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Identifies a process. Its number is not enough, since the system reuses it. */
const processMark = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** The boot of the kernel (/proc/sys/kernel/random/boot_id); null if the system has none. */
  boot: z.string().nullable(),
  /** The PID namespace: each container has its own (pid_namespaces(7)). */
  space: z.string().nullable(),
  /** Ticks from the boot to its start (proc_pid_stat(5), field 22). */
  started: z.string().nullable(),
});

type ProcessMark = z.output<typeof processMark>;

const owner = processMark.extend({ since: z.string(), nonce: z.string() });

const ownerIn = (text: string) => owner.safeParse(parseJson(text)).data;

function words(found: string): string {
  const owner = ownerIn(found);
  return owner ? `process ${owner.pid} on ${owner.host} since ${owner.since}` : "an unreadable owner";
}

export const ownMark = (): ProcessMark => ({
  pid: process.pid,
  host: hostname(),
  boot: orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: orNull(() => readlinkSync("/proc/self/ns/pid")),
  started: startOf(process.pid),
});

/** Whether a process runs. Unknown on other computers, in other containers, and outside Linux. */
function stateOf(mark: ProcessMark): "runs" | "gone" | "unknown" {
  const own = ownMark();
  if (own.boot === null || own.space === null || own.boot !== mark.boot || own.space !== mark.space)
    return "unknown";
  const started = startOf(mark.pid);
  if (started !== null) return started === mark.started ? "runs" : "gone";
  return isAlive(mark.pid) ? "unknown" : "gone"; // another user's may be hidden from /proc (proc(5), hidepid)
}

/** Null for a process that is dead, hidden, or a zombie. */
function startOf(pid: number): string | null {
  const line = orNull(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
  const [state = "Z", ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? null : (rest[18] ?? null);
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
