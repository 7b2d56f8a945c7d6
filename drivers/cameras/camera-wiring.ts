import type { Millis } from "../units.js";

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
export const WARM_UP_FRAMES = 20;

/** A program that writes one JPEG to its standard output. It is never run by a shell. */
export interface CameraCommand {
  /** For messages: "/dev/video0", "camera 1". */
  readonly device: string;
  readonly file: string;
  readonly args: readonly string[];
  /** What a person installs to have the program. */
  readonly debianPackage: string;
}
