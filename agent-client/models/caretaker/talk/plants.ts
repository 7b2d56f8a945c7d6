import { z } from "zod";
import { type HouseTime, houseTimeOf } from "../../../../runtime/wire/house-time.js";
import { type Overview, overview, type PlantNow } from "../../../../runtime/wire/overview.js";
import { bucket, careEvents, historyResult, pouredDose } from "../../../../runtime/wire/plants.js";
import { askForWater, type WaterReaders } from "../../../../runtime/wire/water-query.js";
import { reasonsAgainst, type WaterReason, whyWater } from "../../../../runtime/wire/why-water.js";
import { reasonInWords } from "../../../../runtime/wire/why-words.js";
import type { Arguments } from "../../../cycle/arguments.js";
import type { Steps, TalkContext, Wish } from "./wish.js";

type Of<K extends Wish["kind"]> = Extract<Wish, { kind: K }>;

type HouseNow = Pick<Overview, "timestamp" | "zone" | "approvals" | "plants">;

function* houseNow(): Steps<HouseNow> {
  const { value } = yield { name: "get_overview", arguments: {} };
  return overview.safeParse(value).data ?? { timestamp: "", zone: "UTC", approvals: [], plants: [] };
}

/** The argument that names a plant: with one plant the tools take none. */
const which = (plant: string, { plants }: HouseNow) => (plants.length > 1 ? { plant } : {});

/** The plants that the words name; all if they name none. */
function plantsNamed(about: string, { plants }: HouseNow): readonly PlantNow[] {
  const words = ` ${about.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
  const isNamed = ({ plant, name, species }: PlantNow) =>
    [plant, name, species].some(
      (each) => each !== null && each !== "" && words.includes(` ${each.toLowerCase()} `),
    );
  const named = plants.filter(isNamed);
  return named.length > 0 ? named : plants;
}

const UNREADABLE = "I cannot read how the plants are now. `tendril status` may tell more.";

export function* howItIs({ about }: Of<"status">, { time }: TalkContext): Steps {
  const plants = plantsNamed(about, yield* houseNow());
  return plants.map((plant) => statusOf(plant, time)).join("\n") || UNREADABLE;
}

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
  ...faults.map(({ code, since, reason }) => `${code} since ${time.minute(since)}: ${reason}`),
];

function lastCare({ last_status: status }: PlantNow, time: HouseTime): string {
  if (!status) return "There was no care cycle yet.";
  const at = time.minute(status.timestamp);
  if (status.proceed) return `At the last care (${at}) I decided: ${status.reasoning}.`;
  return `At the last care (${at}) the runtime refused my plan: ${status.reason ?? "it gave no reason"}.`;
}

const dose = z.object({ bucket_end: z.string(), value: z.number().nullable() });

/** Doses of the last two days, in the record's buckets of ten minutes; the oldest first. */
function* dosesOf(which: Arguments): Steps<readonly { readonly at: string; readonly ml: number }[]> {
  const page = { hours: 48, samples_per_hour: 6, aggregation: "sum", value_field: "ml_dispensed" };
  const { value } = yield { name: "get_water_history", arguments: { ...page, ...which } };
  const items = historyResult.safeParse(value).data?.items ?? [];
  return items.flatMap((each) => {
    const read = dose.safeParse(each).data;
    return read?.value ? [{ at: read.bucket_end, ml: read.value }] : [];
  });
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
        .map(({ at, ml }) => `${Math.round(ml)} ml before ${time.minute(at)}`)
        .join(", ")}`;

export function* wateringsOf({ about }: Of<"watering">, { time }: TalkContext): Steps {
  const house = yield* houseNow();
  const said: string[] = [];
  for (const { plant, name, water } of plantsNamed(about, house)) {
    const doses = yield* dosesOf(which(plant, house));
    const day = water ? `${water.used_ml} ml in 24 hours` : "the last 24 hours are unknown";
    said.push(`${name}: ${day}; ${dosesInWords(doses, time)}.`);
  }
  return said.join("\n") || UNREADABLE;
}

/** The time that a question is about. */
interface Span {
  readonly hours: number;
  readonly end: string;
  /** The end, where that is not now. */
  readonly until?: string;
  readonly words: string;
}

const HOUR = 3_600_000;

/** Yesterday is a day of the plant's zone, of 23 to 25 hours. Any other question is about the last 24 hours, as on the page. */
function spanOf(about: string, { timestamp, zone }: HouseNow): Span {
  if (!/\byesterday\b/i.test(about) || timestamp === "")
    return { hours: 24, end: timestamp, words: "in the last 24 hours" };
  const time = houseTimeOf(zone);
  const today = time.day(timestamp);
  let begin = time.endOfDay(Date.parse(timestamp) - 72 * HOUR);
  let end = time.endOfDay(begin);
  while (time.day(end) !== today) [begin, end] = [end, time.endOfDay(end)];
  const until = new Date(end).toISOString();
  const words = `yesterday (${time.day(begin)})`;
  return { hours: Math.round((end - begin) / HOUR), end: until, until, words };
}

/** From the record: what was poured and why, what stands in the way, and what was decided. */
export function* why({ about }: Of<"why">, { time }: TalkContext): Steps {
  const house = yield* houseNow();
  const span = spanOf(about, house);
  const said: string[] = [];
  for (const plant of plantsNamed(about, house)) {
    const all = yield* reasonsFor(plant, house, span);
    const asked = IS_WHY_NOT.test(about) ? reasonsAgainst(all) : all;
    const words = asked.map((reason) => reasonInWords(byWhom(reason), (iso) => time.minute(iso)));
    said.push(`${plant.name}, ${span.words}: ${words.join(" ")}`);
  }
  return said.join("\n") || UNREADABLE;
}

const IS_WHY_NOT = /\b(?:not?|never)\b|n['’]?t\b/i;

/** In place of a token's name, what a person calls who has it. */
function byWhom(reason: WaterReason): WaterReason {
  if (!("by" in reason)) return reason;
  const [role = "", name] = reason.by.split(".");
  if (role === "agent") return { ...reason, by: name === undefined ? "the agent" : `the agent ${name}` };
  if (role === "human") return { ...reason, by: name ?? "a person" };
  return reason;
}

function* reasonsFor(plant: PlantNow, house: HouseNow, span: Span): Steps<readonly WaterReason[]> {
  const { hours, end, until } = span;
  const asking = askForWater({ hours, end, which: which(plant.plant, house) }, READERS);
  let step = asking.next();
  while (!step.done) step = asking.next((yield step.value).value);
  return whyWater({
    plant,
    ...step.value,
    until,
    waiting: house.approvals.filter((each) => each.plant === plant.plant),
  });
}

/** What cannot be read counts as nothing: the runtime may be another version. */
const READERS: WaterReaders = {
  doses: (answer) => {
    const { items, coverage } = historyResult.safeParse(answer).data ?? {};
    return { items: z.array(pouredDose).safeParse(items).data ?? [], records: coverage?.records ?? 0 };
  },
  sums: (answer) => z.array(bucket).safeParse(historyResult.safeParse(answer).data?.items).data ?? [],
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
