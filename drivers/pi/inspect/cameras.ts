import { join } from "node:path";
import type { Machine, RunProgram } from "./machine.js";

export interface RibbonCamera {
  readonly program: "rpicam-still" | "libcamera-still";
  /** As the program counts. */
  readonly index: number;
  /** The sensor: "imx708_wide". */
  readonly sensor: string;
}

export interface Webcam {
  /** A name that stays the same, where udev made one; else /dev/videoN. */
  readonly device: string;
  readonly name: string;
}

/** Bookworm and later have `rpicam-still`, bullseye `libcamera-still` (docs/hardware.md, "Systems"). */
const PROGRAMS = ["rpicam-still", "libcamera-still"] as const;

/** Asks the program that takes pictures which cameras there are; it takes none. None where there is no such program. */
export async function ribbonCameras(run: RunProgram): Promise<readonly RibbonCamera[]> {
  for (const program of PROGRAMS) {
    const { said, status } = await run(program, ["--list-cameras"]);
    if (status !== undefined) return camerasIn(said).map((camera) => ({ program, ...camera }));
  }
  return [];
}

/** `0 : imx708_wide [4608x2592 10-bit RGGB] (/base/soc/i2c0mux/i2c@1/imx708@1a)` [rpicam-apps, core/rpicam_app.cpp]. */
export const camerasIn = (list: string): readonly Omit<RibbonCamera, "program">[] =>
  [...list.matchAll(/^(\d+) : (\S+) \[/gm)].map(([, index, sensor = ""]) => ({
    index: Number(index),
    sensor,
  }));

const VIDEO = "/sys/class/video4linux";

/**
 * Cameras on USB. A Pi shows a dozen video devices of its own (codecs, the image processor), which are no cameras; a webcam's
 * second device carries what it says about its pictures [Linux, uvc_metadata.c].
 */
export function webcams(machine: Machine): readonly Webcam[] {
  return machine
    .names(VIDEO)
    .filter((name) => isCamera(machine, name))
    .map((name) => webcamOf(machine, name));
}

const isCamera = (machine: Machine, video: string): boolean =>
  (machine.text(join(VIDEO, video, "device/modalias")) ?? "").startsWith("usb:") &&
  machine.text(join(VIDEO, video, "index")) === "0";

function webcamOf(machine: Machine, video: string): Webcam {
  const named = machine
    .names("/dev/v4l/by-id")
    .find((name) => machine.link(`/dev/v4l/by-id/${name}`)?.endsWith(`/${video}`));
  const device = named === undefined ? `/dev/${video}` : `/dev/v4l/by-id/${named}`;
  return { device, name: machine.text(join(VIDEO, video, "name")) ?? video };
}
