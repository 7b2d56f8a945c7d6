import { z } from "zod";
import { ROOM_CHIP_NAMES, ROOM_CHIPS } from "../../drivers/devices/room-sensor.js";
import { hex } from "../../drivers/units.js";
import { MAX_PLANTS } from "../config/schema.js";
import { gpio } from "../config/wiring.js";
import { ConfigError } from "../errors.js";
import { MAPPING } from "../wire/schema-keys.js";
import { shortId } from "../wire/short-id.js";
import { readYaml } from "../wire/yaml-file.js";

/** The pin's level when something is on, pressed, wet or empty. */
const level = z.enum(["high", "low"], { error: 'must be "high" or "low": the pin\'s level' });

const relay = z.strictObject({
  gpio: gpio.optional(),
  on_when: level.optional().describe("the pin's level at which the relay is on"),
});

const contact = z.strictObject({
  gpio,
  active_when: level.describe("the pin's level at which it is pressed, wet or empty"),
});

const orNone = <T extends z.ZodType>(schema: T, form = MAPPING) =>
  z.union([z.literal("none"), schema], { error: `must be "none" or ${form}` }).optional();

/** "0x48/0": input A0 of the ADC at 0x48. "0x36": a seesaw. */
const PROBE = /^(0x4[89ab]\/[0-3]|0x3[6-9])$/;

const room = z
  .strictObject({
    place: z.string().min(1).max(60),
    chip: z.enum(ROOM_CHIP_NAMES).default(ROOM_CHIP_NAMES[0]),
    address: z.string(),
  })
  .superRefine(({ chip, address }, ctx) => {
    const own = ROOM_CHIPS[chip].addresses.map((each) => hex(each));
    if (own.includes(address)) return;
    const message = `must be ${own.map((each) => `"${each}"`).join(" or ")}, where a ${chip.toUpperCase()} is`;
    ctx.addIssue({ code: "custom", path: ["address"], message, input: address });
  });

const plant = z.strictObject({
  id: shortId,
  name: z.string().min(1).max(60).optional(),
  species: z.string().min(1).max(60).optional(),
  probe: z
    .string()
    .regex(PROBE, { error: 'must be "0x48/0" (address and input of an ADC) or "0x36" (a seesaw)' })
    .optional(),
  pump: orNone(relay.extend({ flow_ml_per_s: z.number().optional() })),
  light: orNone(relay),
  camera: z.string().min(1).optional().describe('"none", "rpicam-still 0" or a webcam\'s /dev/video0'),
});

/** A person's answers, in the guide or in a file. Missing ones must follow from the hardware. */
export const answersSchema = z.strictObject({
  board: z.enum(["pi", "bench"]).optional(),
  plants: z.array(plant).min(1).max(MAX_PLANTS).optional(),
  climate: orNone(z.array(room), "a list").describe("sensors by room"),
  stop_button: orNone(contact),
  leak_sensor: orNone(contact),
  tank_float: orNone(contact),
  interlock: z.string().min(1).optional().describe('"none" or a serial port, as /dev/serial0'),
  network: z
    .enum(["this computer", "house"], { error: 'must be "this computer" or "house"' })
    .optional()
    .describe("who may reach the runtime"),
});

export type Answers = z.output<typeof answersSchema>;
export type PlantAnswers = NonNullable<Answers["plants"]>[number];
export type RelayAnswers = z.output<typeof relay>;
export type ContactAnswers = z.output<typeof contact>;

/** Throws a ConfigError with one line per mistake. */
export const readAnswers = (file: string): Answers =>
  readYaml(file, answersSchema, (problems) => new ConfigError(problems));
