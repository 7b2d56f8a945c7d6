import type { CameraCommand, CameraWiring } from "./camera-wiring.js";
import { ffmpeg } from "./ffmpeg.js";
import { fswebcam } from "./fswebcam.js";
import { rpicamStill } from "./rpicam-still.js";

/** The program that takes a picture, and its arguments. */
export function commandFor(wiring: CameraWiring): CameraCommand {
  if ("index" in wiring) return rpicamStill(wiring);
  return wiring.program === "ffmpeg" ? ffmpeg(wiring) : fswebcam(wiring);
}
