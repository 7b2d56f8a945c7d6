import { z } from "zod";
import { ROOM_QUANTITIES, type RoomField } from "../../drivers/room-quantities.js";
import { bridgeState, channelState } from "./bridge.js";
import { pendingApproval } from "./people.js";
import {
  anyProblem,
  careHolder,
  fault,
  hold,
  lightStatus,
  open,
  probeFault,
  reading,
  waterUsage,
} from "./plants.js";

/** `get_overview`: everything at a glance, for people and their programs. All times are UTC, ISO 8601. */

const notAbove = z
  .object({ percent: z.number(), from: z.enum(["configured", "fitted", "default"]) })
  .nullable();

const water = waterUsage.extend({
  assumed_ml: z
    .number()
    .describe("of used_ml: what counts because a record was lost, though it was perhaps never poured"),
  pouring: z.boolean(),
  not_above: notAbove.describe(
    "moisture above which no water flows; fitted: from what the pot has shown to hold",
  ),
});

const lastStatus = z.object({
  timestamp: z.string(),
  agent: z.string(),
  proceed: z.boolean(),
  /** Why it was refused. */
  reason: z.string().nullable(),
  /** The same as values; absent where another agent cares for the plant, and from records before 2026-11-24. */
  problems: z.array(anyProblem).optional(),
  plant_state: z.string(),
  reasoning: z.string(),
  next_action_sequence: z.array(
    z.object({ order: z.int(), action: z.string(), value: z.number().optional() }),
  ),
});

export type LastStatus = z.output<typeof lastStatus>;

/** What the answer says of a plant beside its name, in this order. */
const PLANT_PARTS = {
  /** As configured; null if it is not. */
  species: z.string(),
  /** The last reading. */
  moisture: reading,
  probe_fault: probeFault,
  water,
  light: lightStatus,
  hold,
  /** The oldest of the faults. */
  fault,
  faults: z.array(fault),
  fitted: z.object({ pump: z.boolean(), light: z.boolean(), camera: z.boolean() }),
  care: careHolder,
  uncared: z.object({ since: z.string(), hours: z.int() }),
  last_status: lastStatus,
};

const interlock = z.object({
  state: z
    .enum(["ok", "lost", "unfit", "fault"])
    .describe("lost: it does not answer; unfit: its limits are not right; fault: it has latched"),
  problem: z.string().nullable(),
  firmware: z.int().nullable(),
  pump_seconds_left: z.int().nullable().describe("pump time left of 24 h, all pumps together"),
});

const input = z.object({
  kind: z.enum(["stop", "leak", "tank"]),
  name: z.string(),
  plants: z.array(z.string()),
  active: z.boolean().describe("pressed, wet or empty"),
});

const figures = Object.values(ROOM_QUANTITIES).map((row) => {
  const figure = z.number().optional();
  return [row.field, "meaning" in row ? figure.describe(row.meaning) : figure];
});

/** What a room's sensor measured, as far as its chip measures it. */
export const climateReading = z.object({
  place: z.string(),
  timestamp: z.string(),
  ...(Object.fromEntries(figures) as Record<RoomField, z.ZodOptional<z.ZodNumber>>),
});
export type ClimateReading = z.output<typeof climateReading>;

/** A room in `get_overview`: the last reading (null before the first), and what is wrong with the sensor now. */
const climateNow = z.object({
  place: z.string(),
  measures: z.array(z.string()).describe("the fields of its readings"),
  reading: climateReading.nullable(),
  fault: z.object({ code: z.string(), message: z.string(), since: z.string() }).nullable(),
});
export type ClimateNow = z.output<typeof climateNow>;

/** What the answer says of the house beside its plants, in this order. */
const HOUSE_PARTS = {
  /** What a person should know of the machine: a damaged journal, a database made anew. */
  warnings: z.array(z.string()),
  interlock,
  inputs: z.array(input),
  paused: hold,
  approvals: z.array(pendingApproval),
  climate: z.array(climateNow),
  bridge: bridgeState,
  channels: z.array(channelState),
};

const plantResult = z.object({
  plant: z.string(),
  name: z.string(),
  species: PLANT_PARTS.species.nullable(),
  moisture: open(reading).nullable(),
  probe_fault: open(probeFault).nullable(),
  water,
  light: open(lightStatus),
  hold: open(hold).nullable(),
  fault: open(fault).nullable().describe("the oldest of the faults"),
  faults: z.array(open(fault)),
  fitted: PLANT_PARTS.fitted,
  care: careHolder.nullable().describe("which agent cares for it, and until when others are turned away"),
  uncared: PLANT_PARTS.uncared
    .nullable()
    .describe("nobody has completed a care of it for longer than care.tell_after_hours"),
  last_status: open(lastStatus).nullable(),
});

/** The output that the tool declares. */
export const overviewResult = z.object({
  timestamp: z.string(),
  zone: z.string().describe("time zone of the house, for what people read"),
  board: z.string(),
  warnings: HOUSE_PARTS.warnings,
  interlock: interlock.nullable().describe("the controller in series with the relays, where there is one"),
  inputs: HOUSE_PARTS.inputs.describe("stop buttons, leak sensors, tank levels"),
  paused: open(hold).nullable().describe("since when agents may not act; null: they may"),
  approvals: HOUSE_PARTS.approvals.describe("calls of agents that wait for a person's yes"),
  climate: HOUSE_PARTS.climate.optional().describe("rooms with a sensor"),
  bridge: open(bridgeState)
    .optional()
    .describe("the program that speaks to the Internet, where one is needed"),
  channels: z.array(open(channelState)).optional().describe("ways to people, where there are some"),
  plants: z.array(plantResult),
});

/** The output as a runtime makes it. */
export type OverviewResult = z.input<typeof overviewResult>;
export type PlantResult = OverviewResult["plants"][number];

type Tolerant<Parts> = {
  [Key in keyof Parts]: Parts[Key] extends z.ZodArray
    ? z.ZodDefault<Parts[Key]>
    : Parts[Key] extends z.ZodType
      ? z.ZodDefault<z.ZodNullable<Parts[Key]>>
      : never;
};

/** A list that is absent is empty; any other part that is absent is null. */
function tolerant<Parts extends Readonly<Record<string, z.ZodType>>>(parts: Parts): Tolerant<Parts> {
  const read = Object.entries(parts).map(([key, part]) => [
    key,
    part instanceof z.ZodArray ? part.default([]) : part.nullable().default(null),
  ]);
  return Object.fromEntries(read) as Tolerant<Parts>;
}

const plantNow = z.looseObject({ plant: z.string(), name: z.string(), ...tolerant(PLANT_PARTS) });

/** Reads the answer, also from a runtime with something switched off. */
export const overview = z.looseObject({
  timestamp: z.string(),
  zone: z.string(),
  board: z.string(),
  ...tolerant(HOUSE_PARTS),
  plants: z.array(plantNow),
});

/** The answer as readers use it. */
export type Overview = z.output<typeof overview>;
export type PlantNow = Overview["plants"][number];

/** The plants' id, name and species. Other fields pass unchecked. */
export const plantsSeen = z.object({
  plants: z.array(plantNow.pick({ plant: true, name: true, species: true })),
});
