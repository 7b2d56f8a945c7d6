import { z } from "zod";
import { MIN_FLOW } from "../../drivers/devices/pump.js";
import { isZone } from "../wire/house-time.js";
import { shortId } from "../wire/short-id.js";
import { camera, probe, probeInput } from "./devices.js";
import { server } from "./server.js";
import {
  input,
  interlock,
  lightOutput,
  output,
  refuseSharedPins,
  refuseWhatNoInterlockCan,
} from "./wiring.js";

/** Four inputs of an ADS1115 at four addresses. Seesaws would allow more, which nobody has asked for. */
export const MAX_PLANTS = 16;

/** ml/s. A choice: ten times the flow of small peristaltic and diaphragm pumps; 10 ml would last half a second. */
export const MAX_FLOW = 20;

const pump = z.strictObject({
  output: output.optional(),
  flow_ml_per_s: z
    .number()
    .min(MIN_FLOW, {
      error: `must be at least 25/26 = ${MIN_FLOW.toFixed(3)} ml/s, or a 25 ml dose would outlast the hardware's cut`,
    })
    .max(MAX_FLOW)
    .default(1.5)
    .describe("measured flow of the pump"),
});

/** A limit of the soil's moisture: below 10 % nothing is ever watered, above 95 % everything is. */
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
  id: shortId.describe("names the plant in commands, tools and records; 1–32 of a–z, 0–9, _ and -"),
  formerly: z
    .array(shortId)
    .max(8)
    .default([])
    .describe("ids that this plant had before: the water of its last 24 h counts on"),
  name: z.string().min(1).max(60).optional().describe("what people call it; the id by default"),
  species: z.string().min(1).max(60).optional().describe("the caretaker goes by it"),
  probe: probe.prefault({}),
  pump: pump.prefault({}),
  water: plantWater.prefault({}),
  light: z.strictObject({ output: lightOutput }).optional().describe("the grow light's relay, on a Pi"),
  camera: camera
    .optional()
    .describe("the program that takes the plant's pictures, on a Pi; plants may share a camera"),
});

/** The keys that belong to no service module: what is wired, the plants, and where the runtime listens. */
export const coreKeys = {
  board: z
    .enum(["bench", "pi"], { error: 'must be "bench" or "pi"' })
    .default("bench")
    .describe("bench: simulated hardware; pi: what is wired to a Raspberry Pi"),
  zone: z
    .string()
    .refine(isZone, "must be a time zone such as America/Recife or UTC")
    .default("UTC")
    .describe("time zone of the house, for what people read and for cron patterns"),
  i2c_bus: z.int().min(0).max(99).default(1).describe("the bus with the probes; 1 is the one on the header"),
  interlock: interlock
    .prefault("none")
    .describe("none, or serial: the independent controller in series with the Pi's relays"),
  inputs: z.array(input).max(16).default([]).describe("stop button, leak sensors, tank levels"),
  plants: z
    .array(plant)
    .min(1)
    .max(MAX_PLANTS)
    .prefault([{ id: "basil", name: "Basil", species: "basil" }])
    .describe("the plants; one basil if the key is left out"),
  server: server.prefault({}),
};

export type CoreConfig = { readonly [K in keyof typeof coreKeys]: z.output<(typeof coreKeys)[K]> };
export type PlantConfig = CoreConfig["plants"][number];

/** Checks across keys: shared names, pins and chips. */
export function checkCore(config: CoreConfig, ctx: z.core.$RefinementCtx): void {
  refuseSharedNames(config.plants, ctx);
  refuseTwoChips(config.plants, ctx);
  refuseSharedPins(config, ctx);
  refuseWhatNoInterlockCan(config, ctx);
}

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

/** What tells a plant from others. Its name is its id by default. */
const claimsOf = ({ id, name = id, probe }: z.output<typeof plant>): Map<string, string> =>
  new Map([
    [name.toLowerCase(), "name"],
    [id, "id"],
    [probeInput(probe), "probe input"],
  ]);

/** Refuses two entries of a list that have the same under a key; `folded` says what counts as the same. */
export function refuseShared<T>(
  all: readonly T[],
  { list, key, folded = (value) => value }: SharedKey<T>,
  ctx: z.core.$RefinementCtx,
): void {
  for (const [at, each] of all.entries()) {
    const first = all.findIndex((other) => folded(other[key]) === folded(each[key]));
    if (first === at) continue;
    const message = `is that of ${list}[${first}] too: give one of them another`;
    ctx.addIssue({ code: "custom", path: [at, key], message });
  }
}

interface SharedKey<T> {
  /** Its key in the configuration. */
  readonly list: string;
  readonly key: keyof T & string;
  folded?(value: T[keyof T]): unknown;
}

/** There is one chip at each address. */
function refuseTwoChips(plants: readonly z.output<typeof plant>[], ctx: z.core.$RefinementCtx): void {
  plants.forEach(({ probe }, index) => {
    const first = plants.findIndex((other) => other.probe.address === probe.address);
    const chip = plants[first]?.probe.chip;
    if (chip === probe.chip) return;
    const message = `says ${probe.chip} at the address of the ${chip} of plants[${first}]`;
    ctx.addIssue({ code: "custom", path: ["plants", index, "probe", "chip"], message });
  });
}
