import { z } from "zod";

/** Why a plant status was refused: as values, and in English for the agent that wrote it and for people. */

const action = z.enum(["water", "light"]);

export const statusProblem = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("timestamp"),
    claimed: z.string().nullable(),
    actual: z.string(),
    tolerance_minutes: z.number(),
  }),
  z.object({ is: z.literal("reading_unknown") }),
  z.object({
    is: z.literal("sensor_reading"),
    claimed: z.number(),
    actual: z.number(),
    noise: z.number(),
    at: z.string(),
  }),
  z.object({ is: z.literal("water_24h"), claimed: z.number(), actual: z.number() }),
  z.object({ is: z.literal("light_today"), claimed: z.number(), actual: z.number() }),
  z.object({ is: z.literal("step"), order: z.int(), action, value: z.number().nullable() }),
  z.object({ is: z.literal("beyond_limit"), planned_ml: z.number(), left_ml: z.number() }),
  z.object({ is: z.literal("probe_faulty") }),
  z.object({ is: z.literal("wet_soil"), percent: z.number(), limit_percent: z.number(), from: z.string() }),
  z.object({ is: z.literal("light_unavailable"), is_on: z.boolean(), minutes: z.number() }),
  z.object({ is: z.literal("hold"), reason: z.string().describe("as it was given with the hold") }),
  z.object({
    is: z.literal("fault"),
    code: z.string(),
    reason: z.string().describe("as it is recorded with the fault"),
    forbids: z.array(action).readonly(),
  }),
  z.object({ is: z.literal("not_fitted"), action }),
]);
export type StatusProblem = z.output<typeof statusProblem>;

const DEVICES = { water: "pump", light: "grow light" } as const;
const VALUES = {
  water: "whole ml, at least 10 (doses are 10–25 ml each)",
  light: "whole minutes from 30 to 120",
} as const;

/** A sentence with the true figure. */
export function statusProblemWords(problem: StatusProblem): string {
  switch (problem.is) {
    case "timestamp":
      return `The status has the time ${problem.claimed ?? "no time"} (timestamp), but the clock says ${problem.actual}; it may differ by ${problem.tolerance_minutes} minutes.`;
    case "reading_unknown":
      return "The probe's figure (sensor_reading) cannot be checked: no reading of the last 10 minutes is stored, call read_moisture first.";
    case "sensor_reading":
      return `The status says that the probe read ${problem.claimed} (sensor_reading), but it read ${problem.actual} (± ${problem.noise}) at ${problem.at}.`;
    case "water_24h":
      return `The status counts ${problem.claimed} ml of water in 24 hours (water_24h), but the record has ${problem.actual} ml.`;
    case "light_today":
      return `The status counts ${problem.claimed} minutes of light today (light_today), but the light was on for ${problem.actual} minutes since 00:00 UTC.`;
    case "step":
      return `Step ${problem.order} (${problem.action}) has ${problem.value === null ? "no value" : `the value ${problem.value}`}: give ${VALUES[problem.action]}.`;
    case "beyond_limit":
      return `The plan waters ${problem.planned_ml} ml, but ${problem.left_ml} ml are left of the 24 h limit.`;
    case "probe_faulty":
      return "The plan waters, but the moisture probe is faulty: plan without water.";
    case "wet_soil":
      return `The plan waters, but the soil reads ${problem.percent} %, and above ${problem.limit_percent} % (${problem.from}) no water flows: plan without water.`;
    case "light_unavailable":
      return `The plan switches the light on, but it ${problem.is_on ? "is on already" : "is resting"} and will be available in ${problem.minutes} minutes.`;
    case "hold":
      return `The plant is on hold (${problem.reason}): plan without water and light.`;
    case "fault":
      return `There is a fault, ${problem.code}: ${problem.reason}. Plan without ${problem.forbids.join(" and ")}.`;
    case "not_fitted":
      return `The plant has no ${DEVICES[problem.action]}: plan without ${problem.action}.`;
  }
}
