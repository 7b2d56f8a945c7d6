import { z } from "zod";
import { hours, minutes, seconds } from "../../../drivers/units.js";
import { refuseShared } from "../../config/schema.js";
import { LONGEST_ANSWER } from "../../wire/bridge.js";
import { type FetchAnswer, fetchAnswer } from "../../wire/calendar.js";
import { shortId } from "../../wire/short-id.js";
import type { JobKind } from "../bridge/job.js";
import { whoInput } from "../household/household.js";

/** A choice: a house with a handful of people has not more, and each is fetched twice an hour. */
const MAX_CALENDARS = 20;
/** Minutes. A choice: a server is not asked more often, and once a day at least. */
const OFTEN = 5;
const SELDOM = 24 * 60;

const calendar = z.strictObject({
  name: shortId.describe("its name here; the bridge's own file has its address under the same name"),
  person: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("whose it is, by the id under people; the household's by default"),
  every_minutes: z.int().min(OFTEN).max(SELDOM).default(30).describe("how often it is fetched"),
});

export const calendarsConfig = {
  calendars: z
    .array(calendar)
    .max(MAX_CALENDARS)
    .superRefine((all, ctx) => refuseShared(all, { list: "calendars", key: "name" }, ctx))
    .default([])
    .describe("calendars of others, fetched by the bridge (docs/bridge.md)"),
};

const time = (what: string) => z.string().min(1).max(64).optional().describe(what);

/** What `list_events` is asked for. */
export const eventQuery = z.strictObject({
  from: time("ISO 8601; without an offset in the person's zone; now by default"),
  to: time("a week after `from` by default; a week back and two months ahead are known"),
  calendar: shortId.optional(),
  user_id: whoInput.user_id,
  limit: z.int().min(1).max(200).default(50),
  offset: z.int().min(0).max(10_000).default(0),
});
export type EventQuery = z.output<typeof eventQuery>;

/** Fetches a calendar. It changes nothing, so it needs no claim. */
export const FETCH: JobKind<FetchAnswer> = {
  adapter: "calendar",
  what: "fetch",
  effects: false,
  // the bridge gives up before that: runtime/bridge/calendar
  within: seconds(60),
  most: LONGEST_ANSWER,
  answer: fetchAnswer,
};

/** What is kept of a calendar: so far back and ahead. Choices: last week, and two months to plan. */
export const BACK = hours(7 * 24);
export const AHEAD = hours(61 * 24);
/** A calendar that could not be fetched is tried again after this time. A choice. */
export const RETRY = minutes(5);
