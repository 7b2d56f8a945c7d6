import { z } from "zod";

/** Checks the shape, but lists it as an object of anything, which makes a short list of tools. */
export const open = <In>(part: z.ZodType<Record<string, unknown>, In>) =>
  part.pipe(z.record(z.string(), z.unknown()));

/** Results of tools about a plant: the tools' declared output, and what readers use. All times are UTC, ISO 8601. */

export const currentTime = z.object({ timestamp: z.string(), zone: z.string() });
export type CurrentTime = z.output<typeof currentTime>;

/** `value`: the raw figure of the probe; `percent`: from dry (0) to wet (100) by calibration. */
export const reading = z.object({
  value: z.int(),
  timestamp: z.string(),
  percent: z.number(),
  noise: z.number(),
});

export const moistureResult = reading.extend({
  quality: z.enum(["ok", "stale", "implausible", "disconnected"]),
});

export const probeFault = z.object({ code: z.string(), message: z.string(), since: z.string() });

export const measuredProbe = z.object({
  level: z.number(),
  unit: z.enum(["V", "counts"]),
  spread: z.number().describe("from the least to the greatest of five conversions, in that unit"),
  resembles: z
    .enum(["open input", "supply"])
    .nullable()
    .describe("what gives such a level without any probe, where something does"),
  dry: z.number().describe("of the calibration in force, likewise in that unit"),
  wet: z.number(),
  timestamp: z.string(),
});
export type MeasuredProbe = z.output<typeof measuredProbe>;

export const waterUsage = z.object({ used_ml: z.number(), remaining_ml: z.number(), events: z.int() });

/** Millilitres that one call of `dispense_water` takes. */
export const DOSE_ML = { least: 10, most: 25 } as const;

export const dose = z.object({
  dispensed: z.number(),
  // absent from an old answer that an idempotency key recalls
  used_24h: z.number().optional(),
  remaining_24h: z.number(),
  timestamp: z.string(),
});
export type Dose = z.output<typeof dose>;

/** A dose, as the water history has it. */
export const pouredDose = z.object({
  timestamp: z.string(),
  ml_requested: z.number(),
  ml_dispensed: z.number(),
  outcome: z.string(),
  by: z.string(),
  pump_ms: z.number().nullish().describe("null: not known"),
});
export type PouredDose = z.output<typeof pouredDose>;

export const lightStatus = z.object({
  status: z.enum(["on", "off"]),
  last_on: z.string().nullable(),
  last_off: z.string().nullable(),
  can_activate: z.boolean(),
  minutes_until_available: z.int(),
  light_today: z.int(),
});

export interface LightStretch {
  readonly timestamp: string;
  readonly minutes: number;
  /** Null while the light is on. */
  readonly ended: string | null;
}

export const lightOn = z.object({ status: z.literal("on"), duration_minutes: z.int(), off_at: z.string() });

export const takenPhoto = z.object({
  url: z.string(),
  timestamp: z.string(),
  light_on: z.boolean(),
  dark: z.boolean(),
});
export type TakenPhoto = z.output<typeof takenPhoto>;

const photo = z.object({
  plant: z.string(),
  timestamp: z.string(),
  /** Null once the picture was deleted to free space. */
  url: z.string().nullable(),
  light_on: z.boolean(),
  dark: z.boolean(),
  width: z.int(),
  height: z.int(),
});

export type Photo = z.output<typeof photo>;

export const photoList = z.object({ count: z.int(), photos: z.array(photo) });
export type PhotoList = z.output<typeof photoList>;

/** A problem of a status (status-problems.ts), for readers that need not know each kind. */
export const anyProblem = z.looseObject({ is: z.string() });

/** The answer of write_plant_status. */
export const statusResult = z.object({ proceed: z.boolean(), reason: z.string().optional() });

/** Who cares for a plant, and until when other agents are refused. */
export const careHolder = z.object({
  agent: z.string(),
  instance: z.string().nullable(),
  status_at: z.string(),
  until: z.string(),
});

export const hold = z.object({ since: z.string(), by: z.string(), reason: z.string() });
export const fault = z.object({ code: z.string(), since: z.string(), reason: z.string() });

const releasedCare = z.object({
  plant: z.string(),
  ...careHolder.shape,
  until: z.string().describe("until then it would have lasted"),
});

export const releasedCares = z.object({ timestamp: z.string(), released: z.array(releasedCare) });
export type ReleasedCares = z.output<typeof releasedCares>;

/**
 * What decided about a plant's care: a cycle with the runtime's answer to its status, a refused dose, a hold, a fault, a tank,
 * an off of everything, a device that failed or works again, the runtime that is back.
 */
const careEvent = z.object({
  kind: z.enum([
    ...(["cycle", "dose_refused", "hold", "resume", "fault", "clear", "tank_empty", "tank_filled"] as const),
    ...(["all_off", "probe_fault", "probe_ok", "camera_fault", "camera_ok", "started"] as const),
  ]),
  timestamp: z.string(),
  by: z.string(),
  reason: z.string().nullable().describe("of a cycle: why its status was refused"),
  problems: z.array(anyProblem).optional().describe("the same as values, where they are on record"),
  code: z.string().optional().describe("of a fault or a refused dose"),
  since: z
    .string()
    .optional()
    .describe("of probe_ok and camera_ok: when it failed; of started: the last reading before"),
  ml: z.number().optional().describe("of a refused dose: what was asked for"),
  proceed: z.boolean().optional().describe("of a cycle, as the fields below"),
  plant_state: z.string().optional(),
  reasoning: z.string().optional(),
  planned_ml: z.number().optional(),
  planned_light_minutes: z.number().optional(),
});
export type CareEvent = z.output<typeof careEvent>;

export const careEvents = z.object({ count: z.int(), events: z.array(careEvent) });
export type CareEvents = z.output<typeof careEvents>;

/** A figure of a bucketed history. */
export const bucket = z.strictObject({
  bucket_start: z.string(),
  bucket_end: z.string(),
  value: z.number().nullable(),
  count: z.int(),
});
export type Bucket = z.output<typeof bucket>;

/** What every history returns: whole records for sampling, buckets for aggregation. */
export const historyResult = z.object({
  aggregation: z.string(),
  bucket_seconds: z.number(),
  coverage: z.object({
    from: z.string(),
    to: z.string(),
    records: z.int(),
    buckets: z.int(),
    buckets_with_data: z.int(),
    thinned_before: z.string().optional(),
  }),
  items: z.array(z.union([bucket, z.record(z.string(), z.unknown())])),
});
/** As readers use it, who know what they have asked for. */
export type History<Item> = Omit<z.output<typeof historyResult>, "items"> & {
  readonly items: readonly Item[];
};
