import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { JobFailure } from "../adapter.js";
import type { Expanded } from "./expand.js";
import type { Said, Task } from "./worker.js";

const WORKER = new URL("./worker.js", import.meta.url);
/** Nothing of how this process was started: a loader or profiler named in its environment is not meant for this thread. */
const PLAIN = { execArgv: [], env: {} };
/** A choice: an ordinary calendar takes a tenth of a second on a PC, and some ten times that on a small Pi. */
const PATIENCE: Millis = seconds(20);
/** Megabytes. A choice: 5 MB of a calendar take a third of it. */
const MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/** Reads one calendar after the other, so that they do not need the memory of all at once. */
export class CalendarReader {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** Throws JobFailure. */
  read(task: Task, signal: AbortSignal): Promise<Expanded> {
    const read = this.last.then(() => readCalendar(task, this.clock, signal));
    this.last = read.catch(() => undefined);
    return read;
  }
}

/**
 * Reads a calendar in a thread of its own, which is ended if it takes too much time or memory: whoever writes a calendar
 * can write one that would keep this process busy for ever. Throws JobFailure.
 */
async function readCalendar(task: Task, clock: Clock, signal: AbortSignal): Promise<Expanded> {
  if (signal.aborted) throw new JobFailure("TOO_SLOW", "other calendars took all of the time");
  const worker = new Worker(WORKER, { ...PLAIN, workerData: task, resourceLimits: MEMORY });
  const late = new AbortController();
  const stop = () => late.abort();
  const disarm = clock.after(PATIENCE, stop);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [said] = (await once(worker, "message", { signal: late.signal })) as [Said];
    if (!("isNoCalendar" in said)) return said;
    throw new JobFailure("NO_CALENDAR", "what the server gave is no calendar, or not all of it");
  } catch (error) {
    if (error instanceof JobFailure) throw error;
    throw new JobFailure("TOO_COMPLEX", "the calendar takes too long to read, or too much memory");
  } finally {
    disarm();
    signal.removeEventListener("abort", stop);
    void worker.terminate();
  }
}
