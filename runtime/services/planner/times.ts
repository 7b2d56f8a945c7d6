import { excerpt, invalidArgument, TendrilError } from "../../errors.js";
import { meaningsOf } from "../../time-words/grammar.js";
import { isSubdaily, parseRule, ruleText } from "../../time-words/recurrence.js";
import {
  type TimeCandidate,
  type TimeContext,
  type UnderstoodTime,
  understandTime,
} from "../../time-words/understand.js";
import { DAY_SECONDS, dateOf, WallZone, weekdayOf } from "../../time-words/wall-time.js";
import { instantIn, isoUtc } from "../../tools/iso-time.js";
import type { TaskRecord } from "./task-log.js";

/** What a call says about the time. */
interface GivenTimes {
  readonly due_at?: string | null | undefined;
  readonly time?: string | undefined;
  readonly recurrence?: string | null | undefined;
}

/** The same as it is kept. Absent: not changed. */
interface Times {
  readonly due?: string | null;
  readonly recurrence?: string | null;
  readonly zone?: string;
  readonly understood?: string;
}

interface TimesContext {
  /** Of the person whose task it is. */
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The task as it is, where it is there already. */
  readonly before?: Pick<TaskRecord, "due" | "recurrence">;
}

/** What was given about the time, as it is kept. Throws INVALID_ARGUMENT, TIME_NOT_UNDERSTOOD, TIME_PAST, TIME_AMBIGUOUS. */
export function timesOf(operation: string, given: GivenTimes, { zone, now, before }: TimesContext): Times {
  if (given.time === undefined) return timesIn(operation, given, zone, before);
  if (given.due_at !== undefined) throw wrong(operation, "due_at and time are two times: leave one out");
  if (given.recurrence !== undefined)
    throw wrong(operation, "recurrence and time: say the recurrence in the words of time");
  const { at, recurrence, zone: told, understood } = timeInWords(given.time, { zone, now });
  return { due: at, recurrence, zone: told, understood };
}

const wrong = (operation: string, what: string) => invalidArgument(`task_tool ${operation}: ${what}`);

/** Throws TIME_NOT_UNDERSTOOD, TIME_PAST, TIME_AMBIGUOUS. `understood`: the words, and what was taken for granted. */
export function timeInWords(phrase: string, context: TimeContext): UnderstoodTime & { understood: string } {
  const time = understandTime(phrase, context);
  if (time instanceof TendrilError) throw time;
  return { ...time, understood: [time.words, ...time.notes].join("; ") };
}

/** A choice: few people say a time in more words, and a title of 500 letters must not hold the runtime up. */
const MOST_WORDS = 12;

/** Words at the end of a title that name a time, though they are no time of the task. Undefined if there are none. */
export function timeInTitle(title: string, context: TimeContext) {
  const words = title.trim().split(/\s+/);
  const first = Math.max(1, words.length - MOST_WORDS);
  const from = words.findIndex((_, at) => at >= first && meaningsOf(words.slice(at).join(" ")).length > 0);
  if (from < 0) return undefined;
  const time = words.slice(from).join(" ");
  return { title: words.slice(0, from).join(" "), time, meanings: meaningsIn(time, context) };
}

/** One if the words are clear, else each of the times that they can mean; none if they name no time to come. */
function meaningsIn(time: string, context: TimeContext): readonly TimeCandidate[] {
  const understood = understandTime(time, context);
  if (!(understood instanceof TendrilError)) return [{ ...understood, words: time }];
  return (understood.particulars.details?.candidates ?? []) as readonly TimeCandidate[];
}

/** Without words: due_at, and a rule that counts from it. A task that loses its time recurs no more. */
function timesIn(operation: string, given: GivenTimes, zone: string, before: TimesContext["before"]): Times {
  const { due_at } = given;
  const due = due_at && isoUtc(instantIn(`task_tool ${operation}: due_at`, due_at, zone));
  const changedDue = due === undefined ? {} : { due };
  const rule = given.recurrence ?? undefined;
  if (rule === undefined) {
    const ends = given.recurrence === null || (due === null && before?.recurrence != null);
    return { ...changedDue, ...(ends && { recurrence: null }) };
  }
  const start = due === undefined ? (before?.due ?? null) : due;
  if (start === null) throw wrong(operation, "a recurrence needs due_at, its first time");
  return { ...changedDue, recurrence: recurrenceFrom(rule, start, zone), zone };
}

/**
 * A recurrence with all that it leaves to its first time: the hour and minute, the day of the week, month or year.
 * Throws INVALID_ARGUMENT for a rule that is not known here.
 */
function recurrenceFrom(given: string, first: string, zone: string): string {
  const text = given
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "");
  try {
    const rule = parseRule(text);
    if (isSubdaily(rule)) return ruleText(rule);
    const wall = new WallZone(zone).wallOf(Date.parse(first) / 1000);
    const day = Math.floor(wall / DAY_SECONDS);
    const seconds = wall - day * DAY_SECONDS;
    const { month, day: monthDay } = dateOf(day);
    const hasDay = rule.weekdays !== undefined || rule.monthDays !== undefined;
    return ruleText({
      ...rule,
      ...(rule.freq === "WEEKLY" && !hasDay && { weekdays: [{ weekday: weekdayOf(day) }] }),
      ...((rule.freq === "MONTHLY" || rule.freq === "YEARLY") && !hasDay && { monthDays: [monthDay] }),
      ...(rule.freq === "YEARLY" && rule.month === undefined && { month }),
      hours: rule.hours ?? [Math.floor(seconds / 3600)],
      minute: rule.minute ?? Math.floor((seconds % 3600) / 60),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = `recurrence is not a rule that is known here (got "${excerpt(given)}"): FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYHOUR and BYMINUTE are`;
    throw invalidArgument(what);
  }
}
