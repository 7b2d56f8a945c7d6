import { z } from "zod";
import type { HouseTime } from "../../../../runtime/wire/house-time.js";
import { overview, type PlantNow } from "../../../../runtime/wire/overview.js";
import { historyResult } from "../../../../runtime/wire/plants.js";
import type { Steps, TalkContext } from "./steps.js";
import type { Wish } from "./wish.js";

type Of<K extends Wish["kind"]> = Extract<Wish, { kind: K }>;

/** The plants that the words name; all if they name none. */
function* plantsIn(about: string): Steps<readonly PlantNow[]> {
  const { value } = yield { name: "get_overview", arguments: {} };
  const plants = overview.safeParse(value).data?.plants ?? [];
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
  const plants = yield* plantsIn(about);
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
function* dosesOf(
  plant: string,
  several: boolean,
): Steps<readonly { readonly at: string; readonly ml: number }[]> {
  const page = { hours: 48, samples_per_hour: 6, aggregation: "sum", value_field: "ml_dispensed" };
  const { value } = yield { name: "get_water_history", arguments: { ...page, ...(several && { plant }) } };
  const items = historyResult.safeParse(value).data?.items ?? [];
  return items.flatMap((each) => {
    const read = dose.safeParse(each).data;
    return read?.value ? [{ at: read.bucket_end, ml: read.value }] : [];
  });
}

/** A choice: the doses of about two days. */
const MOST_DOSES = 6;

const dosesInWords = (
  doses: readonly { readonly at: string; readonly ml: number }[],
  time: HouseTime,
): string =>
  doses.length === 0
    ? "no water in the last 48 hours"
    : `water in the last 48 hours: ${doses
        .slice(-MOST_DOSES)
        .map(({ at, ml }) => `${Math.round(ml)} ml before ${time.minute(at)}`)
        .join(", ")}`;

export function* wateringsOf({ about }: Of<"watering">, { time }: TalkContext): Steps {
  const plants = yield* plantsIn(about);
  const said: string[] = [];
  for (const { plant, name, water } of plants) {
    const doses = yield* dosesOf(plant, plants.length > 1);
    const day = water ? `${water.used_ml} ml in 24 hours` : "the last 24 hours are unknown";
    said.push(`${name}: ${day}; ${dosesInWords(doses, time)}.`);
  }
  return said.join("\n") || UNREADABLE;
}

/** From the record: what was decided last and why, what was poured, and what stands in the way. */
export function* why({ about }: Of<"why">, { time }: TalkContext): Steps {
  const plants = yield* plantsIn(about);
  const said: string[] = [];
  for (const plant of plants) {
    const doses = yield* dosesOf(plant.plant, plants.length > 1);
    const stops = hindrances(plant, time);
    const parts = [
      lastCare(plant, time),
      `${plant.moisture ? `Now the soil is at ${plant.moisture.percent.toFixed(1)} %` : "Now there is no moisture reading"}; ${dosesInWords(doses, time)}.`,
      ...(plant.probe_fault ? [`The probe is faulty: ${plant.probe_fault.message}.`] : []),
      ...(stops.length > 0 ? [`In the way: ${stops.join("; ")}.`] : []),
      ...earlier(plant),
    ];
    said.push(`${plant.name}: ${parts.join(" ")}`);
  }
  return said.join("\n") || UNREADABLE;
}

const earlier = ({ water }: PlantNow): readonly string[] => {
  const limit = water?.not_above;
  return limit ? [`Above ${limit.percent} % no water flows.`] : [];
};

export function* lightOff(): Steps {
  const plants = yield* plantsIn("");
  const said: string[] = [];
  for (const { plant, name } of plants) {
    const which = plants.length > 1 ? { plant } : {};
    const { error } = yield { name: "turn_off_light", arguments: which };
    said.push(
      error ? `${name}: the light could not be switched off: ${error.message}` : `${name}: the light is off.`,
    );
  }
  return said.join("\n") || UNREADABLE;
}
