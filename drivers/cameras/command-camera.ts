import { sizeOfJpeg } from "../devices/jpeg.js";
import type { Clock, Frame, FrameSource } from "../ports.js";
import type { Turns } from "../turns.js";
import type { Millis } from "../units.js";
import type { CameraCommand } from "./camera-wiring.js";
import { type Output, ProgramRun, programFailed } from "./program-run.js";

/** A camera that a program of the system works. */
export class CommandCamera implements FrameSource {
  constructor(
    private readonly command: CameraCommand,
    private readonly parts: {
      readonly clock: Clock;
      readonly patience: Millis;
      /** Of the device: cameras that share one take turns. */
      readonly turns: Turns;
    },
  ) {}

  /** Runs the program once. Rejects with CAMERA_FAILED or CAMERA_PROGRAM_MISSING; if aborted, at once with the signal's reason. */
  grab(signal?: AbortSignal): Promise<Frame> {
    return this.parts.turns.run(async () => this.frameOf(await this.run(signal)), signal);
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

  private frameOf({ bytes, lastWords }: Output): Frame {
    const size = sizeOfJpeg(bytes);
    if (size) return { jpeg: bytes, ...size };
    const what = bytes.length === 0 ? "gave no picture" : `gave ${bytes.length} bytes that are no whole JPEG`;
    throw programFailed(this.command, what, lastWords);
  }
}
