import { encode } from "jpeg-js";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";
import { paintPlant, type Scene } from "./plant-picture.js";

/** libjpeg's usual compromise of size and looks. */
const QUALITY = 80;

/** A camera in front of a simulated plant. */
export class BenchCamera implements FrameSource {
  /** `scene` is asked at every picture; undefined where the camera is dead. */
  constructor(
    private readonly name: string,
    private readonly scene: () => Scene | undefined,
  ) {}

  async grab(signal?: AbortSignal): Promise<Frame> {
    signal?.throwIfAborted();
    const scene = this.scene();
    if (!scene) throw new DriverError("CAMERA_FAILED", `${this.name} gave no picture`);
    const { data, width, height } = paintPlant(scene);
    return { jpeg: encode({ data, width, height }, QUALITY).data, width, height };
  }
}
