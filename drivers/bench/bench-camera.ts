import { encode } from "jpeg-js";
import { DriverError } from "../errors.js";
import type { Frame, FrameSource } from "../ports.js";
import { type Ppfd, ppfd } from "../units.js";
import type { Look } from "./bench-plant.js";
import { ramp } from "./math.js";
import { paintCactus } from "./picture/cactus.js";
import { Canvas } from "./picture/canvas.js";
import { type PaintGrowth, paintLeafy } from "./picture/plants.js";
import {
  lightsOf,
  MOUTH,
  paintLamp,
  paintPot,
  paintRoom,
  paintSoil,
  paintSources,
  paintSpill,
} from "./picture/scene.js";
import { chanceOf } from "./picture/shapes.js";

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

export interface Scene extends Look {
  readonly daylight: Ppfd;
  /** By its lamp. */
  readonly lit: boolean;
  /** Something is in front of the lens. */
  readonly covered: boolean;
  /** No two plants have the same leaves. */
  readonly seed: number;
}

/** Pixels: enough to see a leaf curl, few enough to paint and encode between two calls. */
const SIZE = { width: 320, height: 240 };

const FORMS: Readonly<Record<Look["form"], PaintGrowth>> = {
  leafy: paintLeafy("leafy"),
  tomato: paintLeafy("tomato"),
  fern: paintLeafy("fern"),
  cactus: paintCactus,
};

/** The plant on its table between window and lamp, as a camera opposite sees it: the same bytes for the same scene. */
export function paintPlant(scene: Scene, scale = 1): Canvas {
  const canvas = new Canvas(SIZE.width, SIZE.height, scale);
  if (scene.covered) return canvas;
  paintRoom(canvas);
  paintLamp(canvas);
  paintPotted(canvas, scene);
  canvas.illuminate(lightsOf(scene));
  paintSources(canvas, scene);
  return canvas;
}

function paintPotted(canvas: Canvas, scene: Scene): void {
  paintPot(canvas, scene.soilWetness);
  paintSoil(canvas, scene, chanceOf(scene.seed, 0));
  paintSpill(canvas, ramp(scene.ponded, 0.85, 1));
  const growth = {
    canvas,
    look: scene,
    foot: [MOUTH.x, MOUTH.y + 1] as const,
    chance: chanceOf(scene.seed, 1),
  };
  FORMS[scene.form](growth);
}
