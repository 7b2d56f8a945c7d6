import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readRecording } from "../../drivers/bench/replay.js";
import { SPECIES_NAMES } from "../../drivers/bench/species.js";
import { hours } from "../../drivers/units.js";
import { MAX_PLANTS } from "../../runtime/config/schema.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { readYaml } from "../../runtime/wire/yaml-file.js";
import { TOOL_SETS } from "../cycle/tool-runner.js";
import { UsageError } from "../errors.js";

/** A trouble that the agent must report within these hours, in a message with one of these words. */
const alarm = z.strictObject({
  words: z.array(z.string().min(1)).min(1),
  within_hours: z.number().positive(),
});

const when = {
  /** Days since the start; fractions are allowed. */
  day: z.number().min(0),
  /** The plant, by its index in the list; all by default. */
  plant: z.int().min(0).optional(),
  alarm: alarm.optional(),
};

const event = z.discriminatedUnion("what", [
  z.strictObject({ ...when, what: z.literal("probe"), is: z.enum(["unplugged", "stuck", "reversed", "ok"]) }),
  /** Millivolts that the probe's output drifts in a day. */
  z.strictObject({ ...when, what: z.literal("drift"), mv_per_day: z.number() }),
  z.strictObject({ ...when, what: z.literal("pump"), is: z.enum(["tube off", "clogged", "ok"]) }),
  /** The content of the tank from now on; without this event it is endless. */
  z.strictObject({ ...when, what: z.literal("tank"), ml: z.number().min(0) }),
  /** The leak sensor beside the pot. */
  z.strictObject({ ...when, what: z.literal("leak"), is: z.enum(["wet", "dry"]) }),
  z.strictObject({ ...when, what: z.literal("lamp"), is: z.enum(["dead", "ok"]) }),
  z.strictObject({ ...when, what: z.literal("camera"), is: z.enum(["dead", "black", "ok"]) }),
  z.strictObject({
    ...when,
    what: z.literal("room"),
    /** Changes to the room: kelvin, percentage points, and a factor. */
    temperature: z.number().default(0),
    humidity: z.number().default(0),
    daylight: z.number().min(0).default(1),
  }),
  z.strictObject({ ...when, what: z.literal("agent"), is: z.enum(["away", "back"]) }),
  /** The wall clock is set forward or back. */
  z.strictObject({ ...when, what: z.literal("clock"), hours: z.number() }),
  z.strictObject({
    ...when,
    what: z.literal("power cut"),
    minutes: z.number().min(0),
    /** The power fails in the middle of the next dose. */
    during_dose: z.boolean().default(false),
    /** Whether the wall clock is synchronised when the power is back. */
    clock_set: z.boolean().default(true),
  }),
  z.strictObject({ ...when, what: z.literal("message"), text: z.string().min(1) }),
  /** A note that an earlier agent left. */
  z.strictObject({ ...when, what: z.literal("note"), text: z.string().min(1) }),
]);
export type ScenarioEvent = z.output<typeof event>;

const isSpecies = (name: string): boolean => SPECIES_NAMES.includes(name);
const SPECIES = { error: `no such species; known: ${SPECIES_NAMES.join(", ")}` };

const scenarioFile = z.strictObject({
  title: z.string().min(1),
  story: z.string().min(1),
  days: z.int().min(1).max(3660).default(14),
  plants: z.array(z.string().refine(isSpecies, SPECIES)).min(1).max(MAX_PLANTS).default(["basil"]),
  /** First instant, UTC. */
  start: z.iso.datetime().default("2026-06-01T06:00:00Z"),
  /** Moisture at the start: 100 is freshly watered. */
  hydration: z.number().min(0).max(100).default(100),
  /** Whether watering decides the result: then the policies that never or always water must score clearly worse. */
  water_decides: z.boolean().default(false),
  /** Hours from a report until the person repairs the trouble. */
  repair_after_hours: z.number().min(0).default(8),
  events: z.array(event).default([]),
});

/** A scenario as a run keeps it. */
export const scenarioWithName = scenarioFile.extend({ name: z.string().min(1) });
export type Scenario = z.output<typeof scenarioWithName>;

export const STEADY = "steady-month";
const FOLDER = fileURLToPath(new URL("../../../agent-client/harness/scenarios/", import.meta.url));

/** Names of the scenarios that come with Tendril, sorted. */
export const scenarioNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .flatMap((file) => (file.endsWith(".yaml") ? [basename(file, ".yaml")] : []))
    .sort();

/** By name, or by the path of a file. Throws a UsageError with line and reason. */
export function loadScenario(name: string): Scenario {
  const own = name.endsWith(".yaml") || name.endsWith(".yml");
  if (!own && !scenarioNames().includes(name)) throw unknown(name);
  const file = own ? name : join(FOLDER, `${name}.yaml`);
  const read = readYaml(
    file,
    scenarioFile.superRefine(assertHappening),
    (problems) => new UsageError(problems.join("\n")),
  );
  return { ...read, name: own ? basename(name).replace(/\.ya?ml$/, "") : name };
}

/** Events after the end, or of plants that do not exist, are mistakes. */
function assertHappening(
  { days, plants, events }: z.output<typeof scenarioFile>,
  context: z.RefinementCtx,
): void {
  for (const [index, { day, plant = 0 }] of events.entries()) {
    const complain = (key: string, message: string, input: number) =>
      context.addIssue({ code: "custom", path: ["events", index, key], message, input });
    if (day > days) complain("day", `is after the last of ${days} days`, day);
    if (plant >= plants.length) complain("plant", `there are ${plants.length}, counted from 0`, plant);
  }
}

const unknown = (name: string) =>
  new UsageError(
    `there is no scenario "${name}"; known: ${scenarioNames().join(", ")}; or name a file that ends in .yaml`,
  );

/** A recording that replaces all plants. */
const replaySchema = z.strictObject({ file: z.string(), zone: z.string() });
type Replay = z.output<typeof replaySchema>;

export interface ReplayedCourse {
  readonly replay: Replay;
  readonly scenario: Scenario;
  /** Epoch milliseconds of its first row. */
  readonly start: number;
  /** Rounded down to a tenth. */
  readonly days: number;
}

const DAY_LENGTH = hours(24);

/** How long a recording is and when it begins. Throws REPLAY_INVALID with file, line and reason. */
export function replayedCourse(file: string, zone: string): ReplayedCourse {
  const rows = readRecording(file, zone);
  const [{ at: start }, last = rows[0]] = [rows[0], rows.at(-1)];
  const days = Math.max(0.1, Math.floor((10 * (last.at - start)) / DAY_LENGTH) / 10);
  return { replay: { file: resolve(file), zone }, scenario: scenarioOf(file, start), start, days };
}

const scenarioOf = (file: string, start: number): Scenario =>
  scenarioWithName.parse({
    name: "replay",
    title: `Replay of ${basename(file)}`,
    story:
      "A pot that somebody recorded. The probe gives the recorded readings. Neither water nor light changes them, so doses count as unanswered, and the plant's vigour stays full.",
    days: 1,
    start: isoUtc(start),
  });

/** All that defines a simulation; kept in order to resume it. */
export const runSchema = z.strictObject({
  scenario: scenarioWithName,
  model: z.string(),
  days: z.number().positive(),
  plants: z.array(z.string()).min(1).readonly(),
  seed: z.int().min(0),
  start: z.int(),
  every: z.number().positive(),
  maxRounds: z.int().min(1),
  /** Of a language model; undefined means "calls". */
  style: z.enum(["calls", "decide"]).optional(),
  /** Tools for a language model; by default those of a care cycle. */
  tools: z.enum(TOOL_SETS).optional(),
  replay: replaySchema.optional(),
});
export type Run = z.output<typeof runSchema>;
