import { z } from "zod";
import { textBy } from "./phrases.js";

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
export const statusProblemWords = (problem: StatusProblem): string =>
  textBy(problem, "is", {
    timestamp: ({ claimed, actual, tolerance_minutes }) =>
      `The status has the time ${claimed ?? "no time"} (timestamp), but the clock says ${actual}; it may differ by ${tolerance_minutes} minutes.`,
    reading_unknown: () =>
      "The probe's figure (sensor_reading) cannot be checked: no reading of the last 10 minutes is stored, call read_moisture first.",
    sensor_reading: ({ claimed, actual, noise, at }) =>
      `The status says that the probe read ${claimed} (sensor_reading), but it read ${actual} (± ${noise}) at ${at}.`,
    water_24h: ({ claimed, actual }) =>
      `The status counts ${claimed} ml of water in 24 hours (water_24h), but the record has ${actual} ml.`,
    light_today: ({ claimed, actual }) =>
      `The status counts ${claimed} minutes of light today (light_today), but the light was on for ${actual} minutes since 00:00 UTC.`,
    step: ({ order, action, value }) =>
      `Step ${order} (${action}) has ${value === null ? "no value" : `the value ${value}`}: give ${VALUES[action]}.`,
    beyond_limit: ({ planned_ml, left_ml }) =>
      `The plan waters ${planned_ml} ml, but ${left_ml} ml are left of the 24 h limit.`,
    probe_faulty: () => "The plan waters, but the moisture probe is faulty: plan without water.",
    wet_soil: ({ percent, limit_percent, from }) =>
      `The plan waters, but the soil reads ${percent} %, and above ${limit_percent} % (${from}) no water flows: plan without water.`,
    light_unavailable: ({ is_on, minutes }) =>
      `The plan switches the light on, but it ${is_on ? "is on already" : "is resting"} and will be available in ${minutes} minutes.`,
    hold: ({ reason }) => `The plant is on hold (${reason}): plan without water and light.`,
    fault: ({ code, reason, forbids }) =>
      `There is a fault, ${code}: ${reason}. Plan without ${forbids.join(" and ")}.`,
    not_fitted: ({ action }) => `The plant has no ${DEVICES[action]}: plan without ${action}.`,
  });
