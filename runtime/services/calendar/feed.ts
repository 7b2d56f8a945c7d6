import { z } from "zod";
import { notFound, TendrilError } from "../../errors.js";
import type { Route, RouteRequest } from "../../tools/host.js";
import { RateLimit } from "../../tools/rate-limit.js";
import { HOUSEHOLD, household } from "../household/household.js";
import type { CalendarEntry, House } from "../module.js";
import { calendarText, etagOf } from "./ics.js";
import { CALENDAR_ERRORS, type CalendarLinks, type LinkRecord } from "./links.js";

export const CALENDAR_PATH = "/calendar/";

export const calendarKeys = {
  calendar: z
    .strictObject({
      descriptions: z
        .boolean()
        .default(false)
        .describe("show descriptions and places too; by default titles and times only"),
    })
    .prefault({})
    .describe("calendars of people, read by a secret link"),
};

/** A choice: programs ask every some minutes. Of each link, and of all wrong ones together; bursts of eight. */
const READS_PER_SECOND = 2;

/** `GET /calendar/<secret>.ics`. The secret is all that is asked for, and no refusal repeats it. */
export function calendarRoute(house: House, links: CalendarLinks): Route {
  const limit = new RateLimit(READS_PER_SECOND, house.realClock);
  return {
    path: CALENDAR_PATH,
    may: "secret link",
    answer: async (request) => {
      if (!request.isPrivate)
        throw new TendrilError(CALENDAR_ERRORS.LINK_NOT_PRIVATE, "calendars are not shown over plain HTTP");
      const link = linkIn(request, links);
      limit.take(link?.link ?? "wrong");
      if (!link) throw notFound("this link opens no calendar, or was revoked");
      return answerOf(await feedOf(house, link), request);
    },
  };
}

function linkIn({ path }: RouteRequest, links: CalendarLinks): LinkRecord | undefined {
  const secret = /^([\w-]{43})\.ics$/.exec(path.slice(CALENDAR_PATH.length))?.[1];
  return secret === undefined ? undefined : links.linkOf(secret);
}

/** The person's entries and the household's; a link of the household shows the household's alone. */
async function feedOf(house: House, { owner }: LinkRecord): Promise<string> {
  const entries: CalendarEntry[] = [];
  const sees = (each: string) => each === owner || each === HOUSEHOLD;
  for (const { calendar } of house.modules)
    for await (const entry of calendar?.(house, sees) ?? []) entries.push(entry);
  const person = house.get(household).people.find(({ id }) => id === owner);
  const { calendar } = house.config(calendarKeys);
  return calendarText(
    entries.sort((a, b) => (a.uid < b.uid ? -1 : 1)),
    { name: person?.name ?? owner, withDescriptions: calendar.descriptions, now: house.clock.now() },
  );
}

function answerOf(body: string, { header }: RouteRequest) {
  const etag = etagOf(body);
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  const known = header("if-none-match")
    ?.split(",")
    .map((each) => each.trim().replace(/^W\//, ""));
  if (known?.some((each) => each === etag || each === "*"))
    return { status: 304, type: ICS, body: "", headers } as const;
  return { type: ICS, body, headers };
}

const ICS = "text/calendar; charset=utf-8";
