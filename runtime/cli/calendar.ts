import {
  type CalendarLinkList,
  type CalendarState,
  type EventList,
  eventList,
  type ListedEvent,
  type MadeCalendarLink,
} from "../wire/calendar.js";
import { type HouseTime, houseTimeOf } from "../wire/house-time.js";
import type { CurrentTime } from "../wire/plants.js";
import { wrongUse } from "./failure.js";
import { personId } from "./person.js";
import { harmless, inLine } from "./print.js";
import { houseTimeBy, type Remote, understood } from "./remote.js";

interface EventsOptions {
  readonly days: number;
  readonly calendar?: string;
  readonly person?: string;
  readonly json?: boolean;
}

const DAY = 86_400_000;
/** As many as one answer has. */
const MAX = 200;

/** What is in the subscribed calendars, by days of the person's zone. Titles are the words of others. */
export async function events(
  remote: Remote,
  { days, calendar, person, json = false }: EventsOptions,
): Promise<string> {
  const user_id = await personId(remote, person);
  const { timestamp } = await remote.call<CurrentTime>("get_current_time");
  const from = Date.parse(timestamp);
  const to = new Date(from + days * DAY).toISOString();
  const asked = { from: timestamp, to, limit: MAX, calendar, user_id };
  const answer = await remote.call("list_events", asked);
  if (json) return harmless(JSON.stringify(answer, null, 2));
  return inDays(understood("list of events", eventList, answer), from);
}

function inDays({ events: found, count, zone, calendars }: EventList, now: number): string {
  const time = houseTimeOf(zone);
  const several = calendars.length > 1;
  const today = time.day(now);
  const lines: string[] = [];
  let last = "";
  for (const event of found) {
    const first = event.all_day ? event.start : time.day(event.start);
    const day = first < today ? today : first;
    if (day !== last) lines.push(...(last === "" ? [] : [""]), `${weekday(day)} ${day}`);
    last = day;
    lines.push(`  ${spanOf(event, day, time).padEnd(13)}  ${wordsOf(event, several)}`);
  }
  const rest = count > found.length ? [`${count - found.length} more: ask for fewer days`] : [];
  const none = found.length === 0 ? ["no events"] : [];
  return [...none, ...lines, "", ...rest, ...calendars.map((each) => stateLine(each, time))].join("\n");
}

const weekday = (day: string): string =>
  new Date(day).toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" });

/** "14:00–15:00", "all day", "until 11-26" */
function spanOf({ start, end, all_day }: ListedEvent, day: string, time: HouseTime): string {
  if (all_day) {
    const lastDay = new Date(Date.parse(end) - DAY).toISOString().slice(0, "2026-11-23".length);
    return lastDay > day ? `until ${lastDay.slice("2026-".length)}` : "all day";
  }
  const begins = time.day(start) < day ? "…" : time.clock(start);
  if (start === end) return begins;
  const ends = time.day(end) > day ? "…" : time.clock(end);
  return `${begins}–${ends}`;
}

const wordsOf = ({ title, location, calendar }: ListedEvent, several: boolean): string =>
  `${inLine(title)}${location === null ? "" : `, ${inLine(location)}`}${several ? ` (${calendar})` : ""}`;

function stateLine({ name, fetched_at, left_off, trouble }: CalendarState, time: HouseTime): string {
  const age = fetched_at === null ? "never fetched" : `as of ${time.minute(fetched_at)} ${time.zone}`;
  const left = left_off > 0 ? `; ${left_off} events were left off` : "";
  const why = trouble ? `; not fetched since ${time.minute(trouble.since)}: ${inLine(trouble.message)}` : "";
  return `${trouble ? "! " : ""}${name}: ${age}${left}${why}`;
}

export async function makeLink(remote: Remote, person: string | undefined): Promise<string> {
  const whose = await personId(remote, person);
  const made = await remote.call<MadeCalendarLink>("make_calendar_link", { user_id: whose });
  const { url, user_id, link_id } = made;
  const advice = url.startsWith("https:")
    ? "Whoever has it reads the calendar."
    : "It opens on this computer only: over the network, set up TLS and write https:// and the TLS port instead.";
  return [url, `the calendar of ${inLine(user_id)}, link ${link_id}. It is shown this once. ${advice}`].join(
    "\n",
  );
}

export async function links(remote: Remote): Promise<string> {
  const { links: all } = await remote.call<CalendarLinkList>("list_calendar_links");
  if (all.length === 0) return "there is no link to a calendar";
  const time = await houseTimeBy(remote);
  return all
    .map(
      (each) =>
        `${each.link_id}  of ${inLine(each.user_id)}, made ${time.minute(each.created_at)} by ${each.by}`,
    )
    .join("\n");
}

/** `name`: the beginning of the link's id. */
export async function revokeLink(remote: Remote, name: string): Promise<string> {
  const { links: all } = await remote.call<CalendarLinkList>("list_calendar_links");
  const [found, ...others] = all.filter(({ link_id }) => link_id.startsWith(name));
  if (found === undefined || others.length > 0)
    throw wrongUse(`${found ? "more than one" : "no"} link begins with "${name}"`);
  await remote.call("revoke_calendar_link", { link_id: found.link_id });
  return `revoked: it opens the calendar of ${inLine(found.user_id)} no more`;
}
