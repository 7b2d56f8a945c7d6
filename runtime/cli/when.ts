import { createInterface } from "node:readline";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type ErrorBody, errorBody, excerpt, invalidArgument, TendrilError } from "../errors.js";
import type { Places } from "../places.js";
import { type TimeContext, type UnderstoodTime, understandTime } from "../time-words/understand.js";
import { WallZone } from "../time-words/wall-time.js";
import { parseIso } from "../tools/iso-time.js";
import { HouseTime } from "../wire/house-time.js";
import { wrongUse } from "./failure.js";
import { print, printAsIs } from "./print.js";
import { houseTimeFor } from "./state.js";

interface WhenOptions extends Places {
  readonly now?: string;
  readonly zone?: string;
  readonly json?: boolean;
  readonly lines?: boolean;
}

/** `tendril when PHRASE…`: the time that the words mean, and the next three instants. Throws for words it does not know. */
export async function when(words: readonly string[], options: WhenOptions): Promise<void> {
  const phrase = words.join(" ").trim();
  if (options.lines && phrase === "") return answerLines(options);
  if (options.lines) throw wrongUse("--lines reads its phrases from standard input, leave PHRASE out");
  if (phrase === "") throw wrongUse('what time? As in: tendril when "tomorrow at 8am"');
  const answer = understandTime(phrase, await contextFor(options, options));
  if (options.json) return printJson(answer);
  if (answer instanceof TendrilError) throw answer;
  print(asText(answer));
}

function printJson(answer: UnderstoodTime | TendrilError): void {
  if (answer instanceof TendrilError) process.exitCode = 1;
  printAsIs(JSON.stringify(asJson(answer), undefined, 2));
}

const asJson = (answer: UnderstoodTime | TendrilError): UnderstoodTime | { error: ErrorBody } =>
  answer instanceof TendrilError ? { error: errorBody(answer) } : answer;

/** The meaning, the assumptions, and the instants in the zone's time. */
function asText({ words, notes, next, zone }: UnderstoodTime): string {
  const here = new WallZone(zone);
  const instants = next.map((at) => `  ${localText(at, here)}  ${at}`);
  return [words, ...notes.map((note) => `  (${note})`), ...instants].join("\n");
}

/** "2026-11-26 09:00" */
const localText = (at: string, zone: WallZone): string =>
  new HouseTime().minute(zone.wallOf(Date.parse(at) / 1000) * 1000);

/** Now and the zone: as given, else by this computer's clock and the configuration. */
async function contextFor(given: { now?: unknown; zone?: unknown }, places: Places): Promise<TimeContext> {
  return {
    now: given.now === undefined ? new SystemClock().now() : instantIn(given.now),
    zone: given.zone === undefined ? (await houseTimeFor(places)).zone : zoneIn(given.zone),
  };
}

function instantIn(now: unknown): number {
  const at = typeof now === "string" ? parseIso(now) : undefined;
  if (at === undefined) throw wrong("now", now, "must be a time in ISO 8601, such as 2026-11-23T08:00:00Z");
  return at;
}

function zoneIn(zone: unknown): string {
  try {
    return new WallZone(String(zone)).name;
  } catch {
    throw wrong("zone", zone, "must be a time zone such as America/Recife, or an offset such as -02:00");
  }
}

const wrong = (name: string, value: unknown, problem: string) =>
  invalidArgument(`${name} ${excerpt(JSON.stringify(value) ?? "")} ${problem}`);

/** Reads one JSON object per line: {text, now?, zone?}; writes one answer per line, also for mistakes. */
async function answerLines(options: WhenOptions): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== "") printAsIs(JSON.stringify(asJson(await answerTo(line, options))));
  }
}

async function answerTo(line: string, options: WhenOptions): Promise<UnderstoodTime | TendrilError> {
  try {
    const { text, now = options.now, zone = options.zone } = objectIn(line);
    if (typeof text !== "string") throw wrong("text", text, "must be the words of a time");
    return understandTime(text, await contextFor({ now, zone }, options));
  } catch (error) {
    if (error instanceof TendrilError) return error;
    throw error;
  }
}

function objectIn(line: string): { text?: unknown; now?: unknown; zone?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // reported below
  }
  throw invalidArgument(`the line ${excerpt(line)} is not a JSON object with text, now and zone`);
}
