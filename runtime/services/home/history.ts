import { hours, minutes } from "../../../drivers/units.js";
import type { HistoryAnswer } from "../../wire/home.js";
import type { EntityHistory } from "../../wire/home-tools.js";
import type { HouseTime } from "../../wire/house-time.js";
import { isFreeText } from "./strangers.js";

/** Changes in one answer. A choice: some 3,000 tokens. */
const BUDGET = 100;

type Change = EntityHistory["changes"][number];

/**
 * As many changes as an agent can read. Of numbers, the lowest and the highest of each stretch of time; of other states
 * the newest, since each of them may matter. `coverage` says what is shown.
 */
export function shownHistory({ changes, total, truncated, coverage }: HistoryAnswer): EntityHistory {
  const isNumeric = changes.filter(({ state }) => isNumber(state)).length > changes.length / 2;
  const shown = isNumeric ? extremes(changes, BUDGET) : changes.slice(-BUDGET);
  const isCut = shown.length < changes.length;
  const from = isCut && !isNumeric ? (shown[0]?.timestamp ?? null) : (coverage?.from ?? null);
  return {
    changes: [...shown],
    coverage: { from, to: coverage?.to ?? null, recorded: total, complete: !truncated && !isCut },
  };
}

/** Of equal stretches of time the change with the lowest and the one with the highest number, in order of time. */
function extremes(changes: readonly Change[], most: number): readonly Change[] {
  if (changes.length <= most) return changes;
  const first = Date.parse(changes[0]?.timestamp ?? "");
  const span = Date.parse(changes.at(-1)?.timestamp ?? "") - first + 1;
  const stretches = new Map<number, Change[]>();
  for (const change of changes) {
    const at = Math.floor(((Date.parse(change.timestamp) - first) / span) * (most / 2));
    stretches.set(at, [...(stretches.get(at) ?? []), change]);
  }
  return [...stretches.values()].flatMap((all) => {
    const numbers = all
      .filter(({ state }) => isNumber(state))
      .sort((a, b) => Number(a.state) - Number(b.state));
    const kept = numbers.length === 0 ? all.slice(0, 1) : [numbers[0], numbers.at(-1)];
    return all.filter((change) => kept.includes(change));
  });
}

/** A choice. Home Assistant keeps ten days by default [home-assistant.io/integrations/recorder, purge_keep_days]. */
const DAYS = 7;
/** A choice: the states with the most time; the others are counted. */
const MAX_STATES = 6;
/** Code units of a state that is anybody's text. A choice: enough for the name of a mode. */
const LONGEST_STATE = 60;
const MINUTE = minutes(1);
const DAY = hours(24);

interface Span {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** The last days that are over, oldest first, in the house's zone. */
export function lastWholeDays(time: HouseTime, now: number): readonly (Span & { readonly day: string })[] {
  const days: (Span & { day: string })[] = [];
  for (let from = time.endOfDay(now - (DAYS + 2) * DAY); ; ) {
    const to = time.endOfDay(from);
    if (to > now) return days.slice(-DAYS);
    days.push({ day: time.day(from), from, to });
    from = to;
  }
}

interface Stretch {
  readonly state: string;
  readonly ms: number;
}

/** What an entity's day was like; undefined if nothing is recorded. `isFree`: with words that may be anybody's. */
export function dayInWords(
  { changes, total, truncated }: HistoryAnswer,
  { from, to, unit }: Span & { readonly unit: string },
): { readonly words: string; readonly isFree: boolean } | undefined {
  if (changes.length === 0) return undefined;
  const stretches = changes.map(({ state, timestamp }, at): Stretch => {
    const begin = Math.max(from, Date.parse(timestamp));
    const end = at + 1 < changes.length ? Date.parse(changes[at + 1]?.timestamp ?? "") : to;
    return { state, ms: Math.max(0, end - begin) };
  });
  const numbers = stretches.filter(({ state }) => isNumber(state));
  const count = `${total} ${total === 1 ? "entry" : "entries"}`;
  if (numbers.length > changes.length / 2)
    return { words: `${numbersInWords(numbers, unit, truncated)}; ${count}`, isFree: false };
  // of a day that was thinned out, how long each state lasted is not known
  const words = truncated ? count : `${timesInWords(stretches)}; ${count}`;
  return { words, isFree: !truncated && stretches.some(({ state }) => isFreeText(state)) };
}

const isNumber = (state: string): boolean => state.trim() !== "" && Number.isFinite(Number(state));

function numbersInWords(numbers: readonly Stretch[], unit: string, truncated: boolean): string {
  const values = numbers.map(({ state }) => Number(state));
  const shown = (value: number) => `${Math.round(value * 100) / 100}${unit === "" ? "" : ` ${unit}`}`;
  const ms = numbers.reduce((sum, each) => sum + each.ms, 0);
  const mean = numbers.reduce((sum, each) => sum + Number(each.state) * each.ms, 0) / ms;
  const extremes = `lowest ${shown(Math.min(...values))}, highest ${shown(Math.max(...values))}`;
  return truncated || ms === 0 ? extremes : `${extremes}, mean ${shown(mean)}`;
}

/** "on 3 h 12 min, off 20 h 48 min": the longest first. */
function timesInWords(stretches: readonly Stretch[]): string {
  const times = new Map<string, number>();
  for (const { state, ms } of stretches) times.set(state, (times.get(state) ?? 0) + ms);
  const longest = [...times].sort(([, a], [, b]) => b - a);
  const told = longest
    .slice(0, MAX_STATES)
    .map(([state, ms]) => `${state.slice(0, LONGEST_STATE)} ${duration(ms)}`);
  const more = longest.length - told.length;
  return [...told, ...(more > 0 ? [`${more} other states`] : [])].join(", ");
}

function duration(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  const [h, min] = [Math.floor(minutes / 60), minutes % 60];
  if (h === 0) return `${min} min`;
  return min === 0 ? `${h} h` : `${h} h ${min} min`;
}
