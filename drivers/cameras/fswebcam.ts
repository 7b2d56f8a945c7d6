import { type CameraCommand, WARM_UP_FRAMES, type WebcamWiring } from "./camera-wiring.js";

/**
 * Options as in fswebcam(1): `-` is the standard output, and comes last, since output options hold for the files named
 * after them; `--jpeg` takes 0 to 95. The program splits a device's name at colons (src.c, src_open), and
 * ends with status 0 when it took no picture.
 */
export const fswebcam = (wiring: WebcamWiring): CameraCommand => ({
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
