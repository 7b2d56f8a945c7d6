import { z } from "zod";
import type { ProbeConfig as ProbeHardware, ProbePowerWiring } from "../../drivers/board.js";
import { counts, hex, millis, volts } from "../../drivers/units.js";
import { LEAST_SPAN } from "../wire/probe-levels.js";
import { isObject } from "../wire/refusal.js";
import { MAPPING } from "../wire/schema-keys.js";
import { gpio } from "./wiring.js";

/** A choice: ample for a capacitive probe; Adafruit gives a seesaw as long to start (seesaw.py, sw_reset). */
const power = {
  power_gpio: gpio
    .optional()
    .describe("BCM number of the pin that feeds the probe while it is read; probes may share one"),
  power_settle_ms: z
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe("from switching the probe on until its level is right"),
};

/** Addresses are in hexadecimal, as in datasheets and i2cdetect; the first is the default. */
function address(first: string, last: string) {
  const error = `must be ${first} to ${last}`;
  return z.int({ error }).min(Number(first), { error }).max(Number(last), { error }).default(Number(first));
}

const level = z.number().min(0).max(4.096);

const analogue = z
  .strictObject({
    chip: z.enum(["ads1115", "ads1015"]).describe("the ADC, or the sensor's own chip"),
    address: address("0x48", "0x4b").describe("I²C address"),
    channel: z.int().min(0).max(3).default(0).describe("input of the ADC the probe is wired to"),
    dry_volts: level.default(2.75).describe("the probe's voltage in dry air or bone-dry soil"),
    wet_volts: level.default(1.2).describe("the probe's voltage in water or soaked soil"),
    ...power,
  })
  .refine(({ dry_volts, wet_volts }) => Math.abs(dry_volts - wet_volts) >= LEAST_SPAN.V, {
    error: "dry_volts and wet_volts must differ by at least 0.1 V",
  });

/** A seesaw's largest count is 4095. */
const count = z.int().min(0).max(4095);

/** "About 200 (very dry) to 2000 (very wet)" (Adafruit's guide to the STEMMA soil sensor). Soil spans less. */
const seesaw = z
  .strictObject({
    chip: z.literal("seesaw"),
    address: address("0x36", "0x39"),
    dry_counts: count.default(200).describe("the sensor's count in dry air or bone-dry soil"),
    wet_counts: count.default(2000).describe("the sensor's count in water or soaked soil"),
    ...power,
  })
  .refine(({ dry_counts, wet_counts }) => Math.abs(dry_counts - wet_counts) >= LEAST_SPAN.counts, {
    error: "dry_counts and wet_counts must differ by at least 100",
  });

/** Of a union by chip. `chips`: what a chip must be. */
export const chipError =
  (chips: string) =>
  ({ code }: { readonly code?: string | undefined }): string =>
    code === "invalid_union" ? chips : `must be ${MAPPING}`;

/** Without a chip, what is given is of the chip `usual`. */
export const withUsualChip = <Kinds extends z.ZodType>(usual: string, kinds: Kinds) =>
  z.preprocess((given) => (isObject(given) && !("chip" in given) ? { chip: usual, ...given } : given), kinds);

const kinds = z.discriminatedUnion("chip", [analogue, seesaw], {
  error: chipError('must be "ads1115", "ads1015" or "seesaw"'),
});
export const probe = withUsualChip("ads1115", kinds);

type ProbeConfig = z.output<typeof kinds>;

/** The input that no two probes may share. */
export const probeInput = (probe: ProbeConfig): string =>
  probe.chip === "seesaw" ? hex(probe.address) : `${hex(probe.address)}/${probe.channel}`;

/** In the drivers' units. */
export function probeConfig(probe: ProbeConfig): ProbeHardware {
  const { address } = probe;
  if (probe.chip === "seesaw") {
    const calibration = { dry: counts(probe.dry_counts), wet: counts(probe.wet_counts) };
    return { chip: probe.chip, address, calibration, ...powerOf(probe) };
  }
  const calibration = { dry: volts(probe.dry_volts), wet: volts(probe.wet_volts) };
  const channel = probe.channel as 0 | 1 | 2 | 3;
  return { chip: probe.chip, address, channel, calibration, ...powerOf(probe) };
}

const powerOf = ({ power_gpio, power_settle_ms }: ProbeConfig): { power?: ProbePowerWiring } =>
  power_gpio === undefined ? {} : { power: { gpio: power_gpio, settle: millis(power_settle_ms) } };

/** Even, as rpicam-still needs it (rpicam-apps, image/jpeg.cpp). The maximum is a choice: 5 megapixels take 120 MB. */
const side = (most: number) =>
  z.int().min(64).max(most).multipleOf(2, { error: "must be even, as camera programs need it" });

/** The defaults are choices: a common size of webcams that shows a leaf's state, in about 300 kB. */
const picture = {
  width: side(2592).default(1280).describe("pixels; the camera may give another size"),
  height: side(1944).default(720).describe("pixels"),
  quality: z.int().min(1).max(95).default(85).describe("of the JPEG, as libjpeg counts it"),
  timeout_seconds: z
    .int()
    .min(5)
    .max(120)
    .default(20)
    .describe("the program is ended after this; it needs a few seconds for the exposure to settle"),
};

const ribbonCamera = z.strictObject({
  program: z
    .enum(["rpicam-still", "libcamera-still"])
    .describe(
      "rpicam-still for the ribbon connector (libcamera-still on bookworm), fswebcam or ffmpeg for USB",
    ),
  index: z.int().min(0).max(3).default(0).describe("which one, as rpicam-still --list-cameras counts"),
  rotation: z
    .literal([0, 180], { error: "must be 0 or 180: these programs know no other" })
    .default(0)
    .describe("degrees clockwise; 0 or 180 with rpicam-still and libcamera-still"),
  ...picture,
});

/** Names without a colon, because fswebcam splits names at colons. */
const V4L2_DEVICE = /^\/dev\/(video\d{1,3}|v4l\/by-id\/\w[\w.+-]{0,199})$/;

const webcam = z.strictObject({
  program: z.enum(["fswebcam", "ffmpeg"]),
  device: z
    .string()
    .regex(V4L2_DEVICE, { error: "must be /dev/videoN or /dev/v4l/by-id/NAME" })
    .default("/dev/video0")
    .describe(
      "/dev/videoN, or a name under /dev/v4l/by-id, which stays the same when webcams change their order",
    ),
  rotation: z.literal([0, 90, 180, 270], { error: "must be 0, 90, 180 or 270" }).default(0),
  ...picture,
});

/** A camera on the ribbon connector or on USB, by the program that takes its pictures. */
export const camera = z.discriminatedUnion("program", [ribbonCamera, webcam], {
  error: 'needs a program: "rpicam-still", "libcamera-still", "fswebcam" or "ffmpeg"',
});

export type CameraConfig = z.output<typeof camera>;
