import { encode } from "jpeg-js";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";
import { ppfd } from "../units.js";
import type { Look } from "./bench-plant.js";
import { paintPlant, type Scene } from "./picture/plant-picture.js";

/** libjpeg's usual compromise of size and looks. */
const QUALITY = 80;
/** Of the full picture, at which a coarse one is painted: its darkness can still be told. */
const COARSE = 1 / 8;

/** Of all coarse cameras: what they show does not depend on the plant. */
const painted = new Map<string, Frame>();

/** A camera in front of a simulated plant. */
export class BenchCamera implements FrameSource {
  /** `scene` is asked at every picture; undefined where the camera is dead. */
  constructor(
    private readonly name: string,
    private readonly scene: () => Scene | undefined,
    private readonly coarse = false,
  ) {}

  async grab(): Promise<Frame> {
    const scene = this.scene();
    if (!scene) throw new DriverError("CAMERA_FAILED", `${this.name} gave no picture`);
    return this.coarse ? paintOnce(lightAlone(scene)) : frameOf(scene);
  }
}

function paintOnce(scene: Scene): Frame {
  const key = JSON.stringify(scene);
  const frame = painted.get(key) ?? frameOf(scene, COARSE);
  painted.set(key, frame);
  return frame;
}

function frameOf(scene: Scene, scale = 1): Frame {
  const { data, width, height } = paintPlant(scene, scale);
  return { jpeg: encode({ data, width, height }, QUALITY).data, width, height };
}

/** Any plant, in daylight by powers of two: few enough scenes to be painted once each. */
function lightAlone({ daylight, lit, covered }: Scene): Scene {
  const light = ppfd(daylight < 1 ? 0 : 2 ** Math.floor(Math.log2(daylight)));
  return { ...ANY_PLANT, daylight: light, lit, covered, seed: 0 };
}

const ANY_PLANT: Look = {
  form: "leafy",
  canopy: 0.5,
  turgor: 1,
  yellowing: 0,
  dead: false,
  soilWetness: 0.5,
  ponded: 0,
};
