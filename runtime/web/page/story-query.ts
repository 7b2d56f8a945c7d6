import type { Cost, CostList } from "../../wire/models.js";
import type { Bucket, CareEvent, CareEvents, History, LightStretch, PouredDose } from "../../wire/plants.js";
import type { FoundMemories, Thought, ThoughtList } from "../../wire/records.js";
import { askForWater, finest, totalOf, type WaterReaders } from "../../wire/water-query.js";
import type { WaterEvidence } from "../../wire/why-water.js";
import { at } from "./figures.js";
import { type House, ofPlant } from "./house.js";
import { unlessOff } from "./link.js";
import { photosUntil } from "./photo-data.js";
import {
  type Action,
  around,
  isShort,
  type Note,
  type PhotoSeen,
  type Row,
  rowsOf,
  samplesFor,
  thoughtBefore,
} from "./story-data.js";

/** What marks a diary entry as a note on a plant's story. */
const MARK = "plant:";
export const tagOf = (plant: string): string => MARK + plant;
export const isOfPlant = (tag: string): boolean => tag.startsWith(MARK);
/** A choice: more than anybody writes in a week. The tool gives no more at once. */
const MAX = 50;
/** A stretch of a plant's life, as the story shows it. */
export interface StoryData {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly Row[];
  /** When the first reading was, where the time begins before it. */
  readonly since: number | undefined;
  /** One by one, over a week at most. */
  readonly doses: readonly PouredDose[];
  /** When water was poured, as singly as it is known. */
  readonly poured: readonly number[];
  /** Doses that share a bucket with another one. */
  readonly hidden: number;
  /** Of all doses, where some are hidden. */
  readonly total?: WaterEvidence["total"];
  readonly light: readonly LightStretch[];
  readonly record: readonly CareEvent[];
  readonly notes: readonly Note[];
  readonly photos: readonly PhotoSeen[];
}

/** Buckets an hour that the runtime has of every time, however long ago. */
const COARSEST = 0.042;

/** `end`: ISO 8601 by the runtime's clock. `room`: whose air is shown; plants name none. All figures are of the same buckets, as fine as the runtime still has them. */
export async function queryStory(
  house: House,
  plant: string,
  hours: number,
  end: string,
  room: string | undefined,
): Promise<StoryData> {
  const wanted = samplesFor(hours);
  if (wanted <= COARSEST) return storyIn(house, plant, { hours, end, room, samples: wanted });
  const finer = [wanted, 2].filter((samples) => samples > COARSEST);
  for (const samples of finer) {
    const found = await storyIn(house, plant, { hours, end, room, samples }).catch(unlessThinned);
    if (found) return found;
  }
  return storyIn(house, plant, { hours, end, room, samples: COARSEST });
}

function unlessThinned(error: unknown): undefined {
  if ((error as { code?: string }).code !== "HISTORY_THINNED") throw error;
}

async function storyIn(
  house: House,
  plant: string,
  {
    hours,
    end,
    room,
    samples,
  }: {
    readonly hours: number;
    readonly end: string;
    readonly room: string | undefined;
    readonly samples: number;
  },
): Promise<StoryData> {
  const isSingle = isShort(hours);
  const which = { ...ofPlant(house, plant), hours, end_time: end };
  const buckets = { ...which, samples_per_hour: samples, include_empty: true };
  const single = { ...which, samples_per_hour: finest(hours), aggregation: "first" };
  const none = { items: [], coverage: { from: end, to: end, records: 0 } };
  const [moisture, water, air, doses, light, photos] = await Promise.all([
    house.call<History<Bucket>>("get_moisture_history", {
      ...buckets,
      aggregation: "mean",
      value_field: "percent",
    }),
    house.call<History<Bucket>>("get_water_history", {
      ...buckets,
      aggregation: "sum",
      value_field: "ml_dispensed",
    }),
    room !== undefined
      ? house.call<History<Bucket>>("get_climate_history", {
          ...{ place: room, hours, end_time: end, samples_per_hour: samples, include_empty: true },
          ...{ aggregation: "mean", value_field: "temperature_c" },
        })
      : none,
    house.call<History<PouredDose>>("get_water_history", single).catch(unlessThinned),
    isSingle ? house.call<History<LightStretch>>("get_light_history", single) : none,
    isSingle ? photosUntil(house, plant, { hours, end_time: end, samples_per_hour: PHOTOS / hours }) : [],
  ]);
  const { from, to } = moisture.coverage;
  const found = doses ?? none;
  const hidden = isSingle ? found.coverage.records - found.items.length : 0;
  return {
    from: at(from),
    to: at(to),
    rows: rowsOf(moisture.items, water.items, air.items),
    since: await firstReading(house, plant, moisture.items),
    doses: isSingle ? found.items : [],
    poured: found.items.map(({ timestamp }) => at(timestamp)),
    hidden,
    ...(hidden > 0 && { total: totalOf(water.items) }),
    light: light.items,
    record: isSingle ? await queryRecord(house, plant, from, to) : [],
    notes: isSingle ? await queryNotes(house, plant, from, to) : [],
    photos,
  };
}

/** A bucket begins before its first reading; that one's own time is asked for, and may be thinned. */
async function firstReading(
  house: House,
  plant: string,
  buckets: readonly Bucket[],
): Promise<number | undefined> {
  const first = buckets.find(({ count }) => count > 0);
  if (!first || first === buckets[0]) return undefined;
  const hours = Math.ceil((at(first.bucket_end) - at(first.bucket_start)) / 3_600_000);
  const which = { ...ofPlant(house, plant), hours, end_time: first.bucket_end };
  const found = await house
    .call<History<Timed>>("get_moisture_history", {
      ...which,
      samples_per_hour: finest(hours),
      aggregation: "first",
    })
    .catch(unlessThinned);
  const from = at(first.bucket_start);
  return found?.items.map(({ timestamp }) => at(timestamp)).find((time) => time >= from) ?? from;
}

type Timed = { readonly timestamp: string };

/** Marks of photos on the chart. A choice: one each few pixels. */
const PHOTOS = 96;

/** The doses and the record of some hours up to `end`, to say why there was water or none. */
export async function queryWater(
  house: House,
  plant: string,
  hours: number,
  end: string,
): Promise<Pick<WaterEvidence, "doses" | "total" | "record">> {
  const asking = askForWater({ hours, end, which: ofPlant(house, plant) }, READERS);
  let step = asking.next();
  while (!step.done) step = asking.next(await house.call(step.value.name, step.value.arguments));
  return step.value;
}

/** The page is of the runtime's own version. */
const READERS: WaterReaders = {
  doses: (answer) => {
    const { items, coverage } = answer as History<PouredDose>;
    return { items, records: coverage.records };
  },
  sums: (answer) => (answer as History<Bucket>).items,
  record: (answer) => (answer as CareEvents).events,
};

async function queryRecord(house: House, plant: string, from: string, to: string): Promise<CareEvent[]> {
  const range = { ...ofPlant(house, plant), start_time: from, end_time: to };
  return (await house.call<CareEvents>("get_care_record", range)).events;
}

/** What the agent thought and called around a moment, and what it cost. Thoughts, actions and costs are of all plants. */
interface Reasons {
  readonly thought: Thought | undefined;
  readonly actions: readonly Action[];
  readonly costs: readonly Cost[];
}

/** The finest buckets there are, so that no call is left out. */
const FINEST = { hours: 1, samples_per_hour: 3600, aggregation: "first" };

export async function queryReasons(house: House, plant: string, time: number): Promise<Reasons> {
  const { from, to } = around(time);
  const iso = (ms: number) => new Date(ms).toISOString();
  const range = { start_time: iso(from), end_time: iso(to) };
  const [{ thoughts }, { costs }, { items }] = await Promise.all([
    house.call<ThoughtList>("get_thoughts_in_range", range),
    house.call<CostList>("get_costs", range),
    house.call<History<Action>>("get_action_history_bucketed", { ...FINEST, end_time: iso(to) }),
  ]);
  const names = namesOf(house, plant);
  const isOurs = ({ details }: Action) => details.plant === undefined || names.includes(details.plant);
  const actions = items.filter((action) => at(action.timestamp) >= from && isOurs(action));
  return { thought: thoughtBefore(time + 60_000, thoughts), actions, costs };
}

/** Agents name a plant by its id or its name. */
function namesOf(house: House, plant: string): string[] {
  const found = house.now.overview?.plants.find((each) => each.plant === plant);
  return [plant, found?.name ?? plant];
}

/** Notes from `from` to `to`, ISO 8601. None where memories are off, or for who may not read them. */
async function queryNotes(house: House, plant: string, from: string, to: string): Promise<Note[]> {
  if (!house.isHuman) return [];
  const asked = { section: "DIARY", tags: [tagOf(plant)], from, to, limit: MAX };
  const found = await house.call<FoundMemories>("search_memories", asked).catch(unlessOff);
  return found?.items ?? [];
}
