import { createHash } from "node:crypto";
import { z } from "zod";
import { calendarName, type FetchAnswer, type FetchArguments, fetchArguments } from "../../wire/calendar.js";
import { defineAdapter, JobFailure, readArguments } from "../adapter.js";
import { outsideAddress, secretsOf } from "../http/address.js";
import { fetchText, type Validators } from "../http/fetch.js";
import { CalendarReader } from "./read-calendar.js";

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
  config: z.record(calendarName, outsideAddress(["webcal", "webcals"])).default({}),
  secrets: (addresses) => Object.values(addresses).flatMap(secretsOf),
  open: (addresses, { clock, say }) => {
    const told = new Map<string, Told>();
    const reader = new CalendarReader(clock);

    const fetch = async (asked: FetchArguments, signal: AbortSignal): Promise<FetchAnswer> => {
      const { name, from, to, zone, known } = asked;
      const address = addresses[name];
      if (!address)
        throw new JobFailure("NOT_CONFIGURED", `the bridge's file has no address for the calendar ${name}`);
      const last = told.get(name);
      const isKnown = last !== undefined && known === last.version;
      const request = { what: "the calendar", accept: "text/calendar, */*;q=0.1", address, most: MAX_BYTES };
      const fetched = await fetchText({ ...request, known: isKnown ? last.validators : undefined }, signal);
      if (fetched === "unchanged") return { unchanged: true };
      const { text, validators } = fetched;
      const span = { from: Date.parse(from) / 1000, to: Date.parse(to) / 1000, zone };
      const { events, leftOff } = await reader.read({ text, ...span }, signal);
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
