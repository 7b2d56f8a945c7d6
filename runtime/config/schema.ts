import { isAbsolute } from "node:path";
import { z } from "zod";
import { SPECIES_WORDS } from "../../drivers/bench/species.js";
import { MIN_FLOW } from "../../drivers/devices/pump.js";
import type { BoardConfig, CameraWiring, InputWiring, OutputWiring } from "../../drivers/open-board.js";
import { hex, type MlPerSecond, seconds } from "../../drivers/units.js";
import { isZone } from "../wire/house-time.js";
import { nearlyNamed } from "../wire/schema-keys.js";
import { shortId } from "../wire/short-id.js";
import { type CameraConfig, camera, probe, probeConfig, probeInput } from "./devices.js";
import {
  type InputConfig,
  input,
  inputName,
  interlock,
  interlockWiring,
  ledName,
  lightOutput,
  type OutputConfig,
  output,
  refuseSharedPins,
  refuseWhatNoInterlockCan,
} from "./wiring.js";

/** Whether only this machine can reach a port on this address. */
export const isOwnMachine = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

const file = z
  .string()
  .refine(isAbsolute, { error: "must be an absolute path: a service starts in another folder than you do" })
  .optional();

const tls = z
  .strictObject({
    host: z.string().min(1).default("0.0.0.0").describe("address to bind"),
    port: z.int().min(0).max(65_535).default(8732).describe("0 takes a free one"),
    cert: file.describe(
      "PEM, the server's own certificate first; without it, one made here, in the state folder",
    ),
    key: file.describe("PEM, readable by the service alone"),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    path: ["cert"],
    error: "cert and key go together: write both, or neither",
  });

/** Where the runtime listens, and its limits. */
const server = z
  .strictObject({
    host: z.string().min(1).default("127.0.0.1").describe("address to bind; loopback unless told otherwise"),
    port: z.int().min(0).max(65_535).default(8731).describe("0 takes a free one"),
    tls: tls.optional().describe("a second port with TLS, for the network; {} takes all its defaults"),
    plain_too: z
      .boolean()
      .default(false)
      .describe("open the port without TLS to the network, where host says so"),
    announce: z
      .boolean()
      .default(true)
      .describe(
        "tell the network by mDNS that there is a runtime, for tendril agent --discover; on loopback there is nobody to tell",
      ),
    public_url: z
      .url({ protocol: /^https?$/, error: "must be an address such as https://tendril.example.org/" })
      .optional()
      .describe("how others reach this runtime, for photo links"),
    allowed_hosts: z.array(z.string().min(1)).default([]).describe("further host names that clients may use"),
    max_connections: z
      .int()
      .min(1)
      .max(1000)
      .default(32)
      .describe("WebSocket connections at once, and as many HTTP exchanges"),
    max_frame_bytes: z
      .int()
      .min(16_384)
      .max(16_777_216)
      .default(1_048_576)
      .describe("the largest message over a WebSocket"),
    calls_per_second: z.number().min(1).max(100_000).default(50).describe("sustained rate per token"),
  })
  .superRefine((config, ctx) => {
    const message = plainPortTrouble(config);
    if (message !== undefined) ctx.addIssue({ code: "custom", path: ["host"], message });
  });

export type ServerConfig = z.output<typeof server>;

/** Nobody opens the port without TLS to the network by accident. Undefined if all is well. */
export function plainPortTrouble({
  host,
  plain_too,
}: Pick<ServerConfig, "host" | "plain_too">): string | undefined {
  if (plain_too || isOwnMachine(host)) return undefined;
  return `${host} would leave the port without TLS open to the network, where anybody can read the tokens: leave it out and use tls: {}, or say so with plain_too: true (--plain-too)`;
}

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
      "percent of the probe's span above which no water flows; by default 55, until the pot has shown what it holds",
    ),
});

const plant = z.strictObject({
  id: shortId.describe("names the plant in commands, tools and records; 1–32 of a–z, 0–9, _ and -"),
  formerly: z
    .array(shortId)
    .max(8)
    .default([])
    .describe("ids that this plant had before: its water of the last 24 h still counts"),
  name: z.string().min(1).max(60).optional().describe("what people call it; the id by default"),
  species: z.string().min(1).max(60).optional().describe("the caretaker goes by it"),
  probe: probe.prefault({}),
  pump: pump.prefault({}),
  water: plantWater.prefault({}),
  light: z
    .strictObject({ output: lightOutput.optional() })
    .optional()
    .describe("the grow light's relay, on a Pi"),
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
      const another = what === "probe input" ? `, such as ${freeInput(each.probe, plants)}` : "";
      if (first === undefined) seen.set(claim, `${what} of plants[${index}]`);
      else
        ctx.addIssue({
          code: "custom",
          path: ["plants", index],
          message: `its ${what} ${claim} is the ${first} too: give one of them another${another}`,
        });
    }
  });
}

/** An input that no plant has, as it is written: of the same ADC, or the address of another seesaw. */
function freeInput(
  { chip, address }: PlantConfig["probe"],
  plants: readonly z.output<typeof plant>[],
): string {
  const taken = new Set(plants.map(({ probe }) => probeInput(probe)));
  const isFree = (input: string) => !taken.has(input);
  if (chip === "seesaw") {
    const free = SEESAWS.find((each) => isFree(hex(each)));
    return `probe: { chip: seesaw, address: ${hex(free ?? address)} }`;
  }
  const free = CHANNELS.find((channel) => isFree(`${hex(address)}/${channel}`));
  if (free === undefined) return "probe: { address: 0x49 }, of a second ADC";
  const adc = `${chip === "ads1115" ? "" : `chip: ${chip}, `}${address === 0x48 ? "" : `address: ${hex(address)}, `}`;
  return `probe: { ${adc}channel: ${free} }`;
}

const SEESAWS = [0x36, 0x37, 0x38, 0x39];
const CHANNELS = [0, 1, 2, 3];

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

/** What the core's keys say is wired, in the drivers' units. Modules add to it: `boardWiring`. */
export function boardConfig(config: CoreConfig): BoardConfig {
  const interlock = interlockWiring(config.interlock);
  return {
    kind: config.board,
    i2cBus: config.i2c_bus,
    plants: config.plants.map(hardware),
    inputs: config.inputs.map((input) => inputWiring(input, config)),
    ...(interlock && { interlock }),
  };
}

function hardware({ id, species, probe, pump, light, camera }: PlantConfig): BoardConfig["plants"][number] {
  return {
    id,
    ...(species !== undefined && { species }),
    probe: probeConfig(probe),
    pump: {
      flow: pump.flow_ml_per_s as MlPerSecond,
      ...(pump.output && { output: outputWiring(pump.output, ledName(pump.output, id, "pump")) }),
    },
    ...(light?.output && {
      light: { output: outputWiring(light.output, ledName(light.output, id, "light")) },
    }),
    ...(camera && { camera: cameraWiring(camera) }),
  };
}

const cameraWiring = ({ timeout_seconds, ...camera }: CameraConfig): CameraWiring => ({
  ...camera,
  patience: seconds(timeout_seconds),
});

const outputWiring = (output: OutputConfig, led: string): OutputWiring => ({
  gpio: output.gpio,
  activeLow: output.active_low,
  via: output.via,
  led,
  acceptSoftwareCutoff: output.i_accept_software_cutoff,
});

const inputWiring = (input: InputConfig, { plants }: CoreConfig): InputWiring => ({
  kind: input.kind,
  name: inputName(input),
  gpio: input.gpio,
  activeLow: input.active_low,
  plants: input.plants ?? plants.map(({ id }) => id),
});

/** What is permitted, and easily not meant: each in a sentence. */

/** The plants of a real board that can get no water. */
export const withoutPump = ({ board, plants }: CoreConfig): string[] =>
  plants.flatMap(({ id, pump }) =>
    board === "pi" && !pump.output ? [`${id} has no pump (pump.output): it gets no water`] : [],
  );

/** A species may have any name; one of the known words, nearly written, is probably that word. */
export const misspeltSpecies = ({ plants }: CoreConfig): string[] =>
  plants.flatMap(({ id, species = "" }) => {
    const words = species.toLowerCase().split(/[^\p{L}]+/u);
    if (words.some((word) => SPECIES_WORDS.includes(word))) return [];
    const [near] = words.flatMap((word) => (word.length > 2 && nearlyNamed(word, SPECIES_WORDS)) || []);
    return near === undefined ? [] : [`species of ${id}: ${species}: did you mean ${near}?`];
  });
