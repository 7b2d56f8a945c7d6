import type { Ppfd } from "../../units.js";
import type { Look } from "../bench-plant.js";
import { ramp } from "../math.js";
import { paintCactus } from "./cactus.js";
import { Canvas } from "./canvas.js";
import { type PaintGrowth, paintLeafy } from "./plants.js";
import {
  lightsOf,
  MOUTH,
  paintLamp,
  paintPot,
  paintRoom,
  paintSoil,
  paintSources,
  paintSpill,
} from "./scene.js";
import { chanceOf } from "./shapes.js";

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
