import type { PlantHardwareConfig } from "../board.js";
import { Camera } from "../devices/camera.js";
import { sizeOfJpeg } from "../devices/jpeg.js";
import { Mutex } from "../mutex.js";
import type { Clock, Frame, FrameSource } from "../ports.js";
import type { Millis } from "../units.js";
import { type CameraCommand, type CameraWiring, commandFor, deviceOf } from "./camera-command.js";
import { type Output, ProgramRun, programFailed } from "./program-run.js";

/** A camera that is operated by a program of the system. */
export class CommandCamera implements FrameSource {
  constructor(
    private readonly command: CameraCommand,
    private readonly parts: {
      readonly clock: Clock;
      readonly patience: Millis;
      /** Of the device: cameras that share one take turns. */
      readonly mutex: Mutex;
    },
  ) {}

  /** Runs the program once. Rejects with CAMERA_FAILED or CAMERA_PROGRAM_MISSING; if aborted, at once with the signal's reason. */
  grab(signal?: AbortSignal): Promise<Frame> {
    return this.parts.mutex.run(async () => this.frameOf(await this.run(signal)), signal);
  }

  private async run(signal?: AbortSignal): Promise<Output> {
    const { clock, patience } = this.parts;
    const run = new ProgramRun(this.command, clock);
    const abandon = () => run.end(signal?.reason);
    const cancel = clock.after(patience, () => run.giveUp(`gave no picture within ${patience / 1000} s`));
    signal?.addEventListener("abort", abandon, { once: true });
    return run.output.finally(() => {
      cancel();
      signal?.removeEventListener("abort", abandon);
    });
  }

  private frameOf({ bytes, stderr }: Output): Frame {
    const size = sizeOfJpeg(bytes);
    if (size) return { jpeg: bytes, ...size };
    const what = bytes.length === 0 ? "gave no picture" : `gave ${bytes.length} bytes that are no whole JPEG`;
    throw programFailed(this.command, what, stderr);
  }
}

/** The cameras by plant; a plant without one is absent. Plants may share a device, and then take turns at it. Starts nothing yet. */
export function openCameras(
  plants: readonly PlantHardwareConfig[],
  clock: Clock,
  command: (wiring: CameraWiring) => CameraCommand = commandFor,
): Map<string, Camera> {
  const mutexes = new Map<string, Mutex>();
  const cameras = new Map<string, Camera>();
  for (const { id, camera } of plants) {
    if (!camera) continue;
    const device = deviceOf(camera);
    const own = mutexes.get(device) ?? new Mutex();
    mutexes.set(device, own);
    const source = new CommandCamera(command(camera), { clock, patience: camera.patience, mutex: own });
    cameras.set(id, new Camera(source));
  }
  return cameras;
}
