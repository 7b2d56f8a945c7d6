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
const STEP_BOUNDS = {
  water: { least: SMALLEST_DOSE_ML, most: Number.MAX_SAFE_INTEGER },
  light: { least: 30, most: 120 },
};

/**
 * All that is wrong with a status, each by its kind with the true figures; empty if it is cleared. Never throws.
 * `wire/status-problems.ts` has the words.
 */
export const checkStatus = (status: ClaimedStatus, truth: GroundTruth) => [
  ...checkTimestamp(status, truth),
  ...checkReading(status, truth),
  ...checkFigures(status, truth),
  ...checkSteps(status),
  ...checkWater(status, truth),
  ...checkWetness(status, truth),
  ...checkLight(status, truth),
  ...checkHoldAndFaults(status, truth),
  ...checkFitted(status, truth),
];

/** The totals that a plan announces. */
export function plannedTotals(sequence: readonly PlannedStep[]): { ml: number; lightMinutes: number } {
  return { ml: sum(sequence, "water"), lightMinutes: sum(sequence, "light") };
}

function checkTimestamp({ timestamp }: ClaimedStatus, { nowWall }: GroundTruth) {
  if (Math.abs(timestamp - nowWall) <= TIMESTAMP_TOLERANCE) return [];
  const claimed = Number.isFinite(timestamp) ? iso(timestamp) : null;
  const tolerance_minutes = TIMESTAMP_TOLERANCE / minutes(1);
  return [{ is: "timestamp", claimed, actual: iso(nowWall), tolerance_minutes } as const];
}

function checkReading({ sensor_reading: claimed }: ClaimedStatus, truth: GroundTruth) {
  const accepted = acceptedReadings(truth);
  if (accepted.some(({ raw, noise }) => Math.abs(claimed - raw) <= noise)) return [];
  const latest = accepted.at(-1);
  if (!latest) return [{ is: "reading_unknown" } as const];
  const { raw, noise, at } = latest;
  return [{ is: "sensor_reading", claimed, actual: raw, noise, at: iso(at) } as const];
}

/** If the probe is faulty, the last good reading counts too, however old. */
function acceptedReadings({
  probeFaulty,
  lastGoodReading,
  recentReadings,
}: GroundTruth): readonly RawReading[] {
  return probeFaulty && lastGoodReading ? [...recentReadings, lastGoodReading] : recentReadings;
}

function checkFigures({ water_24h, light_today }: ClaimedStatus, { waterUsed24h, lightToday }: GroundTruth) {
  const isWaterTrue = Math.abs(water_24h - waterUsed24h) <= WATER_TOLERANCE_ML;
  const isLightTrue = Math.abs(light_today - lightToday) <= LIGHT_TOLERANCE_MINUTES;
  return [
    ...when(!isWaterTrue, { is: "water_24h", claimed: water_24h, actual: waterUsed24h }),
    ...when(!isLightTrue, { is: "light_today", claimed: light_today, actual: lightToday }),
  ];
}

function checkSteps({ next_action_sequence: sequence }: ClaimedStatus) {
  return sequence.flatMap(({ order, action, value = null }) => {
    if (action !== "water" && action !== "light") return [];
    const { least, most } = STEP_BOUNDS[action];
    const fits = value !== null && Number.isInteger(value) && value >= least && value <= most;
    return when(!fits, { is: "step", order, action, value });
  });
}

function checkWater(
  { next_action_sequence: sequence }: ClaimedStatus,
  { remainingMl, probeFaulty }: GroundTruth,
) {
  const { ml } = plannedTotals(sequence);
  return [
    ...when(ml > remainingMl, { is: "beyond_limit", planned_ml: ml, left_ml: remainingMl }),
    ...when(plans(sequence, "water") && probeFaulty, { is: "probe_faulty" }),
  ];
}

function checkWetness(
  { next_action_sequence: sequence }: ClaimedStatus,
  { soilPercent: percent, wetLimit: limit, probeFaulty }: GroundTruth,
) {
  if (!plans(sequence, "water") || probeFaulty || percent === undefined || !limit) return [];
  return when(percent > limit.percent, {
    is: "wet_soil",
    percent,
    limit_percent: limit.percent,
    from: limit.from,
  });
}

function checkLight(
  { next_action_sequence: sequence }: ClaimedStatus,
  { lightOn, lightMinutesUntilAvailable: wait }: GroundTruth,
) {
  const isAvailable = wait === 0 && !lightOn;
  return when(plans(sequence, "light") && !isAvailable, {
    is: "light_unavailable",
    is_on: lightOn,
    minutes: wait,
  });
}

function checkHoldAndFaults(
  { next_action_sequence: sequence }: ClaimedStatus,
  { hold, faults }: GroundTruth,
) {
  const planned = (["water", "light"] as const).filter((action) => plans(sequence, action));
  const inTheWay = faults.filter(({ forbids }) => forbids.some((action) => planned.includes(action)));
  return [
    ...when(planned.length > 0 && hold !== undefined, { is: "hold", reason: hold ?? "" }),
    ...inTheWay.map(
      ({ code, what, forbids }) => ({ is: "fault", code, reason: what, forbids: [...forbids] }) as const,
    ),
  ];
}

const checkFitted = ({ next_action_sequence: sequence }: ClaimedStatus, { lacks }: GroundTruth) =>
  lacks.filter((action) => plans(sequence, action)).map((action) => ({ is: "not_fitted", action }) as const);

const plans = (sequence: readonly PlannedStep[], action: PlannedActionType) =>
  sequence.some((step) => step.action === action);
const sum = (sequence: readonly PlannedStep[], action: PlannedActionType) =>
  sequence.reduce((total, step) => total + (step.action === action ? (step.value ?? 0) : 0), 0);
const when = <const Problem>(isWrong: boolean, problem: Problem): Problem[] => (isWrong ? [problem] : []);
const iso = (epochMs: number) => new Date(epochMs).toISOString();
