import { DriverError } from "../../errors.js";
import type { Cancel } from "../../ports.js";
import { type Millis, type MlPerSecond, millis, minutes, seconds } from "../../units.js";
import { LONGEST_PULSE, longestDose } from "../pump.js";

/** An interlock has one of each, whatever is wired behind it. */
export type Channel = "pump" | "light";

type Each<T> = Readonly<Record<Channel, T>>;

/** What the interlock says of itself (firmware/PROTOCOL.md, `S`). */
export interface InterlockStatus {
  /** Whether the interlock's own contact is closed. */
  readonly closed: Each<boolean>;
  /** Whether there is voltage behind both contacts, as fed back. */
  readonly live: Each<boolean>;
  readonly stopPressed: boolean;
  /** Latched, in words; empty when all is well. */
  readonly faults: readonly string[];
  /** Number of the last request that was taken. */
  readonly order: Each<number>;
  /** How long the contact has been closed in the running or the last activation. */
  readonly on: Each<Millis>;
  /** How much of that the pump really ran. */
  readonly pumpLive: Millis;
  /** Until the contact may close again. */
  readonly rest: Each<Millis>;
  /** Pump time that is left of the day's. */
  readonly budgetLeft: Millis;
}

/** What the interlock was built with (firmware/PROTOCOL.md, `V`). */
export interface InterlockLimits {
  readonly protocol: number;
  readonly firmware: number;
  readonly maxGap: Millis;
  readonly pumpCut: Millis;
  readonly pumpRest: Millis;
  readonly lightCut: Millis;
  readonly lightRest: Millis;
  readonly pumpHeartbeat: Millis;
  readonly lightHeartbeat: Millis;
  readonly feedback: Millis;
  readonly budget: Millis;
}

/** The order under which a contact was closed. */
export interface Grant {
  readonly order: number;
}

/** The interlock at the other end of the line. It sends its heartbeats by itself. */
export interface InterlockDevice {
  /** Closes the contact for that long. Rejects with INTERLOCK_REFUSED, INTERLOCK_BUDGET, INTERLOCK_FAULT or INTERLOCK_LOST. */
  request(channel: Channel, duration: Millis): Promise<Grant>;
  /** Opens the contact; resolves with what was measured. Rejects with INTERLOCK_LOST. */
  off(channel: Channel): Promise<InterlockStatus>;
  allOff(): Promise<InterlockStatus>;
  status(): Promise<InterlockStatus>;
  clear(): Promise<InterlockStatus>;
  /** As last heard; undefined while it does not answer. */
  readonly latest: { readonly status: InterlockStatus; readonly limits: InterlockLimits } | undefined;
  /** Why it is not there, where it never was. */
  readonly absence?: DriverError | undefined;
  watch(listener: () => void): Cancel;
  close(): Promise<void>;
}

/** The interlock is asked for so much more than the pulse, which the guard ends: room to look at the node, and to begin. A choice. */
export const MARGIN = millis(500);
/** The version of firmware/PROTOCOL.md that is spoken here. */
const PROTOCOL = 1;
/** Its cuts: 30 s for a pump. A light's cut lies above its longest 120 min, so that this does not end in a fault. */
const PUMP_NEVER_LONGER = seconds(30);
const LIGHT_NEVER_LONGER = minutes(121);

type Figure = Exclude<keyof InterlockLimits, "protocol" | "firmware">;

interface Bound {
  readonly what: string;
  /** Looser than this protects less (firmware/core/limits.h has the figures, which were proved together). */
  readonly least?: Millis;
  readonly most?: Millis;
}

/** Heartbeats come every half a second: an interlock that waits for less than two of them would trip over one that is late. */
const TWO_HEARTBEATS = seconds(1);
const BOUNDS: Readonly<Partial<Record<Figure, Bound>>> = {
  maxGap: { what: "gap between two steps", most: seconds(1) },
  pumpRest: { what: "rest of the pump", least: seconds(10) },
  lightRest: { what: "rest of the light", least: minutes(10) },
  pumpHeartbeat: { what: "age of a heartbeat with the pump on", least: TWO_HEARTBEATS, most: seconds(2) },
  lightHeartbeat: { what: "age of a heartbeat with the light on", least: TWO_HEARTBEATS, most: seconds(30) },
  feedback: { what: "time for a contact to open", most: millis(100) },
  budget: { what: "pump time in 24 h", most: seconds(600) },
};

/** What is wired behind the interlock. */
export interface InterlockNeeds {
  /** Each pump with the time that it needs for the largest dose. */
  readonly pumps: ReadonlyArray<{ readonly name: string; readonly longest: Millis }>;
}

interface PumpedPlant {
  readonly id: string;
  readonly pump: { readonly flow: MlPerSecond };
}

export const interlockNeeds = (plants: readonly PumpedPlant[]): InterlockNeeds => ({
  pumps: plants.map(({ id, pump: { flow } }) => ({
    name: `the pump of ${id} (${flow} ml/s)`,
    longest: longestDose(flow),
  })),
});

/** Throws INTERLOCK_LIMITS where the interlock would let through what it must not, or cut what is lawful; with the figures. */
export function assertFits(limits: InterlockLimits, needs: InterlockNeeds): void {
  const problems = [...versionProblem(limits), ...looseness(limits), ...tightness(limits, needs)];
  if (problems.length > 0)
    throw new DriverError("INTERLOCK_LIMITS", `the interlock does not fit: ${problems.join("; ")}`, {
      facts: { reasons: problems },
    });
}

/** What is wrong with its version of the protocol, if anything. */
export const versionProblem = ({ protocol }: InterlockLimits): string[] =>
  protocol === PROTOCOL ? [] : [`it speaks version ${protocol} of the protocol, not ${PROTOCOL}`];

function looseness(limits: InterlockLimits): string[] {
  const bounded = (Object.entries(BOUNDS) as [Figure, Bound][]).flatMap(([figure, { what, least, most }]) => {
    const has = limits[figure];
    if (most !== undefined && has > most)
      return [`its ${what} is ${inSeconds(has)}, more than ${inSeconds(most)}`];
    return least !== undefined && has < least
      ? [`its ${what} is ${inSeconds(has)}, less than ${inSeconds(least)}`]
      : [];
  });
  const { pumpCut, lightCut, maxGap } = limits;
  return [
    ...bounded,
    ...late("pump", pumpCut, maxGap, PUMP_NEVER_LONGER),
    ...late("light", lightCut, maxGap, LIGHT_NEVER_LONGER),
  ];
}

/** A cut comes one gap late at the worst. */
const late = (what: string, cut: Millis, gap: Millis, never: Millis): string[] =>
  cut + gap <= never
    ? []
    : [
        `it cuts the ${what} at ${inSeconds(cut)} and a gap of ${inSeconds(gap)}, later than ${inSeconds(never)}`,
      ];

function tightness({ pumpCut, lightCut }: InterlockLimits, { pumps }: InterlockNeeds): string[] {
  const slow = pumps.filter(({ longest }) => longest + MARGIN >= pumpCut);
  return [
    ...slow.map(
      ({ name, longest }) =>
        `${name} needs ${inSeconds(longest)} for 25 ml and ${inSeconds(MARGIN)} to spare, and it cuts at ${inSeconds(pumpCut)}`,
    ),
    ...(LONGEST_PULSE.light + MARGIN >= lightCut
      ? [`a light may be on for ${inSeconds(LONGEST_PULSE.light)}, and it cuts at ${inSeconds(lightCut)}`]
      : []),
  ];
}

const inSeconds = (time: Millis): string => `${time / 1000} s`;
