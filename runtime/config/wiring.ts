import { z } from "zod";

/** Pins of the header that are free: 0 and 1 read a HAT's memory, 2 and 3 are the I²C bus. */
export const gpio = z
  .int()
  .min(4, { error: "must be 4 to 27: GPIO 0 to 3 belong to the HAT's memory and the I²C bus" })
  .max(27, { error: "must be 4 to 27, a BCM number of the header (not the number of the pin)" });

/** The pin that switches a relay. */
export const output = z
  .strictObject({
    gpio: gpio.describe("BCM number of the pin that switches the relay"),
    active_low: z.boolean().default(false).describe("whether the relay is on while the pin is low"),
    via: z
      .enum(["auto", "led", "sysfs", "pigpio"])
      .default("auto")
      .describe("how the pin is driven; auto takes the safest that is there"),
    led: z
      .string()
      .regex(/^[\w:-]{1,60}$/)
      .optional()
      .describe("name of the LED-class device; the plant's id and -pump or -light by default"),
    i_accept_software_cutoff: z
      .boolean()
      .default(false)
      .describe("take a pin whose end nothing but a process guarantees"),
  })
  .describe("the relay's pin, on a Pi");

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

interface Wired {
  readonly plants: ReadonlyArray<{
    readonly id: string;
    readonly probe: { readonly power_gpio?: number | undefined };
    readonly pump: { readonly output?: OutputConfig | undefined };
    readonly light?: { readonly output: OutputConfig } | undefined;
  }>;
  readonly inputs: readonly InputConfig[];
}

/** `shared`: others who claim it for the same may have it too. */
type Claim = readonly [
  what: string,
  name: string | number | undefined,
  path: PropertyKey[],
  shared?: "probe supply",
];

/** A pin, an LED or an input's name serves one purpose, but several probes one supply; an input concerns plants that are there. */
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
  refuseUnknownPlants(config, ctx);
}

function claimsOf({ plants, inputs }: Wired): Claim[] {
  const outputs = plants.flatMap(({ probe, pump, light }, at): Claim[] => [
    ["GPIO", probe.power_gpio, ["plants", at, "probe", "power_gpio"], "probe supply"],
    ...claimsOfOutput(pump.output, ["plants", at, "pump", "output"]),
    ...claimsOfOutput(light?.output, ["plants", at, "light", "output"]),
  ]);
  const sensors = inputs.flatMap(({ gpio, name }, at): Claim[] => [
    ["GPIO", gpio, ["inputs", at, "gpio"]],
    ["input", name, ["inputs", at, "name"]],
  ]);
  return [...outputs, ...sensors];
}

const claimsOfOutput = (output: OutputConfig | undefined, path: PropertyKey[]): Claim[] => [
  ["GPIO", output?.gpio, [...path, "gpio"]],
  ["LED", output?.led, [...path, "led"]],
];

function refuseUnknownPlants({ plants, inputs }: Wired, ctx: z.core.$RefinementCtx): void {
  const ids = new Set(plants.map(({ id }) => id));
  inputs.forEach(({ plants: named = [] }, at) => {
    const unknown = named.find((id) => !ids.has(id));
    if (unknown === undefined) return;
    const message = `names "${unknown}", which is no plant's id`;
    ctx.addIssue({ code: "custom", path: ["inputs", at, "plants"], message });
  });
}
