import { z } from "zod";

/** Both even, as rpicam-still wants them (rpicam-apps, image/jpeg.cpp). The most is a choice: decoding 5 megapixels takes 120 MB. */
const side = (most: number) =>
  z.int().min(64).max(most).multipleOf(2, { error: "must be even, as camera programs want it" });

/** The defaults are choices: a size that webcams commonly have and that shows a leaf's state, in some 300 kB. */
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
  program: z.enum(["rpicam-still", "libcamera-still"]),
  index: z.int().min(0).max(3).default(0).describe("which one, as rpicam-still --list-cameras counts"),
  rotation: z
    .literal([0, 180], { error: "must be 0 or 180: these programs can do no other" })
    .default(0)
    .describe("degrees"),
  ...picture,
});

/** Names without a colon, at which fswebcam would split them. */
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
  rotation: z
    .literal([0, 90, 180, 270], { error: "must be 0, 90, 180 or 270" })
    .default(0)
    .describe("degrees clockwise"),
  ...picture,
});

/** A camera on the ribbon connector or on USB, by the program that works it. */
export const camera = z.discriminatedUnion("program", [ribbonCamera, webcam], {
  error: 'needs a program: "rpicam-still", "libcamera-still", "fswebcam" or "ffmpeg"',
});

export type CameraConfig = z.output<typeof camera>;
