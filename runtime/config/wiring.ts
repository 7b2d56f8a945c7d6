import { z } from "zod";
import type { InterlockWiring } from "../../drivers/board.js";

/** The free pins of the header: 0 and 1 read a HAT's memory, 2 and 3 are the I²C bus. */
export const gpio = z
  .int()
  .min(4, { error: "must be 4 to 27: GPIO 0 to 3 belong to the HAT's memory and the I²C bus" })
  .max(27, { error: "must be 4 to 27, a BCM number of the header (not the number of the pin)" });

const outputKeys = z.strictObject(
  {
    gpio: gpio.describe("BCM number of the pin that switches the relay"),
    active_low: z.boolean().default(false).describe("whether the relay is on while the pin is low"),
    via: z
      .enum(["auto", "led", "sysfs", "pigpio"])
      .default("auto")
      .describe("how the pin is driven; auto takes the safest that is there"),
    led: z
      .string()
      .regex(/^[\w:-]{1,60}$/, {
        error: "must be a name in /sys/class/leds: 1–60 of A–Z, a–z, 0–9, _, : and -",
      })
      .optional()
      .describe("name of the LED-class device; the plant's id and -pump or -light by default"),
    i_accept_software_cutoff: z
      .boolean()
      .default(false)
      .describe("accept a pin whose pulse only a process ends: docs/hardware.md"),
  },
  { error: ({ code }) => (code === "invalid_type" ? "must be a mapping: output: { gpio: 17 }" : undefined) },
);

export const output = outputKeys.superRefine(refuseIdleOptions).describe("the relay's pin, on a Pi");

/** pigpio's longest wave lasts 268 s (docs/hardware.md); a light's pulse may last two hours. */
export const lightOutput = output.refine(({ via }) => via !== "pigpio", {
  path: ["via"],
  error: "pigpio ends no pulse of two hours: use via: led for a light",
});

export const input = z.strictObject({
  kind: z
    .enum(["stop", "leak", "tank"])
    .describe("stop: a button; leak: water where none should be; tank: nothing left to pump"),
  name: z.string().min(1).max(60).optional().describe("for messages; the kind and the pin by default"),
  gpio: gpio.describe("BCM number"),
  active_low: z.boolean().default(true).describe("whether low means pressed, wet or empty"),
  plants: z.array(z.string()).min(1).optional().describe("ids of the plants it concerns; all by default"),
});

export type OutputConfig = z.output<typeof output>;
export type InputConfig = z.output<typeof input>;

/** The input's name in messages and for the guard. */
export const inputName = ({ name, kind, gpio }: InputConfig): string =>
  name ?? `${kind} input at GPIO ${gpio}`;

export const ledName = ({ led }: OutputConfig, plant: string, load: "pump" | "light"): string =>
  led ?? `${plant}-${load}`;

/** Refuses options that do nothing: they come from a misunderstanding of how the relay is driven. */
function refuseIdleOptions(output: z.output<typeof outputKeys>, ctx: z.core.$RefinementCtx): void {
  const { via, led, i_accept_software_cutoff: accepted } = output;
  const refuse = (key: string, message: string) => ctx.addIssue({ code: "custom", path: [key], message });
  if (led !== undefined && (via === "sysfs" || via === "pigpio"))
    refuse("led", `does nothing with via: ${via}, which has no LED`);
  if (accepted && (via === "led" || via === "pigpio"))
    refuse("i_accept_software_cutoff", `does nothing with via: ${via}, whose pulses the hardware ends`);
}

interface Wired {
  readonly plants: ReadonlyArray<{
    readonly id: string;
    readonly probe: { readonly power_gpio?: number | undefined };
    readonly pump: { readonly output?: OutputConfig | undefined };
    readonly light?: { readonly output?: OutputConfig | undefined } | undefined;
  }>;
  readonly inputs: readonly InputConfig[];
  readonly interlock: InterlockConfig;
}

/** `shared`: claims for the same purpose may share a name. Default names are equal only if ids or pins are. */
type Claim = readonly [
  what: string,
  name: string | number | undefined,
  path: PropertyKey[],
  shared?: "probe supply" | "default name",
];

/** Each pin, LED and input name has one use (but probes may share a supply), and inputs name existing plants. */
export function refuseSharedPins(config: Wired, ctx: z.core.$RefinementCtx): void {
  const seen = new Map<string, Claim>();
  for (const claim of claimsOf(config)) {
    const [what, name, path, shared] = claim;
    if (name === undefined) continue;
    const key = `${what} ${name}`;
    const first = seen.get(key);
    if (first && (shared === undefined || first[3] !== shared)) {
      const message = `${key} is taken by ${z.core.toDotPath(first[2])} already`;
      ctx.addIssue({ code: "custom", path, message });
    }
    seen.set(key, first ?? claim);
  }
  refuseSecondPigpio(config, ctx);
  refuseUnknownPlants(config, ctx);
}

function claimsOf({ plants, inputs, interlock }: Wired): Claim[] {
  const uart = interlockPins(interlock).map((pin): Claim => ["GPIO", pin, ["interlock"]]);
  const outputs = plants.flatMap(({ id, probe, pump, light }, at): Claim[] => [
    ["GPIO", probe.power_gpio, ["plants", at, "probe", "power_gpio"], "probe supply"],
    ...claimsOfOutput(pump.output, id, "pump", ["plants", at, "pump", "output"]),
    ...claimsOfOutput(light?.output, id, "light", ["plants", at, "light", "output"]),
  ]);
  const sensors = inputs.flatMap((input, at): Claim[] => [
    ["GPIO", input.gpio, ["inputs", at, "gpio"]],
    named("input", inputName(input), ["inputs", at], "name", input),
  ]);
  return [...uart, ...outputs, ...sensors];
}

function claimsOfOutput(
  output: OutputConfig | undefined,
  plant: string,
  load: "pump" | "light",
  path: PropertyKey[],
): Claim[] {
  if (!output) return [];
  const pin: Claim = ["GPIO", output.gpio, [...path, "gpio"]];
  if (output.via === "sysfs" || output.via === "pigpio") return [pin];
  return [pin, named("LED", ledName(output, plant, load), path, "led", output)];
}

/** The claim of a name: written at `key`, or the default. */
const named = <K extends string>(
  what: string,
  name: string,
  path: PropertyKey[],
  key: K,
  from: { readonly [_ in K]?: string | undefined },
): Claim => (from[key] === undefined ? [what, name, path, "default name"] : [what, name, [...path, key]]);

/** A second wave replaces the first, and with it the first one's end [abyz.me.uk, gpioWaveTxSend]. */
function refuseSecondPigpio({ plants }: Wired, ctx: z.core.$RefinementCtx): void {
  const [first, ...others] = plants.flatMap(({ pump }, at) => (pump.output?.via === "pigpio" ? [at] : []));
  for (const at of others) {
    const message = `pigpio times one pulse at once, and plants[${first}] has it: use via: led`;
    ctx.addIssue({ code: "custom", path: ["plants", at, "pump", "output", "via"], message });
  }
}

function refuseUnknownPlants({ plants, inputs }: Wired, ctx: z.core.$RefinementCtx): void {
  const ids = new Set(plants.map(({ id }) => id));
  inputs.forEach(({ plants: named = [] }, at) => {
    const unknown = named.find((id) => !ids.has(id));
    if (unknown === undefined) return;
    const message = `names "${unknown}", which is no plant's id`;
    ctx.addIssue({ code: "custom", path: ["inputs", at, "plants"], message });
  });
}

/** Device names of the kernel and udev. A name under by-id stays the same when adapters change their order. */
const SERIAL_DEVICE = /^\/dev\/(serial[01]|tty[A-Za-z]{1,8}\d{1,3}|serial\/by-id\/\w[\w.+:-]{0,199})$/;

const serial = z.strictObject({
  via: z.literal("serial"),
  port: z
    .string()
    .regex(SERIAL_DEVICE, {
      error: "must be /dev/serial0, /dev/ttyAMA0 or the like, or /dev/serial/by-id/NAME",
    })
    .default("/dev/serial0")
    .describe("the UART it is wired to; the Pi's own, with the console off, by default"),
});

const VIA = "none; serial: as in interlock.md; bench: simulated";

const kinds = z.discriminatedUnion(
  "via",
  [
    z.strictObject({ via: z.literal("none").describe(VIA) }),
    z.strictObject({ via: z.literal("bench") }),
    serial,
  ],
  { error: 'must be "none", "serial" or "bench", or say one of these as via' },
);

const NAMES = ["none", "serial", "bench"];

/** `serial` is short for `{ via: serial }`. Any other word gets an error with its line. */
export const interlock = z.preprocess(
  (given) => (typeof given === "string" && NAMES.includes(given) ? { via: given } : given),
  kinds,
);

type InterlockConfig = z.output<typeof kinds>;

/** The header's pins of the Pi's own UART (docs/hardware.md, "Which pins"). */
const UART_PINS = [14, 15];
const PI_UART = /^\/dev\/(serial0|ttyAMA0|ttyS0)$/;

const interlockPins = (config: InterlockConfig): readonly number[] =>
  config.via === "serial" && PI_UART.test(config.port) ? UART_PINS : [];

/** In the drivers' terms; undefined without an interlock. */
export const interlockWiring = (config: InterlockConfig): InterlockWiring | undefined =>
  config.via === "none" ? undefined : { port: config.via === "serial" ? config.port : undefined };

interface WithInterlock {
  readonly board: "bench" | "pi";
  readonly interlock: InterlockConfig;
  readonly plants: ReadonlyArray<{ readonly light?: unknown }>;
}

/** An interlock has one contact for a light, and a real board has no simulated interlock. */
export function refuseWhatNoInterlockCan(config: WithInterlock, ctx: z.core.$RefinementCtx): void {
  const { board, interlock, plants } = config;
  if (interlock.via === "none") return;
  const refuse = (path: PropertyKey[], message: string) => ctx.addIssue({ code: "custom", path, message });
  if (board === "pi" && interlock.via === "bench")
    refuse(["interlock"], "is simulated, and board: pi is not: say serial, or none");
  const [first, ...others] = plants.flatMap(({ light }, at) => (light ? [at] : []));
  for (const at of others)
    refuse(["plants", at, "light"], `the interlock has one light contact, and plants[${first}] has it`);
}
