import { z } from "zod";
import { MIN_FLOW } from "../../drivers/devices/pump.js";
import { isZone } from "../house-time.js";
import { DAILY_LIMIT_ML } from "../safety/water-window.js";
import { cronProblem } from "../schedule.js";
import { agent } from "./agent.js";
import { camera } from "./camera.js";
import { care } from "./care.js";
import { confirmKeys } from "./confirm.js";
import { interlock, refuseWhatNoInterlockCan } from "./interlock.js";
import { probe, probeInput } from "./probe.js";
import { server } from "./server.js";
import { input, lightOutput, output, refuseSharedPins } from "./wiring.js";

/** Four inputs of an ADS1115 at four addresses; with seesaws there could be more, which nobody has asked for. */
export const MOST_PLANTS = 16;

/** ml/s. A choice: ten times what small peristaltic and diaphragm pumps move; a dose of 10 ml would last half a second. */
export const MOST_FLOW = 20;

const pump = z.strictObject({
  output: output.optional(),
  flow_ml_per_s: z
    .number()
    .min(MIN_FLOW, {
      error: `must be at least 25/26 = ${MIN_FLOW.toFixed(3)} ml/s, or a 25 ml dose would outlast the hardware's cut`,
    })
    .max(MOST_FLOW)
    .default(1.5)
    .describe("measured flow of the pump"),
});

const id = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, { error: "must be 1–32 of a–z, 0–9, _ and -, starting with a letter" });

/** A limit on the wetness of the soil: below 10 % nothing would ever be watered, above 95 % everything would. */
const NOT_ABOVE = "must be a percentage from 10 to 95, or off";

const plantWater = z.strictObject({
  not_above: z
    .union([z.literal("off"), z.number().min(10).max(95)], { error: NOT_ABOVE })
    .optional()
    .describe(
      "percent of the probe's span above which no water flows; without it what the pot has shown to hold, and 55 until then",
    ),
});

const plant = z.strictObject({
  id,
  formerly: z
    .array(id)
    .max(8)
    .default([])
    .describe("ids that this plant had before: the water of its last 24 h counts on"),
  name: z.string().min(1).max(60).optional().describe("what people call it; the id by default"),
  species: z.string().min(1).max(60).optional(),
  probe: probe.prefault({}),
  pump: pump.prefault({}),
  water: plantWater.prefault({}),
  light: z.strictObject({ output: lightOutput }).optional().describe("the grow light's relay, on a Pi"),
  camera: camera
    .optional()
    .describe("the program that takes the plant's pictures, on a Pi; plants may share a camera"),
});

const cron = z.string().superRefine((pattern, ctx) => {
  const problem = cronProblem(pattern);
  if (problem !== undefined) ctx.addIssue({ code: "custom", message: `is no cron pattern: ${problem}` });
});

const water = z.strictObject({
  daily_limit_ml: z
    .int()
    .min(10)
    .max(DAILY_LIMIT_ML)
    .default(DAILY_LIMIT_ML)
    .describe("rolling 24 h limit per plant"),
  no_response: z
    .strictObject({
      ml: z.int().min(20).max(500).default(60),
      window_hours: z.number().min(0.5).max(24).default(3),
      settle_minutes: z.number().min(1).max(120).default(15),
    })
    .refine(({ settle_minutes, window_hours }) => settle_minutes < window_hours * 60, {
      path: ["settle_minutes"],
      error: "must be shorter than window_hours: else no reading would ever be in time",
    })
    .prefault({})
    .describe(
      "never more water of one day than this without an answer of the soil: a dose beyond it waits until settle_minutes after the last one, then locks the pump; an answer counts up to window_hours after its dose",
    ),
});

/** The whole configuration file. Every key has a default except a plant's `id`; an empty file is a bench with one basil. */
export const configSchema = z
  .strictObject({
    board: z
      .enum(["bench", "pi"], { error: 'must be "bench" or "pi"' })
      .default("bench")
      .describe("bench: simulated hardware; pi: what is wired to a Raspberry Pi"),
    zone: z
      .string()
      .refine(isZone, "must be a time zone such as America/Recife or UTC")
      .default("UTC")
      .describe("time zone of the house, for what people read and for cron patterns"),
    i2c_bus: z
      .int()
      .min(0)
      .max(99)
      .default(1)
      .describe("the bus with the probes; 1 is the one on the header"),
    interlock: interlock
      .prefault("none")
      .describe("none, or serial: the independent controller in series with the Pi's relays"),
    inputs: z.array(input).max(16).default([]).describe("stop button, leak sensors, tank levels"),
    plants: z
      .array(plant)
      .min(1)
      .max(MOST_PLANTS)
      .prefault([{ id: "basil", name: "Basil", species: "basil" }]),
    water: water.prefault({}),
    cycle: z
      .strictObject({ max_age_minutes: z.int().min(1).max(30).default(30) })
      .prefault({})
      .describe("how long a cleared status opens water and light"),
    care: care.prefault({}),
    agent: agent.prefault({}),
    ...confirmKeys,
    sampling: z
      .strictObject({
        cron: cron.default("* * * * *").describe("when the moisture is read, in the zone"),
      })
      .prefault({}),
    photos: z
      .strictObject({
        link_minutes: z.int().min(1).max(10_080).default(60).describe("how long a photo link opens"),
        keep_megabytes: z
          .int()
          .min(10)
          .max(1_000_000)
          .default(2000)
          .describe("older pictures are deleted beyond this"),
      })
      .prefault({}),
    server: server.prefault({}),
  })
  .superRefine((config, ctx) => {
    refuseSharedNames(config.plants, ctx);
    refuseTwoChips(config.plants, ctx);
    refuseSharedPins(config, ctx);
    refuseWhatNoInterlockCan(config, ctx);
  });

export type Config = z.output<typeof configSchema>;
export type PlantConfig = Config["plants"][number];

export const defaultConfig = (): Config => configSchema.parse({});

function refuseSharedNames(plants: readonly z.output<typeof plant>[], ctx: z.core.$RefinementCtx): void {
  const seen = new Map<string, string>();
  plants.forEach((each, index) => {
    for (const [claim, what] of claimsOf(each)) {
      const first = seen.get(claim);
      if (first === undefined) seen.set(claim, `${what} of plants[${index}]`);
      else
        ctx.addIssue({
          code: "custom",
          path: ["plants", index],
          message: `its ${what} ${claim} is the ${first} too: give one of them another`,
        });
    }
  });
}

/** By what a plant is told from others, and what that is. A name is its id, where it has no other. */
const claimsOf = ({ id, name = id, probe }: z.output<typeof plant>): Map<string, string> =>
  new Map([
    [name.toLowerCase(), "name"],
    [id, "id"],
    [probeInput(probe), "probe input"],
  ]);

/** One address answers as one chip. */
function refuseTwoChips(plants: readonly z.output<typeof plant>[], ctx: z.core.$RefinementCtx): void {
  plants.forEach(({ probe }, index) => {
    const first = plants.findIndex((other) => other.probe.address === probe.address);
    const chip = plants[first]?.probe.chip;
    if (chip === probe.chip) return;
    const message = `says ${probe.chip} at the address of the ${chip} of plants[${first}]`;
    ctx.addIssue({ code: "custom", path: ["plants", index, "probe", "chip"], message });
  });
}
