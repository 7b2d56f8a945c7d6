import { z } from "zod";
import { errorTable, final, later } from "../../errors.js";
import type { Stamp } from "../../safety/stamp.js";
import { asWritten } from "../../store/records.js";
import { isoTime } from "../../tools/iso-time.js";
import type { Tainted } from "../../tools/taint.js";
import type { StatusProblem } from "../../wire/status-problems.js";

/**
 * Hours, all choices. 36: an agent that cares once a day has missed a round and had half a day to make up for it; a
 * plant in a small pot survives that. At most 30 days: even a cactus needs a look by then.
 */
const TELL_AFTER = { least: 1, most: 720, usual: 36 };

const error = `must be a number of hours from ${TELL_AFTER.least} to ${TELL_AFTER.most}, or "never"`;

/** Configuration: how long a cleared status counts, and when a person is told that a plant gets no care. */
export const statusConfig = {
  cycle: z
    .strictObject({ max_age_minutes: z.int().min(1).max(30).default(30).describe("in the plants' time") })
    .prefault({})
    .describe("how long a cleared status opens water and light"),
  care: z
    .strictObject({
      tell_after_hours: z
        .union(
          [z.number().min(TELL_AFTER.least, { error }).max(TELL_AFTER.most, { error }), z.literal("never")],
          {
            error,
          },
        )
        .default(TELL_AFTER.usual)
        .describe(
          "the person is told each time that nobody has completed a care of a plant for so long, or never",
        ),
    })
    .prefault({}),
};

export const STATUS_ERRORS = errorTable({
  NO_CYCLE: final("call write_plant_status first", "nothing"),
  CYCLE_EXPIRED: final("call write_plant_status again to open a new cycle", "nothing"),
  CYCLE_REFUSED: final("correct what the status named and call write_plant_status again", "nothing"),
  CARE_TAKEN: later(
    "end this cycle, and begin another when that care is over; a person can end it now with `tendril release PLANT`",
    "nothing",
  ),
  PLAN_EXCEEDED: final("write a new status that plans for it", "nothing"),
});

const plannedAction = z.strictObject({
  order: z.int().min(1),
  action: z.enum(["water", "light", "observe", "alert"]),
  value: z.number().optional().describe("millilitres for water, minutes for light"),
});

/** What an agent says of a plant when it opens a cycle. */
export const plantStatusInput = z.strictObject({
  timestamp: isoTime("now, as get_current_time tells; within 10 minutes"),
  sensor_reading: z.number().describe("`value` of read_moisture, at most 10 minutes old"),
  water_24h: z.number().min(0).describe("`used_ml` of get_water_usage_24h"),
  light_today: z.number().min(0).describe("`light_today` of get_light_status"),
  plant_state: z.enum(["healthy", "stressed", "concerning", "critical", "unknown"]),
  next_action_sequence: z
    .array(plannedAction)
    .max(100)
    .describe("what you mean to do in this cycle; may be empty"),
  reasoning: z.string().max(20_000).describe("a brief explanation"),
});
/** Its `timestamp` is in epoch milliseconds. */
export type PlantStatus = Readonly<z.output<typeof plantStatusInput>>;

/** A line of journal/statuses.jsonl: the status, and the runtime's answer. */
export interface StatusRecord extends Tainted {
  readonly timestamp: string;
  readonly plant: string;
  readonly agent: string;
  /** Names one of the agents that share the token, if its client says so. */
  readonly instance?: string | undefined;
  /** Whether this agent took the plant's care, or was refused because another has it. Absent for a person. */
  readonly care?: "taken" | "turned_away" | undefined;
  readonly proceed: boolean;
  /** What the agent was told. */
  readonly reason: string | null;
  /** The same as values. Absent for a status that was turned away, and before 2026-11-24. */
  readonly problems?: readonly StatusProblem[] | undefined;
  readonly status: PlantStatus;
  readonly planned_ml: number;
  readonly planned_light_minutes: number;
  readonly stamp: Stamp;
}

export const STATUS_LOG = { name: "statuses", fold: asWritten<StatusRecord> };
