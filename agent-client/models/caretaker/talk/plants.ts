import { z } from "zod";
import { type HouseTime, houseTimeOf, replaceTimes } from "../../../../runtime/wire/house-time.js";
import { holderInWords } from "../../../../runtime/wire/identity.js";
import { type Overview, overview, type PlantNow } from "../../../../runtime/wire/overview.js";
import {
  type Bucket,
  bucket,
  careEvents,
  historyResult,
  pouredDose,
} from "../../../../runtime/wire/plants.js";
import { askForWater, finest, type WaterReaders } from "../../../../runtime/wire/water-query.js";
import {
  isForWater,
  reasonsAgainst,
  reasonsFor,
  type WaterEvidence,
  type WaterReason,
  whyWater,
} from "../../../../runtime/wire/why-water.js";
import { reasonInWords } from "../../../../runtime/wire/why-words.js";
import type { Arguments } from "../../../cycle/arguments.js";
import type { Steps, WishOf } from "./wish.js";

type HouseNow = Pick<Overview, "timestamp" | "zone" | "approvals" | "plants">;

function* houseNow(): Steps<HouseNow> {
  const { value } = yield { name: "get_overview", arguments: {} };
  return overview.safeParse(value).data ?? { timestamp: "", zone: "UTC", approvals: [], plants: [] };
}

/** The argument that names a plant: with one plant the tools take none. */
export const which = (plant: string, { plants }: HouseNow) => (plants.length > 1 ? { plant } : {});

/** In small letters without accents. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const isPlural = (many: string, one: string): boolean =>
  many === `${one}s` || many === `${one}es` || many === one.replace(/y$/, "ies");

/** The plants that the words name, by id, name or species. */
function namedIn(about: string, { plants }: HouseNow): readonly PlantNow[] {
  const said = wordsOf(about);
  const isSaid = (name: readonly string[]) =>
    name.length > 0 &&
    said.some((_, at) =>
      name.every((each, n) => {
        const word = said[at + n] ?? "";
        return word === each || isPlural(word, each);
      }),
    );
  return plants.filter(({ plant, name, species }) =>
    [plant, name, species ?? ""].some((each) => isSaid(wordsOf(each))),
  );
}

/** What may be asked "how is X" about, and is no plant; and words that stand behind "water" and name nothing. */
const NO_PLANT =
  /^(?:it|they|them|you|he|she|we|us|me|this|that|these|those|there|here|life|thing|anything|something|nothing|everyone|everybody|plants?|pots?|all|everything|every|each|other|others|rest|soil|earth|moisture|water(?:ing)?|budget|light|lights|lamp|lamps|tank|tanks|pump|probe|camera|photo|photos|sensor|house|home|room|rooms|air|weather|temperature|humidity|garden|family|agent|runtime|status|state|one|ones|first|second|last|next|times?|today|tonight|yesterday|now|day|night|noon|morning|evening|week|weekend|month|hour|minute|(?:mon|tues|wednes|thurs|fri|satur|sun)day|reading|level|plan|world|job|work|caretaker|situation|overview|list|lists|task|tasks|again|more|less|much|little|enough|often|early|late|soon|once|twice|so|too|at|on|for|in|by|before|after|since|during|when|if|because|without|only|then|not|going)s?$/;
const AFTER_PLANT =
  "(?:doing|feeling|going|getting on|growing|today|tonight|yesterday|now|right now|at the moment|this (?:morning|week)|lately|again|so far|well|ok|okay|fine|dry|wet|thirsty|healthy|alive|need (?:any |more |some )?(?:water|light|care|anything|something))";
const STATES = "ok|okay|fine|dry|wet|thirsty|healthy|alive";
/** Where a sentence names plants: "how is Rose doing?", "why did you not water my roses today?", "does the rose need water?". */
const IN_PLACE_OF_PLANT = new RegExp(
  `^(?:how(?:\\s+(?:${STATES}))?(?:\\s+is|\\s+are|['’]?s)|(?:is|are)(?=.*\\b(?:${STATES})\\W*$)|(?:does|do)(?=.*\\bneed\\b)|(?:why|when|how|did|have|has)\\b.*\\bwater(?:ed)?)\\s+(?<names>(?:[\\p{L}\\p{N}-]+,?\\s+){0,6}?[\\p{L}\\p{N}-]+)(?:\\s+${AFTER_PLANT})*\\s*[?.!]*$`,
  "iu",
);

/** Letters of a word that tell it from others: "tomato" is "tomatoes". A choice. */
const TELLING = 3;
const isAlike = (one: string, other: string): boolean =>
  one === other ||
  (Math.min(one.length, other.length) >= TELLING && (one.startsWith(other) || other.startsWith(one)));

/** What a question calls plants that are not there. */
function missingIn(about: string, { plants }: HouseNow): readonly string[] {
  const names = IN_PLACE_OF_PLANT.exec(about.trim())?.groups?.names ?? "";
  const asked = names
    .split(/,|\b(?:and|or)\b/i)
    .map((name) => name.trim().replace(/^(?:the|my|our|your)\s+/i, ""))
    .filter((name) => name !== "");
  if (plants.length === 0 || wordsOf(asked.join(" ")).some((word) => NO_PLANT.test(word))) return [];
  const known = plants.flatMap(({ plant, name, species }) => wordsOf(`${plant} ${name} ${species ?? ""}`));
  return asked.filter((name) => !wordsOf(name).some((word) => known.some((each) => isAlike(word, each))));
}

/** What is said of each plant that a question names, or of all; and of those that are not there, that there are none. */
export function* ofEach(about: string, say: (plant: PlantNow, house: HouseNow) => Steps | string): Steps {
  const house = yield* houseNow();
  const missing = missingIn(about, house);
  const named = namedIn(about, house);
  const said: string[] = [];
  for (const plant of named.length > 0 || missing.length > 0 ? named : house.plants) {
    const words = say(plant, house);
    said.push(typeof words === "string" ? words : yield* words);
  }
  if (missing.length > 0)
    said.push(
      `There is no plant called ${missing.map((name) => `"${name}"`).join(" or ")}. There is: ${house.plants.map(({ name }) => name).join(", ")}.`,
    );
  return said.join("\n") || UNREADABLE;
}

const UNREADABLE = "I cannot read how the plants are now. `tendril status` may tell more.";

export const howItIs = ({ about }: WishOf<"status">, time: HouseTime): Steps =>
  ofEach(about, (plant) => statusOf(plant, time));

function statusOf(plant: PlantNow, time: HouseTime): string {
  const { name, moisture, water, light, uncared } = plant;
  const said = [
    moisture
      ? `the soil is at ${moisture.percent.toFixed(1)} % (${time.clock(moisture.timestamp)})`
      : "there is no moisture reading",
    plant.probe_fault && `the probe is faulty: ${plant.probe_fault.message}`,
    water && `${water.used_ml} ml of water in 24 hours`,
    light && `the light is ${light.status}`,
    ...hindrances(plant, time),
    uncared && `nobody has completed a care for ${uncared.hours} hours`,
  ].filter((part) => typeof part === "string");
  return `${name}: ${said.join("; ")}. ${lastCare(plant, time)}`.trim();
}

/** What keeps the runtime from watering. */
const hindrances = ({ hold, faults }: PlantNow, time: HouseTime): readonly string[] => [
  ...(hold ? [`on hold since ${time.minute(hold.since)}: ${hold.reason}`] : []),
  ...faults.map(({ since, reason }) => `locked since ${time.minute(since)}: ${reason}`),
];

function lastCare({ last_status: status }: PlantNow, time: HouseTime): string {
  if (!status) return "There was no care cycle yet.";
  const at = time.minute(status.timestamp);
  if (status.proceed) return `At the last care (${at}) I decided: ${status.reasoning}.`;
  return `At the last care (${at}) the runtime refused my plan: ${status.reason ?? "it gave no reason"}.`;
}

/** A choice: two days. */
const DOSES_OF = 48;

/** The last doses, the oldest first. Those of some seconds are one, at the time of the last of them. */
function* dosesOf(
  which: Arguments,
  end_time: string,
): Steps<readonly { readonly at: string; readonly ml: number }[]> {
  const fine = { ...which, hours: DOSES_OF, end_time, samples_per_hour: finest(DOSES_OF) };
  const last = yield { name: "get_water_history", arguments: { ...fine, aggregation: "last" } };
  const sum = { ...fine, aggregation: "sum", value_field: "ml_dispensed" };
  const { value } = yield { name: "get_water_history", arguments: sum };
  const { items } = READERS.doses(last.value);
  return bucketsIn(value).flatMap(({ bucket_end: end, value: ml }) => {
    const at = items.findLast(({ timestamp }) => Date.parse(timestamp) <= Date.parse(end))?.timestamp;
    return ml ? [{ at: at ?? end, ml }] : [];
  });
}

/** Of a history of sums or means; empty where the runtime does not tell. */
function bucketsIn(answer: unknown): readonly Bucket[] {
  return z.array(bucket).safeParse(historyResult.safeParse(answer).data?.items).data ?? [];
}

/** A choice: the doses of about two days. */
const MAX_DOSES = 6;

const dosesInWords = (
  doses: readonly { readonly at: string; readonly ml: number }[],
  time: HouseTime,
): string =>
  doses.length === 0
    ? "no water in the last 48 hours"
    : `water in the last 48 hours: ${doses
        .slice(-MAX_DOSES)
        .map(({ at, ml }) => `${Math.round(ml)} ml at ${time.minute(at)}`)
        .join(", ")}`;

export const wateringsOf = ({ about }: WishOf<"watering">, time: HouseTime): Steps =>
  ofEach(about, function* ({ plant, name, water }, house) {
    const doses = yield* dosesOf(which(plant, house), house.timestamp);
    const day = water ? `${water.used_ml} ml in 24 hours` : "the last 24 hours are unknown";
    return `${name}: ${day}; ${dosesInWords(doses, time)}.`;
  });

/** The time that a question is about. */
interface Span {
  readonly hours: number;
  readonly end: string;
  /** The end, where that is not now. */
  readonly until?: string;
  readonly words: string;
}

export const HOUR = 3_600_000;

/** From `begin` to `end`, in epoch milliseconds. */
export interface Day {
  readonly begin: number;
  readonly end: number;
  readonly words: string;
}

/** Today so far, or yesterday: days of the person's zone, of 23 to 25 hours. */
export function dayOf(about: string, { timestamp }: HouseNow, time: HouseTime): Day {
  const now = Date.parse(timestamp);
  let [before, begin] = [time.endOfDay(now - 72 * HOUR), time.endOfDay(now - 48 * HOUR)];
  while (time.endOfDay(begin) <= now) [before, begin] = [begin, time.endOfDay(begin)];
  return /\byesterday\b/i.test(about)
    ? { begin: before, end: begin, words: `yesterday (${time.day(before)})` }
    : { begin, end: now, words: "today" };
}

/** Yesterday is a day of the plant's zone, of 23 to 25 hours. Any other question is about the last 24 hours, as on the page. */
function spanOf(about: string, house: HouseNow): Span {
  if (!/\byesterday\b/i.test(about) || house.timestamp === "")
    return { hours: 24, end: house.timestamp, words: "in the last 24 hours" };
  const { begin, end, words } = dayOf(about, house, houseTimeOf(house.zone));
  const until = new Date(end).toISOString();
  return { hours: Math.round((end - begin) / HOUR), end: until, until, words };
}

/** From the record: what was poured and why, or what stands in the way and what was decided. */
export const why = ({ about }: WishOf<"why">, time: HouseTime): Steps =>
  ofEach(about, function* (plant, house) {
    const asked = { plant, house, span: spanOf(about, house) };
    if (isAboutDoses(about)) return yield* whyWatered(asked, time);
    const all = whyWater(yield* evidenceOf(asked));
    const reasons = IS_WHY_NOT.test(about) ? reasonsAgainst(all) : all;
    return inLines(
      `${plant.name}, ${asked.span.words}:`,
      reasonsInWords(reasons, told(time, house.timestamp)),
    );
  });

/** One beside its head; several below it, each in its line. */
const inLines = (head: string, [first = "", ...more]: readonly string[]): string =>
  more.length === 0 ? `${head} ${first}` : [head, ...[first, ...more].map((each) => `- ${each}`)].join("\n");

const reasonsInWords = (reasons: readonly WaterReason[], when: Told): readonly string[] =>
  reasons.map((reason) => replaceTimes(reasonInWords(byWhom(reason), when), when));

interface AskedAbout {
  readonly plant: PlantNow;
  readonly house: HouseNow;
  readonly span: Span;
}

/** The doses and their reasons; the last 7 days if there was none today; what stood in the way if there was none then either. */
function* whyWatered(asked: AskedAbout, time: HouseTime): Steps {
  let { span } = asked;
  let evidence = yield* evidenceOf(asked);
  if (span.until === undefined && !whyWater(evidence).some(isForWater)) {
    span = { ...span, hours: LONG_AGO, words: "in the last 7 days" };
    evidence = yield* evidenceOf({ ...asked, span });
  }
  const when = told(time, asked.house.timestamp);
  const all = whyWater(evidence);
  const words = [
    ...(all.some(isForWater) ? [] : ["It got no water."]),
    ...reasonsInWords(reasonsFor(all), when),
  ];
  return inLines(`${asked.plant.name}, ${span.words}:`, words);
}

/** Hours. A choice: the time in which a plant that is cared for is watered. */
const LONG_AGO = 168;

/** A question about water that was given. */
const IS_WHY_WATER =
  /\b(?:did|do|does|was|were|have|has|had|made)\b.*\b(?:water(?:ed|ing|ings)?|doses?|pour(?:ed|ing)?)\b/i;
const isAboutDoses = (about: string): boolean => !IS_WHY_NOT.test(about) && IS_WHY_WATER.test(about);
const IS_WHY_NOT = /\b(?:not?|never)\b|n['’]?t\b/i;

/** In place of a token's name, what a person calls who has it. */
function byWhom(reason: WaterReason): WaterReason {
  return "by" in reason ? { ...reason, by: holderInWords(reason.by) } : reason;
}

function* evidenceOf({ plant, house, span }: AskedAbout): Steps<WaterEvidence> {
  const { hours, end, until } = span;
  const asking = askForWater({ hours, end, which: which(plant.plant, house) }, READERS);
  let step = asking.next();
  while (!step.done) step = asking.next((yield step.value).value);
  return {
    plant,
    ...step.value,
    until,
    waiting: house.approvals.filter((each) => each.plant === plant.plant),
  };
}

/** What is refused counts as nothing: its family may be off. */
const READERS: WaterReaders = {
  doses: (answer) => {
    const { items, coverage } = historyResult.safeParse(answer).data ?? {};
    return { items: z.array(pouredDose).safeParse(items).data ?? [], records: coverage?.records ?? 0 };
  },
  sums: bucketsIn,
  record: (answer) => careEvents.safeParse(answer).data?.events ?? [],
};

export function* lightOff(): Steps {
  const house = yield* houseNow();
  const said: string[] = [];
  for (const { plant, name } of house.plants) {
    const { error } = yield { name: "turn_off_light", arguments: which(plant, house) };
    said.push(
      error ? `${name}: the light could not be switched off: ${error.message}` : `${name}: the light is off.`,
    );
  }
  return said.join("\n") || UNREADABLE;
}

/** A time of the record, as people write it. */
export type Told = (iso: string) => string;

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** "10:00" of today, "10:00 yesterday", "10:00 on 1 June". `now`: ISO 8601; empty where it is not known. */
export function told(time: HouseTime, now: string): Told {
  const [yesterday, today] = now === "" ? [] : time.lastDays(2, now);
  return (iso) => {
    const day = time.day(iso);
    if (day === today) return time.clock(iso);
    const [, month = 1, date] = day.split("-").map(Number);
    return `${time.clock(iso)} ${day === yesterday ? "yesterday" : `on ${date} ${MONTHS[month - 1]}`}`;
  };
}
