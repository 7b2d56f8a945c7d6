import { type Millis, millis, minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";

/** A cycle ends 30 minutes after its status, unless configured otherwise. */
const CYCLE_MAX_AGE = minutes(30);

/** The latest status of one plant by one identity: what it announced and whether it was cleared. */
export interface CycleStatus {
  readonly id: number;
  readonly proceed: boolean;
  readonly stamp: Stamp;
  readonly plannedMl: number;
  readonly plannedLightMinutes: number;
}

/** An on-action: water in millilitres, or light in minutes. */
export type OnRequest = { readonly ml: number } | { readonly lightMinutes: number };

export interface GateQuestion {
  readonly status: CycleStatus | undefined;
  /** What this cycle was charged so far. */
  readonly spent: { readonly ml: number; readonly lightMinutes: number };
  readonly request: OnRequest;
  readonly now: Stamp;
  readonly maxAge?: Millis;
}

type GateRefusal = "NO_CYCLE" | "CYCLE_REFUSED" | "CYCLE_EXPIRED" | "PLAN_EXCEEDED";

type GateDecision =
  | { readonly ok: true; readonly cycle: number }
  | {
      readonly ok: false;
      readonly code: GateRefusal;
      readonly what: string;
      readonly details?: Readonly<Record<string, number>>;
    };

/** Whether an on-action may run: it needs an open, cleared cycle whose plan covers it. */
export function decideGate({ spent, request, ...question }: GateQuestion): GateDecision {
  const cycle = openCycle(question);
  return "ok" in cycle ? cycle : withinPlan(cycle.status, spent, request);
}

/** A cleared cycle, and the most that is left of its time. */
interface OpenCycle {
  readonly status: CycleStatus;
  readonly left: Millis;
}

/** The open, cleared cycle, or why there is none. */
export function openCycle({
  status,
  now,
  maxAge = CYCLE_MAX_AGE,
}: Pick<GateQuestion, "status" | "now" | "maxAge">): OpenCycle | (GateDecision & { readonly ok: false }) {
  if (!status) return refuse("NO_CYCLE", "no plant status has opened a cycle for this plant");
  const { atLeast, certain } = elapsed(status.stamp, now);
  if (!certain) return refuse("CYCLE_EXPIRED", "the age of the last plant status cannot be proved");
  if (atLeast > maxAge) return refuse("CYCLE_EXPIRED", expiry(atLeast, maxAge));
  if (!status.proceed)
    return refuse("CYCLE_REFUSED", "the last plant status was answered with proceed: false");
  return { status, left: millis(maxAge - atLeast) };
}

function withinPlan(status: CycleStatus, spent: GateQuestion["spent"], request: OnRequest): GateDecision {
  const [asked, used, planned, unit] =
    "ml" in request
      ? [request.ml, spent.ml, status.plannedMl, "ml of water"]
      : [request.lightMinutes, spent.lightMinutes, status.plannedLightMinutes, "minutes of light"];
  if (used + asked <= planned) return { ok: true, cycle: status.id };
  const what = `the plant status planned ${planned} ${unit}, ${used} are spent and ${asked} more were asked for`;
  return refuse("PLAN_EXCEEDED", what, { planned, spent: used, asked, left: Math.max(0, planned - used) });
}

const expiry = (age: Millis, maxAge: Millis): string =>
  `the last plant status is ${Math.floor(age / minutes(1))} minutes old, a cycle lasts ${maxAge / minutes(1)}`;

const refuse = (
  code: GateRefusal,
  what: string,
  details?: Readonly<Record<string, number>>,
): GateDecision & { readonly ok: false } => ({
  ok: false,
  code,
  what,
  ...(details && { details }),
});
