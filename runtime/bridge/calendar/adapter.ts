import { createHash } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { within } from "../../../drivers/clock/waiting.js";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import { type FetchAnswer, type FetchArguments, fetchArguments } from "../../wire/calendar.js";
import { shortId } from "../../wire/short-id.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { outsideAddress, secretsOf } from "../http/address.js";
import { fetchText, type Validators } from "../http/fetch.js";
import type { Expanded } from "./expand.js";
import type { Said, Task } from "./worker.js";

/** Bytes of a calendar, unpacked. A choice: some ten thousand events. */
export const MAX_BYTES = 5_000_000;

/** What the runtime was told of a calendar last. */
interface Told {
  readonly version: string;
  readonly validators: Validators;
}

/** Subscribed calendars: `calendars:` in bridge.yaml has the address of each name. */
export const calendarAdapter = defineAdapter({
  name: "calendar",
  key: "calendars",
  config: z.record(shortId, outsideAddress(["webcal", "webcals"])).default({}),
  secrets: (addresses) => Object.values(addresses).flatMap(secretsOf),
  open: (addresses, { clock, say }) => {
    const told = new Map<string, Told>();
    const mutex = new Mutex(); // so that they do not need the memory of all at once

    const fetch = async (asked: FetchArguments, signal: AbortSignal): Promise<FetchAnswer> => {
      const { name, from, to, zone, known } = asked;
      const address = addresses[name];
      if (!address)
        throw new JobFailure("NOT_CONFIGURED", `the bridge's file has no address for the calendar ${name}`);
      const last = told.get(name);
      const isKnown = last !== undefined && known === last.version;
      const request = {
        server: "the calendar's server",
        accept: "text/calendar, */*;q=0.1",
        address,
        most: MAX_BYTES,
      };
      const fetched = await fetchText({ ...request, known: isKnown ? last.validators : undefined }, signal);
      if (fetched === "unchanged") return { unchanged: true };
      const { text, validators } = fetched;
      const span = { from: Date.parse(from) / 1000, to: Date.parse(to) / 1000, zone };
      const { events, leftOff } = await mutex.run(() => readCalendar({ text, ...span }, clock, signal));
      const version = createHash("sha256").update(text).digest("hex");
      told.set(name, { version, validators });
      return { version, events: [...events], left_off: leftOff };
    };

    return {
      fetch: async (args, signal) => {
        const asked = readArguments(fetchArguments, args);
        const answer = await fetch(asked, signal);
        if ("events" in answer && answer.left_off > 0)
          say(`the calendar ${asked.name}: ${answer.left_off} events were left off`);
        return answer;
      },
    };
  },
});

const WORKER = new URL("./worker.js", import.meta.url);
/** Nothing of how this process was started: a loader or profiler named in its environment is not meant for this thread. */
const PLAIN = { execArgv: [], env: {} };
/** A choice: an ordinary calendar takes a tenth of a second on a PC, and some ten times that on a small Pi. */
const PATIENCE: Millis = seconds(20);
/** Megabytes. A choice: 5 MB of a calendar take a third of it. */
const MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/**
 * Reads a calendar in a thread of its own, which is ended if it takes too much time or memory: whoever writes a calendar
 * can write one that would keep this process busy for ever. Throws JobFailure.
 */
async function readCalendar(task: Task, clock: Clock, signal: AbortSignal): Promise<Expanded> {
  if (signal.aborted) throw new JobFailure("TOO_SLOW", "other calendars took all of the time");
  const worker = new Worker(WORKER, { ...PLAIN, workerData: task, resourceLimits: MEMORY });
  const limits = { clock, longest: PATIENCE, signal };
  try {
    const [said] = (await within(limits, (ends) => once(worker, "message", { signal: ends }))) as [Said];
    if (!("isNoCalendar" in said)) return said;
    throw new JobFailure("NO_CALENDAR", "what the server gave is no calendar, or not all of it");
  } catch (error) {
    if (error instanceof JobFailure) throw error;
    throw new JobFailure("TOO_COMPLEX", "the calendar takes too long to read, or too much memory");
  } finally {
    void worker.terminate();
  }
}
