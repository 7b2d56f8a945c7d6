import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../runtime/wire/refusal.js";
import type { Calendar, Clock } from "./clock.js";
import { UsageError } from "./errors.js";
import { makeFolder } from "./make-folder.js";
import { ownMark, processMark, stateOf } from "./process-mark.js";
import { type Millis, seconds } from "./units.js";

/** How often a holder moves its file's time on: whoever cannot see its process sees that. A choice. */
export const BEAT: Millis = seconds(10);
/** Three beats without one: a holder that nobody can see is gone. */
const SILENCE: Millis = 3 * BEAT;
const LOOK: Millis = seconds(1);

const holder = processMark.extend({ since: z.string(), nonce: z.string() });

export interface LockParts {
  readonly clock: Clock & Calendar;
  readonly signal: AbortSignal;
  /** Told once, before a holder that this computer cannot see is waited for. */
  readonly onWait: (text: string) => void;
  /** Another process has the folder now: this one is to stop. */
  readonly onLost: (error: Error) => void;
}

export interface StateLock {
  release(): void;
}

/**
 * Makes this process the only agent of a folder until it releases it or dies. A file names the holder. Nothing is left
 * stale: a dead process of this computer is known at once by its start, any other by a file whose time stands still.
 * Rejects with a UsageError that names the holder, or where the folder cannot be written.
 */
export async function lockState(folder: string, parts: LockParts): Promise<StateLock> {
  const lock = new LockFile(folder, parts);
  try {
    await lock.take();
  } catch (error) {
    if (!isOfTheSystem(error) || parts.signal.aborted) throw error;
    throw new UsageError(
      `the agent's own folder ${folder} cannot be used (${error.message}): make it writable and make room, or name another with --agent-state`,
    );
  }
  void lock.beat();
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
    private readonly parts: LockParts,
  ) {
    this.path = join(folder, "lock.json");
    const since = new Date(parts.clock.now()).toISOString();
    this.own = JSON.stringify({ ...ownMark(), since, nonce: this.nonce });
  }

  async take(): Promise<void> {
    makeFolder(this.folder, 0o700);
    while (!this.create()) {
      const found = this.read();
      if (found === undefined) continue;
      await this.assertGone(found);
      this.bury(found);
    }
  }

  release(): void {
    this.released.abort();
    if (this.read() === this.own) rmSync(this.path);
  }

  async beat(): Promise<void> {
    const { clock } = this.parts;
    const { signal } = this.released;
    while (!signal.aborted) {
      this.show();
      await clock.sleep(BEAT, signal).catch(() => undefined);
    }
  }

  /** A computer that slept, or stood still, may find that it was taken for dead. */
  private show(): void {
    try {
      const now = this.parts.clock.now() / 1000;
      if (this.read() === this.own || this.create()) utimesSync(this.path, now, now);
      else this.parts.onLost(new UsageError(this.taken(this.read() ?? "")));
    } catch {
      // a disk or a network that fails now: the next beat tells
    }
  }

  /** Whether the file is ours: only one of several can make it. */
  private create(): boolean {
    try {
      writeFileSync(this.path, this.own, { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
      throw error;
    }
  }

  private async assertGone(found: string): Promise<void> {
    const mark = holder.safeParse(parseJson(found)).data;
    const state = mark ? stateOf(mark) : "unknown";
    if (state === "unknown") await this.watch(found);
    if (state === "runs") throw new UsageError(this.taken(found));
  }

  /** Until a holder that cannot be seen has been silent for long enough. */
  private async watch(found: string): Promise<void> {
    const { clock, signal, onWait } = this.parts;
    onWait(`${this.path} names ${words(found)}, which cannot be seen from here: looking whether it lives`);
    const shown = this.shown();
    for (let silent: Millis = 0; silent < SILENCE; silent += LOOK) {
      await clock.sleep(LOOK, signal);
      if (this.read() !== found) return; // gone, or another's: looked at anew
      if (this.shown() !== shown) throw new UsageError(this.taken(found));
    }
  }

  private shown(): Millis | undefined {
    return statSync(this.path, { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Moved aside first: whoever was quicker is looked at again, not deleted. */
  private bury(found: string): void {
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
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function words(found: string): string {
  const mark = holder.safeParse(parseJson(found)).data;
  return mark ? `process ${mark.pid} on ${mark.host} since ${mark.since}` : "nobody that can be read";
}
