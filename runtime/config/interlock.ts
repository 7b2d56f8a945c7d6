import { z } from "zod";
import type { InterlockWiring } from "../../drivers/board.js";

/** Device names as the kernel and udev make them; a name under by-id stays the same when adapters change their order. */
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

const kinds = z.discriminatedUnion(
  "via",
  [z.strictObject({ via: z.literal("none") }), z.strictObject({ via: z.literal("bench") }), serial],
  { error: 'must be "none", "serial" or "bench", or say one of these as via' },
);

const NAMES = ["none", "serial", "bench"];

/** `serial` alone is short for `{ via: serial }`; another word is told of where it stands. */
export const interlock = z.preprocess(
  (given) => (typeof given === "string" && NAMES.includes(given) ? { via: given } : given),
  kinds,
);

export type InterlockConfig = z.output<typeof kinds>;

/** The Pi's own UART is on these pins of the header (docs/hardware.md, "Which pins"). */
const UART_PINS = [14, 15];
const PI_UART = /^\/dev\/(serial0|ttyAMA0|ttyS0)$/;

/** Pins that nothing else may have. */
export const interlockPins = (config: InterlockConfig): readonly number[] =>
  config.via === "serial" && PI_UART.test(config.port) ? UART_PINS : [];

/** In the words of the drivers; undefined where there is none. */
export const interlockWiring = (config: InterlockConfig): InterlockWiring | undefined =>
  config.via === "none" ? undefined : { port: config.via === "serial" ? config.port : undefined };

interface Wired {
  readonly board: "bench" | "pi";
  readonly interlock: InterlockConfig;
  readonly plants: ReadonlyArray<{ readonly light?: unknown }>;
}

/** It has one contact for a light, and is no simulation on a real board. */
export function refuseWhatNoInterlockCan(config: Wired, ctx: z.core.$RefinementCtx): void {
  const { board, interlock, plants } = config;
  if (interlock.via === "none") return;
  const refuse = (path: PropertyKey[], message: string) => ctx.addIssue({ code: "custom", path, message });
  if (board === "pi" && interlock.via === "bench")
    refuse(["interlock"], "is simulated, and board: pi is not: say serial, or none");
  const [first, ...others] = plants.flatMap(({ light }, at) => (light ? [at] : []));
  for (const at of others)
    refuse(["plants", at, "light"], `the interlock has one light contact, and plants[${first}] has it`);
}
