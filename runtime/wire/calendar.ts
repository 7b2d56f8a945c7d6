import { z } from "zod";
import { shortId } from "./short-id.js";

/** The calendars of others, as runtime and bridge tell each other of them: all their words are strangers'. And links to our own. */

/** Choices. A title is a line, a place too; an address in a browser holds about 2,000 characters. */
export const LONGEST = { title: 200, location: 200, id: 255, url: 2000 } as const;
/** Events of one calendar in one answer. A choice: 14 a day in the window. */
export const MAX_EVENTS = 1000;

/** A day, or an instant in UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const isReal = (text: string) => !Number.isNaN(Date.parse(text));
const day = z.string().regex(DAY).refine(isReal);
const instant = z.string().regex(INSTANT).refine(isReal);

/** An occurrence. `end` is the first moment after it, or the first day after it. */
export const calendarEvent = z
  .strictObject({
    title: z.string().max(LONGEST.title * 2),
    location: z
      .string()
      .max(LONGEST.location * 2)
      .nullable(),
    start: z.string(),
    end: z.string(),
    all_day: z.boolean(),
    external_id: z.string().max(LONGEST.id).nullable(),
    external_url: z.string().max(LONGEST.url).nullable(),
  })
  .refine(
    ({ start, end, all_day }) => {
      const time = all_day ? day : instant;
      return time.safeParse(start).success && time.safeParse(end).success && start <= end;
    },
    { error: "has no start and end of one kind, in this order" },
  );
export type CalendarEvent = z.output<typeof calendarEvent>;

/** Arguments of the job `calendar fetch`. Occurrences from `from` until `to` are wanted. */
export const fetchArguments = z.strictObject({
  name: shortId,
  from: instant,
  to: instant,
  zone: z.string().describe("for times that name no zone"),
  known: z.string().nullable().describe("the `version` that the runtime has for the same window"),
});
export type FetchArguments = z.output<typeof fetchArguments>;

/** The answer: nothing has changed since `known`, or every occurrence. */
export const fetchAnswer = z.union([
  z.strictObject({ unchanged: z.literal(true) }),
  z.strictObject({
    version: z.string().min(1).max(64),
    events: z.array(calendarEvent).max(MAX_EVENTS),
    left_off: z.int().min(0).describe("events that could not be read, or were too many"),
  }),
]);
export type FetchAnswer = z.output<typeof fetchAnswer>;

/** `list_events`: what is in the calendars, and how old it is. */
const listedEvent = z.object({
  calendar: z.string(),
  user_id: z.string().describe('whose calendar it is: a person, or "household"'),
  title: z.string(),
  location: z.string().nullable(),
  start: z.string().describe("UTC; a date for a whole day"),
  end: z.string().describe("the first moment, or day, after it"),
  all_day: z.boolean(),
  external_id: z.string().nullable(),
  external_url: z.string().nullable(),
});
export type ListedEvent = z.output<typeof listedEvent>;

const calendarState = z.object({
  name: z.string(),
  user_id: z.string(),
  fetched_at: z.string().nullable().describe("null: never yet"),
  left_off: z.int().describe("events that could not be read, or were too many"),
  trouble: z
    .object({ code: z.string(), message: z.string(), since: z.string() })
    .nullable()
    .describe("why it cannot be fetched now; the events are then those of fetched_at"),
});
export type CalendarState = z.output<typeof calendarState>;

export const eventList = z.object({
  events: z.array(listedEvent),
  count: z.int().describe("of all pages"),
  zone: z.string().describe("in which times without an offset, and whole days, were read"),
  calendars: z.array(calendarState),
});
export type EventList = z.output<typeof eventList>;

const calendarLink = z.object({ link_id: z.string(), user_id: z.string(), created_at: z.string() });

/** A secret link to our own calendar of a person, as it is shown once. */
export const madeCalendarLink = calendarLink.extend({ path: z.string(), url: z.string() });
export type MadeCalendarLink = z.output<typeof madeCalendarLink>;

export const calendarLinkList = z.object({
  links: z.array(calendarLink.extend({ by: z.string() })),
  count: z.int(),
});
export type CalendarLinkList = z.output<typeof calendarLinkList>;
