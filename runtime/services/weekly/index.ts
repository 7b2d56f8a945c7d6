import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { HouseTime } from "../../wire/house-time.js";
import type { Cost } from "../../wire/models.js";
import type { NewsData } from "../../wire/notifications.js";
import { APPROVAL_LOG } from "../approvals/declarations.js";
import { COST_LOG } from "../costs/index.js";
import { LIGHT_LOG, type LightRecord } from "../light/ledger.js";
import { defineModule, type House } from "../module.js";
import { moisture } from "../moisture/service.js";
import { outbox } from "../outbox/outbox.js";
import { DOSE_LOG, type DoseRecord } from "../water/declarations.js";
import { type DoseRefusal, REFUSAL_LOG, wasRefused } from "../water/refusals.js";

/** In the order of Date.getUTCDay. */
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

const weeklyConfig = {
  weekly_letter: z
    .strictObject({
      day: z
        .preprocess((day) => (typeof day === "string" ? day.toLowerCase() : day), z.enum(DAYS))
        .default("sunday")
        .describe("when it is told"),
      hour: z.int().min(0).max(23).default(18).describe("of the house's clock"),
    })
    .nullable()
    .default(null)
    .describe("once a week: what each plant got, and what people were asked (docs/mail.md)"),
};

const DAY = hours(24);
const WEEK_DAYS = 7;
/** A choice: a letter about a week is of no use much later. */
const FRESH_FOR = hours(72);

/** Tells of the week, once, on its day from its hour on: also where the runtime was off at that hour. */
async function tellOfWeek(house: House): Promise<void> {
  const wanted = house.config(weeklyConfig).weekly_letter;
  const time = new HouseTime(house.core.zone);
  const now = house.clock.now();
  const today = time.day(now);
  const isDay = wanted !== null && DAYS[new Date(`${today}T00:00:00Z`).getUTCDay()] === wanted.day;
  if (!isDay || Number(time.clock(now).slice(0, 2)) < wanted.hour) return;
  const data = await weekOf(house, time, now);
  await house.get(outbox).tell({ kind: "weekly", severity: "info", key: today, freshFor: FRESH_FOR, data });
}

/** The last seven days, today included, as the house's calendar has them. */
async function weekOf(house: House, time: HouseTime, now: number): Promise<NewsData<"weekly">> {
  const days = time.lastDays(WEEK_DAYS, now);
  const week: Week = {
    ...{ house, time, now, days },
    of: async (log) => {
      // a day at a time, since one answer of a log is bounded; a day more, since one of them may have 25 hours
      const found = [];
      for (let from = now - (WEEK_DAYS + 1) * DAY; from < now; from += DAY)
        found.push(...(await log.range(from + 1, from + DAY)));
      return found.filter(({ timestamp }) => days.includes(time.day(timestamp)));
    },
  };
  const requests = await week.of(house.journal(APPROVAL_LOG));
  const gotYes = requests.filter(
    ({ answered_by, state }) => answered_by !== null && state !== "denied",
  ).length;
  return {
    from: days[0] ?? "",
    to: days.at(-1) ?? "",
    plants: await plantsOf(week),
    refused: counted((await week.of(house.journal(REFUSAL_LOG))).filter(wasRefused)),
    asked: { yes: gotYes, no: requests.length - gotYes },
    costs: summed(await week.of(house.journal(COST_LOG))),
  };
}

interface Week {
  readonly house: House;
  readonly time: HouseTime;
  readonly now: number;
  /** As the house's calendar names them, the oldest first. */
  readonly days: readonly string[];
  /** The records of the week. */
  of<R extends { readonly timestamp: string }>(log: {
    range(from: number, to: number): Promise<readonly R[]>;
  }): Promise<readonly R[]>;
}

async function plantsOf(week: Week): Promise<NewsData<"weekly">["plants"]> {
  const { house, time, days } = week;
  const doses = (await week.of(house.journal(DOSE_LOG))).filter(isPoured);
  const lights = await week.of(house.journal(LIGHT_LOG));
  return Promise.all(
    house.plants.ids.map(async (plant) => {
      const own = doses.filter((dose) => dose.plant === plant);
      const percent = house.get(moisture).last(plant)?.percent;
      const soil = await moistureByDay(week, plant);
      return {
        plant,
        doses: own.length,
        moisture_percent: percent === undefined ? null : Number(percent),
        light_minutes: Math.round(minutesOn(lights.filter((each) => each.plant === plant))),
        days: days.map((day) => {
          const ml = sum(own.filter((dose) => time.day(dose.timestamp) === day));
          const mean = soil.get(day);
          return { day, ml, ...(mean !== undefined && { moisture_percent: mean }) };
        }),
      };
    }),
  );
}

/** Means of half-hours, by day: the roll-ups know no zone. */
async function moistureByDay(
  { house, time, now }: Week,
  plant: string,
): Promise<ReadonlyMap<string, number>> {
  const { items } = await house.store.readings.history({
    ...{ plant, hours: WEEK_DAYS * 24, samplesPerHour: 2, aggregation: "mean", valueField: "percent" },
    ...{ endMs: now, includeEmpty: false },
  });
  const byDay = new Map<string, number[]>();
  for (const { bucket_start, value } of items) {
    if (typeof value !== "number" || typeof bucket_start !== "string") continue;
    const day = time.day(bucket_start);
    byDay.set(day, [...(byDay.get(day) ?? []), value]);
  }
  const mean = (values: readonly number[]) => values.reduce((all, each) => all + each, 0) / values.length;
  return new Map([...byDay].map(([day, values]) => [day, Math.round(mean(values) * 10) / 10]));
}

const minutesOn = (lights: readonly LightRecord[]): number =>
  lights.reduce((minutes, each) => minutes + each.minutes, 0);

/** The most frequent first. */
function counted(refusals: readonly DoseRefusal[]): NonNullable<NewsData<"weekly">["refused"]> {
  const codes = [...new Set(refusals.map(({ code }) => code))];
  return codes
    .map((code) => ({ code, doses: refusals.filter((each) => each.code === code).length }))
    .sort((a, b) => b.doses - a.doses || (a.code < b.code ? -1 : 1));
}

/** By model; money is told where each report had a price. */
function summed(reports: readonly Cost[]): NonNullable<NewsData<"weekly">["costs"]> {
  return [...new Set(reports.map(({ model }) => model))].sort().map((model) => {
    const own = reports.filter((each) => each.model === model);
    const total = (of: (cost: Cost) => number) => own.reduce((all, each) => all + of(each), 0);
    const isPriced = own.every(({ money }) => money !== null);
    return {
      ...{ model, calls: total(({ calls }) => calls), tokens: total(({ tokens }) => tokens) },
      money: isPriced ? total(({ money }) => money ?? 0) : null,
    };
  });
}

/** What a lost ledger charges is no water. */
const isPoured = ({ outcome, ml_dispensed }: DoseRecord): boolean =>
  outcome !== "ledger_lost" && ml_dispensed > 0;

const sum = (doses: readonly { readonly ml_dispensed: number }[]): number =>
  Math.round(doses.reduce((ml, { ml_dispensed }) => ml + ml_dispensed, 0) * 10) / 10;

/** A letter about the week. It is on if the configuration has `weekly_letter:`. */
export const weeklyModule = defineModule({
  name: "weekly",
  canBeOff: true,
  config: weeklyConfig,
  isNeeded: ({ weekly_letter }) => weekly_letter !== null,
  toolset: "weekly",
  parts: [],
  tools: [],
  everyHour: tellOfWeek,
});
