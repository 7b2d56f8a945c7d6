import type { ClockWords, DayWords, Meaning, PartOfDay } from "./meaning.js";
import type { RecurrenceRule } from "./recurrence.js";
import {
  assumedNote,
  assumedSeconds,
  BARE_DAY_HOUR,
  type ClockChoice,
  clockChoice,
  IN_PART,
  nextOnDial,
} from "./resolve-clock.js";
import { daysFor, moveDay } from "./resolve-days.js";
import { DAY_SECONDS, type Day, momentText, type WallZone } from "./wall-time.js";

export type Grain = "second" | "minute" | "hour" | "day";

/** One instant that a phrase can mean. */
export interface Reading {
  /** Seconds since 1970 UTC */
  readonly at: number;
  readonly grain: Grain;
  readonly rule: RecurrenceRule | null;
  /** In which the hours of the rule are. */
  readonly zone: WallZone;
  readonly notes: readonly string[];
}

export interface Refused {
  readonly code: "TIME_NOT_UNDERSTOOD" | "TIME_PAST";
  readonly why: string;
  /** The words are those of a time, though they fix none. */
  readonly isUnclear?: true;
  /** What they can mean, where that is known. */
  readonly readings?: readonly Reading[];
}

export const notUnderstood = (why: string): Refused => ({ code: "TIME_NOT_UNDERSTOOD", why });

/** Several readings: the phrase is ambiguous. */
export type Resolved = readonly Reading[] | Refused;

export interface Here {
  /** Whole seconds since 1970 UTC */
  readonly now: number;
  readonly zone: WallZone;
}

export const todayOf = ({ now, zone }: Here): Day => Math.floor(zone.wallOf(now) / DAY_SECONDS);

/** The one instant that a phrase without a recurrence means. */
export function resolveOnce(meaning: Meaning, here: Here): Resolved {
  if (meaning.isNow) return isAlone(meaning, "isNow") ? [reading(here.now, "second", here)] : contradiction();
  if (meaning.coming) return nextPart(meaning.coming, here);
  if (meaning.elapsed) return afterElapsed(meaning, here);
  const { clocks: [clock, ...others] = [] } = meaning;
  if (others.length > 0) return notUnderstood("several times of day need a recurrence such as every day");
  const days = daysFor(meaning.day, meaning.weekday, todayOf(here));
  if (!days) return clock ? withoutDay(clock, meaning, here) : contradiction();
  if ("refused" in days) return notUnderstood(days.refused);
  return unclearDay(days, clock, meaning, here) ?? onDays(days, clock, meaning, here);
}

/** "This time tomorrow": the clock of now. */
export function atThisTime({ isThisTime: _, ...others }: Meaning, here: Here): Meaning | Refused {
  if (others.clocks || others.part) return contradiction();
  const minutes = Math.floor((here.zone.wallOf(here.now) % DAY_SECONDS) / 60);
  const clock = { hour: Math.floor(minutes / 60), minute: minutes % 60, second: 0 };
  return { ...others, clocks: [{ ...clock, dial: false, grain: "minute" }] };
}

/** "In the evening", said before it or after it. While it lasts, people mean it or the next. */
function nextPart(part: PartOfDay, here: Here): Resolved {
  const today = todayOf(here);
  const hour = (here.zone.wallOf(here.now) - today * DAY_SECONDS) / 3600;
  const [from, before] = IN_PART[part];
  if (hour >= from && hour < before)
    return notUnderstood(`the ${part} has begun; "tomorrow ${part}" is the next, "in 2 hours" is today`);
  return onDays([hour < from ? today : today + 1], undefined, { part }, here);
}

/** Where the day and the time of day together are not clear. */
function unclearDay(
  days: readonly Day[],
  clock: ClockWords | undefined,
  meaning: Meaning,
  here: Here,
): Resolved | undefined {
  if (!clock) return isInADay(meaning) ? dayOrHours(days, here) : todayByItsName(days, meaning, here);
  if (isTooCoarse(meaning.day)) return notUnderstood("years from now are no exact day; name the date");
  if (clock.bare && days.some((day) => isThatDayOfMonth(day, clock)))
    return notUnderstood(`${clock.hour} can be the hour or the day of the month`);
  return undefined;
}

/** "Friday", said on a Friday after nine: today or in a week, and no time was said that could tell. */
function todayByItsName(days: readonly Day[], { part }: Meaning, here: Here): Refused | undefined {
  const [day] = days;
  const isEither = days.length > 1 && day === todayOf(here) && part === undefined;
  if (!isEither || here.zone.instantOf(day * DAY_SECONDS + BARE_DAY_HOUR * 3600) >= here.now)
    return undefined;
  return notUnderstood("it is today's name too; say today with a time, or the date");
}

const contradiction = () => notUnderstood("its parts do not fit together");

const isAlone = (meaning: Meaning, key: keyof Meaning): boolean =>
  Object.keys(meaning).every((each) => each === key || each === "zone");

const reading = (at: number, grain: Grain, { zone }: Here, ...notes: readonly string[]): Reading => ({
  at,
  grain,
  rule: null,
  zone,
  notes,
});

/** "In three hours". Days and months of it are counted on the calendar first. */
function afterElapsed(meaning: Meaning, here: Here): Resolved {
  const { elapsed = { months: 0, days: 0, seconds: 0 }, day, ...others } = meaning;
  if ((day && !isToday(day)) || !isAlone(others, "elapsed")) return contradiction();
  const today = todayOf(here);
  const moved = moveDay(today, elapsed);
  if (moved === undefined) return notUnderstood("the month that it leads to is too short for that day");
  const wall = here.zone.wallOf(here.now) + (moved - today) * DAY_SECONDS;
  const from = moved === today ? here.now : here.zone.instantOf(wall);
  const at = from + elapsed.seconds;
  if (day && todayOf({ ...here, now: at }) !== today) return notUnderstood("that is not today any more");
  if (at < here.now) return past(at, here);
  return [reading(at, elapsed.seconds % 60 === 0 ? "minute" : "second", here)];
}

const past = (at: number, { zone }: Here): Refused => ({
  code: "TIME_PAST",
  why: `it was read as ${momentText(at, zone)}, which is past`,
});

/** "In 3 years at 7": nobody means the minute. */
const isTooCoarse = (day: DayWords | undefined): boolean =>
  day?.kind === "moved" && day.by.months > 0 && day.by.months % 12 === 0;

/** "Monday 9", where that Monday is the 9th. */
const isThatDayOfMonth = (day: Day, { hour }: ClockWords): boolean =>
  new Date(day * DAY_SECONDS * 1000).getUTCDate() === hour;

/** "In a day" is tomorrow or 24 hours from now. */
const isInADay = ({ day, part }: Meaning): boolean =>
  !part && day?.kind === "moved" && isToday(day.from) && day.by.days === 1 && day.by.months === 0;

const isToday = (day: DayWords): boolean => day.kind === "days" && day.days === 0;

const dayOrHours = (days: readonly Day[], here: Here): Resolved => {
  const [day = 0] = days;
  const morning = here.zone.instantOf(day * DAY_SECONDS + BARE_DAY_HOUR * 3600);
  return [reading(here.now + DAY_SECONDS, "minute", here), reading(morning, "day", here)];
};

/** A time of day alone is the next one. */
function withoutDay(clock: ClockWords, { part }: Meaning, here: Here): Resolved {
  const today = todayOf(here);
  if (clock.dial && part === undefined) {
    const sinceMidnight = here.zone.wallOf(here.now) - today * DAY_SECONDS;
    const walls = nextOnDial(clock, sinceMidnight).map((seconds) => today * DAY_SECONDS + seconds);
    return walls.flatMap((wall) => readingsAt(wall, clock.grain, here, []));
  }
  const choice = clockChoice(clock, part);
  if (!choice) return contradiction();
  const [seconds = 0] = choice.seconds;
  const walls = [0, 1].map((ahead) => (today + ahead) * DAY_SECONDS + seconds);
  const coming = walls.map((wall) => readingsAt(wall, clock.grain, here, []));
  return (
    coming.map((each) => each.filter(({ at }) => at >= here.now)).find((each) => each.length > 0) ??
    contradiction()
  );
}

function onDays(days: readonly Day[], clock: ClockWords | undefined, meaning: Meaning, here: Here): Resolved {
  const { part } = meaning;
  const choice = clock ? clockChoice(clock, part) : undefined;
  if (clock && !choice) return contradiction();
  const used = choice ?? assumedClock(part);
  const grain = clock?.grain ?? (part ? "hour" : "day");
  const found = days.flatMap((day) => onDay(day, used, grain, here));
  const coming = found.filter(({ at }) => at >= here.now);
  const [first] = found;
  if (coming.length > 0) return coming;
  return first ? past(first.at, here) : notUnderstood("there is no such day");
}

const assumedClock = (part: Meaning["part"]): ClockChoice => ({
  seconds: [assumedSeconds(part)],
  isFirstMeant: true,
  note: assumedNote(part),
});

/** Today the time of the evening is meant too, once that of the morning is past. */
function onDay(
  day: Day,
  { seconds, isFirstMeant, note }: ClockChoice,
  grain: Grain,
  here: Here,
): readonly Reading[] {
  const all = seconds.map((each) => readingsAt(day * DAY_SECONDS + each, grain, here, note ? [note] : []));
  const [first = []] = all;
  if (!isFirstMeant) return all.flat();
  const isFirstPast = day === todayOf(here) && first.every(({ at }) => at < here.now);
  return isFirstPast ? all.flat() : first;
}

/** Two where the clocks are set back, or set forward over it: then an hour before and an hour after are asked about. */
function readingsAt(wall: number, grain: Grain, here: Here, notes: readonly string[]): readonly Reading[] {
  const { zone } = here;
  const instants = zone.instantsOf(wall);
  if (instants.length > 0) {
    const twice = instants.length > 1 ? ["the clocks are set back then and show this time twice"] : [];
    return instants.map((at) => reading(at, grain, here, ...notes, ...twice));
  }
  const note = "the clocks are set forward then and do not show this time";
  const before = zone.offsetAt(wall - DAY_SECONDS);
  const after = zone.offsetAt(wall + DAY_SECONDS);
  return [wall - after, wall - before].map((at) => reading(at, grain, here, ...notes, note));
}
