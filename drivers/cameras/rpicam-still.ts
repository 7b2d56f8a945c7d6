import { type CameraCommand, deviceOf, type RpicamWiring } from "./camera-wiring.js";

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
export const rpicamStill = (wiring: RpicamWiring): CameraCommand => ({
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
