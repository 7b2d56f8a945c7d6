import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { HouseTime } from "../../wire/house-time.js";
import type { NewsData } from "../../wire/notifications.js";
import { APPROVAL_LOG } from "../approvals/declarations.js";
import type { House } from "../module.js";
import { moisture } from "../moisture/service.js";
import { outbox } from "../outbox/outbox.js";
import { DOSE_LOG, type DoseRecord } from "../water/declarations.js";

/** In the order of Date.getUTCDay. */
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

export const weeklyConfig = {
  weekly_letter: z
    .strictObject({
      day: z.enum(DAYS).default("sunday").describe("when it is told"),
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
export async function tellOfWeek(house: House): Promise<void> {
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
  const isOfWeek = ({ timestamp }: { readonly timestamp: string }) => days.includes(time.day(timestamp));
  const since = now - (WEEK_DAYS + 1) * DAY; // a day more: one of them may have 25 hours
  const doses = (await house.journal(DOSE_LOG).range(since, now)).filter(isOfWeek);
  const requests = (await house.journal(APPROVAL_LOG).range(since, now)).filter(isOfWeek);
  const gotYes = requests.filter(
    ({ answered_by, state }) => answered_by !== null && state !== "denied",
  ).length;
  return {
    from: days[0] ?? "",
    to: days.at(-1) ?? "",
    plants: house.plants.ids.map((plant) => {
      const own = doses.filter((dose) => dose.plant === plant && isPoured(dose));
      const percent = house.get(moisture).last(plant)?.percent;
      return {
        plant,
        doses: own.length,
        moisture_percent: percent === undefined ? null : Number(percent),
        days: days.map((day) => ({ day, ml: sum(own.filter((dose) => time.day(dose.timestamp) === day)) })),
      };
    }),
    asked: { yes: gotYes, no: requests.length - gotYes },
  };
}

/** What a lost ledger charges is no water. */
const isPoured = ({ outcome, ml_dispensed }: DoseRecord): boolean =>
  outcome !== "ledger_lost" && ml_dispensed > 0;

const sum = (doses: readonly { readonly ml_dispensed: number }[]): number =>
  Math.round(doses.reduce((ml, { ml_dispensed }) => ml + ml_dispensed, 0) * 10) / 10;
