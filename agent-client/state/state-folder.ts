import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { hasCode, isMissing } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import type { Calendar, Clock } from "../clock.js";
import { UsageError } from "../errors.js";
import type { Environment } from "../models/http.js";
import { type Millis, seconds } from "../units.js";
import { DurableFile, makeFolder } from "./durable-file.js";

/** The agent's own folder unless another is given (XDG Base Directory Specification: a relative path there is ignored). */
export function stateFolder({ XDG_STATE_HOME: given = "" }: Environment): string {
  return join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "tendril-agent");
}

/** Where the logs of its runs are. */
export const runsIn = (agentState: string): string => join(agentState, "runs");

const named = z.strictObject({ version: z.literal(1), name: z.string().min(1) });

/**
 * Tells this agent from others with its token, such as "attic-3f9a1c": the computer for people to read, and a random part,
 * since several may run there. It is kept in the folder, so that the agent is the same one after a restart. Throws the
 * system's error where the folder cannot be written.
 */
export function agentName(folder: string): string {
  const file = new DurableFile(join(folder, "agent.json"), named);
  const held = file.read();
  if (held.is === "value") return held.value.name;
  const name = `${hostname()}-${randomBytes(3).toString("hex")}`;
  file.write({ version: 1, name });
  return name;
}

/** How often the owner touches the lock's file, for those who cannot see its process. A choice. */
export const HEARTBEAT: Millis = seconds(10);
/** Three heartbeats are missing: an owner that nobody can see is gone. */
const SILENCE: Millis = 3 * HEARTBEAT;
/** How often a lock's file is looked at meanwhile. A choice. */
const LOOK: Millis = seconds(1);

export interface LockOptions {
  readonly clock: Clock & Calendar;
  readonly signal: AbortSignal;
  /** Told once, before an owner that this computer cannot see is waited for. */
  readonly onWait: (text: string) => void;
  /** Another process owns the folder now: this one must stop. */
  readonly onLost: (error: Error) => void;
}

export interface StateLock {
  release(): void;
}

/**
 * Makes this process the only agent of a folder until it releases the lock or dies. A file names the owner. No lock stays
 * behind for long: a dead process of this computer is recognised at once by its start, any other by a file that nobody
 * touches. Rejects with a UsageError that names the owner, or where the folder cannot be written.
 */
export async function lockState(folder: string, options: LockOptions): Promise<StateLock> {
  const lock = new LockFile(folder, options);
  try {
    await lock.take();
  } catch (error) {
    if (!isOfTheSystem(error) || options.signal.aborted) throw error;
    throw new UsageError(
      `the agent's own folder ${folder} cannot be used (${error.message}): make it writable and make room, or name another with --agent-state`,
    );
  }
  void lock.keepAlive();
  return lock;
}

/** An error of the file system, or one that makeFolder has put into words. */
const isOfTheSystem = (error: unknown): error is Error =>
  error instanceof Error && ("code" in error || error.cause !== undefined);

class LockFile implements StateLock {
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

  /** After a computer slept or stood still, another agent may have taken this one for dead. */
  private touch(): void {
    try {
      const now = this.options.clock.now() / 1000;
      if (this.read() === this.own || this.create()) utimesSync(this.path, now, now);
      else this.options.onLost(new UsageError(this.taken(this.read() ?? "")));
    } catch {
      // a disk or a network that fails now: the next heartbeat tells
    }
  }

  /** Whether the file is ours: only one of several can make it. */
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

  /** Until an owner that cannot be seen has been silent for long enough. */
  private async waitForSilence(found: string): Promise<void> {
    const { clock, signal, onWait } = this.options;
    onWait(`${this.path} names ${words(found)}, which cannot be seen from here: looking whether it lives`);
    const touched = this.touchedAt();
    for (let silent: Millis = 0; silent < SILENCE; silent += LOOK) {
      await clock.sleep(LOOK, signal);
      if (this.read() !== found) return; // gone, or another's: looked at anew
      if (this.touchedAt() !== touched) throw new UsageError(this.taken(found));
    }
  }

  private touchedAt(): Millis | undefined {
    return statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Moved aside first: a lock that another agent has just made is put back, not deleted. */
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

/** Undefined where there is no file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** What tells a process from every other: its number alone is used again when it is gone. */
const processMark = z.object({
  pid: z.int().min(1),
  host: z.string(),
  /** The kernel's run (/proc/sys/kernel/random/boot_id); null where the system has none. */
  boot: z.string().nullable(),
  /** The PID namespace: each container counts its own (pid_namespaces(7)). */
  space: z.string().nullable(),
  /** Ticks from the boot to its start (proc_pid_stat(5), field 22). */
  started: z.string().nullable(),
});

type ProcessMark = z.output<typeof processMark>;

const owner = processMark.extend({ since: z.string(), nonce: z.string() });

const ownerIn = (text: string) => owner.safeParse(parseJson(text)).data;

function words(found: string): string {
  const owner = ownerIn(found);
  return owner ? `process ${owner.pid} on ${owner.host} since ${owner.since}` : "nobody that can be read";
}

export const ownMark = (): ProcessMark => ({
  pid: process.pid,
  host: hostname(),
  boot: orNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  space: orNull(() => readlinkSync("/proc/self/ns/pid")),
  started: startOf(process.pid),
});

/** Whether a process runs, as far as this one can see: not into other computers and containers, and on Linux alone. */
function stateOf(mark: ProcessMark): "runs" | "gone" | "unknown" {
  const own = ownMark();
  if (own.boot === null || own.space === null || own.boot !== mark.boot || own.space !== mark.space)
    return "unknown";
  const started = startOf(mark.pid);
  if (started !== null) return started === mark.started ? "runs" : "gone";
  return isThere(mark.pid) ? "unknown" : "gone";
}

/** Null for a process that is dead, hidden, or a zombie. */
function startOf(pid: number): string | null {
  const line = orNull(() => readFileSync(`/proc/${pid}/stat`, "utf8")) ?? "";
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

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
