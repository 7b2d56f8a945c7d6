import { minutes } from "../../drivers/units.js";
import type { WetLimit } from "./wet-soil.js";

/** The contract's step types (seed "Action Log Service"). */
type PlannedActionType = "water" | "light" | "observe" | "alert";

interface PlannedStep {
  readonly order: number;
  readonly action: PlannedActionType;
  /** Millilitres for water, minutes for light. */
  readonly value?: number | undefined;
}

/** The fields of an agent's status that can be checked. */
export interface ClaimedStatus {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly sensor_reading: number;
  readonly water_24h: number;
  readonly light_today: number;
  readonly next_action_sequence: readonly PlannedStep[];
}

interface RawReading {
  /** Counts of the ADC. */
  readonly raw: number;
  /** Counts: the band within which a repeated reading lies. */
  readonly noise: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Forbids switching on until it is gone. `what` is a clause such as "the plant does not respond to water". */
export interface ActiveFault {
  readonly code: string;
  readonly what: string;
  readonly forbids: readonly ("water" | "light")[];
}

/** The runtime's own figures at the moment of the check. */
export interface GroundTruth {
  /** Epoch milliseconds. */
  readonly nowWall: number;
  /** Of the last 10 minutes. */
  readonly recentReadings: readonly RawReading[];
  readonly lastGoodReading: RawReading | undefined;
  readonly probeFaulty: boolean;
  /** Of the latest reading. */
  readonly soilPercent: number | undefined;
  /** Above it no water flows; undefined if there is no limit. */
  readonly wetLimit: WetLimit | undefined;
  readonly waterUsed24h: number;
  /** Whole lit minutes since 00:00 UTC. */
  readonly lightToday: number;
  readonly remainingMl: number;
  readonly lightMinutesUntilAvailable: number;
  readonly lightOn: boolean;
  /** Why the plant is on hold; undefined if it is not. */
  readonly hold: string | undefined;
  readonly faults: readonly ActiveFault[];
  /** What this plant has no hardware for. */
  readonly lacks: readonly ("water" | "light")[];
}

/**
 * The greatest age of a reading. A choice: a small computer needs about 7 minutes to read the prompt that tells its
 * model the time, and a copy of an earlier cycle's status is still noticed.
 */
const TIMESTAMP_TOLERANCE = minutes(10);
/** `water_24h` is sent as decimal text: half of its last digit. */
const WATER_TOLERANCE_ML = 0.05;
const LIGHT_TOLERANCE_MINUTES = 1;
/** Seed "Water Pump Service": 10–25 ml a dose. Doses of that size add up to every whole number from 10 on. */
const SMALLEST_DOSE_ML = 10;
const LIGHT_MINUTES = { least: 30, most: 120 };

type Check = (status: ClaimedStatus, truth: GroundTruth) => readonly string[];

/** All that is wrong with a status, each a sentence with the true figure; empty if it is cleared. Never throws. */
export function checkStatus(status: ClaimedStatus, truth: GroundTruth): string[] {
  return CHECKS.flatMap((check) => check(status, truth));
}

/** The totals that a plan announces. */
export function plannedTotals(sequence: readonly PlannedStep[]): { ml: number; lightMinutes: number } {
  return { ml: sum(sequence, "water"), lightMinutes: sum(sequence, "light") };
}

const checkTimestamp: Check = ({ timestamp }, { nowWall }) =>
  when(!(Math.abs(timestamp - nowWall) <= TIMESTAMP_TOLERANCE), () => {
    const claimed = Number.isFinite(timestamp) ? iso(timestamp) : "no time";
    return `The status has the time ${claimed} (timestamp), but the clock says ${iso(nowWall)}; it may differ by ${TIMESTAMP_TOLERANCE / minutes(1)} minutes.`;
  });

const checkReading: Check = ({ sensor_reading: claimed }, truth) => {
  const accepted = acceptedReadings(truth);
  if (accepted.some(({ raw, noise }) => Math.abs(claimed - raw) <= noise)) return [];
  const latest = accepted.at(-1);
  if (!latest)
    return [
      "The probe's figure (sensor_reading) cannot be checked: no reading of the last 10 minutes is stored, call read_moisture first.",
    ];
  return [
    `The status says that the probe read ${claimed} (sensor_reading), but it read ${latest.raw} (± ${latest.noise}) at ${iso(latest.at)}.`,
  ];
};

/** If the probe is faulty, the last good reading counts too, however old. */
function acceptedReadings({
  probeFaulty,
  lastGoodReading,
  recentReadings,
}: GroundTruth): readonly RawReading[] {
  return probeFaulty && lastGoodReading ? [...recentReadings, lastGoodReading] : recentReadings;
}

const checkFigures: Check = (status, truth) => [
  ...when(
    !(Math.abs(status.water_24h - truth.waterUsed24h) <= WATER_TOLERANCE_ML),
    () =>
      `The status counts ${status.water_24h} ml of water in 24 hours (water_24h), but the record has ${truth.waterUsed24h} ml.`,
  ),
  ...when(
    !(Math.abs(status.light_today - truth.lightToday) <= LIGHT_TOLERANCE_MINUTES),
    () =>
      `The status counts ${status.light_today} minutes of light today (light_today), but the light was on for ${truth.lightToday} minutes since 00:00 UTC.`,
  ),
];

const checkSteps: Check = ({ next_action_sequence: sequence }) =>
  sequence.flatMap(({ order, action, value }) => {
    if (action === "water")
      return stepProblem(order, "water", value, SMALLEST_DOSE_ML, Number.MAX_SAFE_INTEGER);
    return action === "light"
      ? stepProblem(order, "light", value, LIGHT_MINUTES.least, LIGHT_MINUTES.most)
      : [];
  });

function stepProblem(
  order: number,
  action: "water" | "light",
  value: number | undefined,
  least: number,
  most: number,
) {
  const fits = value !== undefined && Number.isInteger(value) && value >= least && value <= most;
  const wanted =
    action === "water" ? "whole ml, at least 10 (doses are 10–25 ml each)" : "whole minutes from 30 to 120";
  return when(
    !fits,
    () =>
      `Step ${order} (${action}) has ${value === undefined ? "no value" : `the value ${value}`}: give ${wanted}.`,
  );
}

const checkWater: Check = ({ next_action_sequence: sequence }, { remainingMl, probeFaulty }) => {
  const { ml } = plannedTotals(sequence);
  return [
    ...when(
      ml > remainingMl,
      () => `The plan waters ${ml} ml, but ${remainingMl} ml are left of the 24 h limit.`,
    ),
    ...when(
      plans(sequence, "water") && probeFaulty,
      () => "The plan waters, but the moisture probe is faulty: plan without water.",
    ),
  ];
};

const checkWetness: Check = (
  { next_action_sequence: sequence },
  { soilPercent: percent, wetLimit: limit, probeFaulty },
) => {
  if (!plans(sequence, "water") || probeFaulty || percent === undefined || !limit) return [];
  return when(
    percent > limit.percent,
    () =>
      `The plan waters, but the soil reads ${percent} %, and above ${limit.percent} % (${limit.from}) no water flows: plan without water.`,
  );
};

const checkLight: Check = (
  { next_action_sequence: sequence },
  { lightOn, lightMinutesUntilAvailable: wait },
) => {
  if (!plans(sequence, "light") || (wait === 0 && !lightOn)) return [];
  const why = lightOn ? "is on already" : "is resting";
  return [`The plan switches the light on, but it ${why} and will be available in ${wait} minutes.`];
};

const checkHoldAndFaults: Check = ({ next_action_sequence: sequence }, { hold, faults }) => {
  const planned = (["water", "light"] as const).filter((action) => plans(sequence, action));
  const inTheWay = faults.filter(({ forbids }) => forbids.some((action) => planned.includes(action)));
  return [
    ...when(
      planned.length > 0 && hold !== undefined,
      () => `The plant is on hold (${hold}): plan without water and light.`,
    ),
    ...inTheWay.map(
      ({ code, what, forbids }) =>
        `There is a fault, ${code}: ${what}. Plan without ${forbids.join(" and ")}.`,
    ),
  ];
};

const DEVICES = { water: "pump", light: "grow light" } as const;

const checkFitted: Check = ({ next_action_sequence: sequence }, { lacks }) =>
  lacks
    .filter((action) => plans(sequence, action))
    .map((action) => `The plant has no ${DEVICES[action]}: plan without ${action}.`);

const CHECKS: readonly Check[] = [
  checkTimestamp,
  checkReading,
  checkFigures,
  checkSteps,
  checkWater,
  checkWetness,
  checkLight,
  checkHoldAndFaults,
  checkFitted,
];

const plans = (sequence: readonly PlannedStep[], action: PlannedActionType) =>
  sequence.some((step) => step.action === action);
const sum = (sequence: readonly PlannedStep[], action: PlannedActionType) =>
  sequence.reduce((total, step) => total + (step.action === action ? (step.value ?? 0) : 0), 0);
const when = (wrong: boolean, sentence: () => string): readonly string[] => (wrong ? [sentence()] : []);
const iso = (epochMs: number) => new Date(epochMs).toISOString();
