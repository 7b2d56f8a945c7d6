import type { Millis } from "../units.js";

export function commandFor(wiring: CameraWiring): CameraCommand {
  if ("index" in wiring) return rpicamStill(wiring);
  return wiring.program === "ffmpeg" ? ffmpeg(wiring) : fswebcam(wiring);
}

interface PictureWiring {
  /** Pixels, before any rotation. A camera that cannot do this size may give another. */
  readonly width: number;
  readonly height: number;
  /** As libjpeg counts it, 1 (smallest file) to 95 (best). */
  readonly quality: number;
  /** The program is ended after this. */
  readonly patience: Millis;
}

/** A camera on the Pi's ribbon connector. The image processor can turn a picture upside down, not on its side. */
export interface RpicamWiring extends PictureWiring {
  readonly program: "rpicam-still" | "libcamera-still";
  /** As `rpicam-still --list-cameras` counts. */
  readonly index: number;
  readonly rotation: 0 | 180;
}

/** Whatever the kernel shows as a V4L2 device: a webcam on USB. */
export interface WebcamWiring extends PictureWiring {
  readonly program: "fswebcam" | "ffmpeg";
  /** /dev/video0, /dev/v4l/by-id/… */
  readonly device: string;
  /** Degrees clockwise. */
  readonly rotation: 0 | 90 | 180 | 270;
}

export type CameraWiring = RpicamWiring | WebcamWiring;

/** What two programs cannot have at once. */
export const deviceOf = (wiring: CameraWiring): string =>
  "index" in wiring ? `camera ${wiring.index}` : wiring.device;

/** Frames of a webcam that are thrown away: a choice, two thirds of a second at 30 frames per second, for its exposure to settle. */
const WARM_UP_FRAMES = 20;

/** A program that writes one JPEG to its standard output. It is never run by a shell. */
export interface CameraCommand {
  /** For messages: "/dev/video0", "camera 1". */
  readonly device: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly debianPackage: string;
}

/**
 * How long the camera runs before the picture, so that exposure and white balance settle: a choice; the program's own is
 * 5 s, and `--immediate` would leave this phase out.
 */
const SETTLING_MS = 2000;

/** Raspberry Pi OS has had `rpicam-*` since Bookworm; before, the same programs were called `libcamera-*`. */
const PACKAGES = { "rpicam-still": "rpicam-apps", "libcamera-still": "libcamera-apps" } as const;

/**
 * Options as in rpicam-apps, core/options.cpp and core/still_options.hpp: rotation is 0 or 180; a timeout without a unit is
 * in ms. `--output -` is the standard output (image/jpeg.cpp, jpeg_save), which also wants width and height even.
 * `--thumb none`: nobody looks at a thumbnail.
 */
const rpicamStill = (wiring: RpicamWiring): CameraCommand => ({
  device: deviceOf(wiring),
  file: wiring.program,
  args: [
    "--nopreview",
    ...["--camera", String(wiring.index)],
    ...["--timeout", String(SETTLING_MS)],
    ...["--width", String(wiring.width)],
    ...["--height", String(wiring.height)],
    ...["--rotation", String(wiring.rotation)],
    ...["--encoding", "jpg"],
    ...["--quality", String(wiring.quality)],
    ...["--thumb", "none"],
    ...["--output", "-"],
  ],
  debianPackage: PACKAGES[wiring.program],
});

/**
 * Options as in fswebcam(1): `-` is the standard output, and comes last, since output options hold for the files named
 * after them; `--jpeg` takes 0 to 95. The program splits a device's name at colons (src.c, src_open), and
 * ends with status 0 when it took no picture.
 */
const fswebcam = (wiring: WebcamWiring): CameraCommand => ({
  device: wiring.device,
  file: "fswebcam",
  args: [
    "--quiet",
    ...["--device", wiring.device],
    ...["--resolution", `${wiring.width}x${wiring.height}`],
    ...["--skip", String(WARM_UP_FRAMES)],
    "--no-banner",
    ...(wiring.rotation === 0 ? [] : ["--rotate", String(wiring.rotation)]),
    ...["--jpeg", String(wiring.quality)],
    "-",
  ],
  debianPackage: "fswebcam",
});

/** ffmpeg-filters(1), "transpose", "hflip" and "vflip". */
const TURNED = {
  0: [],
  90: ["transpose=clock"],
  180: ["hflip", "vflip"],
  270: ["transpose=cclock"],
} as const;

/** Quantiser scales of an MJPEG encoder, finest to coarsest, as `-qscale` takes them. */
const SCALES = [2, 31] as const;
/** Qualities as libjpeg counts them. */
const QUALITIES = [95, 1] as const;

/**
 * Options as in ffmpeg(1) and ffmpeg-devices(1), "video4linux2"; "trim" drops the first frames (ffmpeg-filters(1)).
 * `-nostdin`, or it would read commands there.
 */
const ffmpeg = (wiring: WebcamWiring): CameraCommand => ({
  device: wiring.device,
  file: "ffmpeg",
  args: [
    ...["-nostdin", "-hide_banner", "-loglevel", "error"],
    ...["-f", "v4l2", "-video_size", `${wiring.width}x${wiring.height}`, "-i", wiring.device],
    ...["-vf", [`trim=start_frame=${WARM_UP_FRAMES}`, ...TURNED[wiring.rotation]].join(",")],
    ...["-frames:v", "1", "-c:v", "mjpeg", "-qscale:v", String(scaleFor(wiring.quality))],
    ...["-f", "image2pipe", "pipe:1"],
  ],
  debianPackage: "ffmpeg",
});

/** The two count differently, and no table relates them: a straight line from best to best and worst to worst, a choice. */
function scaleFor(quality: number): number {
  const [best, worst] = QUALITIES;
  const [finest, coarsest] = SCALES;
  return Math.round(finest + ((best - quality) / (best - worst)) * (coarsest - finest));
}
