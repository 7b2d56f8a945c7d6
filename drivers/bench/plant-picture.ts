import type { Ppfd } from "../units.js";
import type { Look } from "./bench-plant.js";
import { blend, Canvas, type Colour, ellipse, line, translucent, trapezoid } from "./canvas.js";
import { uniform } from "./random.js";

export interface Scene extends Look {
  readonly daylight: Ppfd;
  /** By its lamp. */
  readonly lit: boolean;
  /** Something is in front of the lens. */
  readonly covered: boolean;
  /** No two plants have the same leaves. */
  readonly seed: number;
}

const SIZE = { width: 320, height: 240 };
const WALL: Colour = [214, 206, 190];
const TABLE: Colour = [139, 101, 68];
const CLAY: Colour = [186, 96, 60];
const SOIL = { dry: [176, 148, 112], wet: [54, 36, 24] } as const;
const LEAF = { dry: [170, 158, 70], wet: [52, 128, 58] } as const;
const STEM: Colour = [88, 120, 60];
/** Light that falls on the scene by its source; a lamp for plants is a little pink. */
const LIGHT = { day: [1, 1, 1], lamp: [0.86, 0.62, 0.8], night: [0.03, 0.03, 0.05] } as const;
const CENTRE = SIZE.width / 2;
const SOIL_LEVEL = 158;

/** The plant on its table, as a camera opposite sees it. */
export function paintPlant(scene: Scene): Canvas {
  const canvas = new Canvas(SIZE.width, SIZE.height);
  const wetness = scene.soilWetness;
  paintRoom(canvas);
  paintPot(canvas, blend(SOIL.dry, SOIL.wet, wetness));
  if (scene.form === "cactus") paintCactus(canvas, wetness);
  else paintLeaves(canvas, wetness, scene.seed);
  if (scene.lit) canvas.paint(trapezoid(CENTRE, 0, 12, 66, 58), [255, 225, 250]);
  canvas.illuminate(lightOn(scene));
  return canvas;
}

/** A wall, a little darker below, and a table with a bright edge and the pot's shadow. */
function paintRoom(canvas: Canvas): void {
  for (let band = 0; band < 14; band++) {
    canvas.paint(
      trapezoid(CENTRE, band * 14 - 1, band * 14 + 15, 200, 200),
      blend(WALL, [188, 178, 160], band / 14),
    );
  }
  canvas.paint(trapezoid(CENTRE, 196, 241, 200, 200), TABLE);
  canvas.paint(trapezoid(CENTRE, 195, 199, 200, 200), blend(TABLE, [255, 255, 255], 0.25));
  canvas.paint(translucent(ellipse(CENTRE + 14, 221, 62, 8), 0.45), [40, 26, 16]);
}

function paintPot(canvas: Canvas, soil: Colour): void {
  canvas.paint(trapezoid(CENTRE, 162, 220, 54, 40), CLAY);
  canvas.paint(trapezoid(CENTRE + 30, 162, 220, 14, 8), blend(CLAY, [60, 24, 12], 0.3));
  canvas.paint(trapezoid(CENTRE, 154, 172, 61, 59), blend(CLAY, [255, 220, 190], 0.18));
  canvas.paint(ellipse(CENTRE, 155, 60, 9), blend(CLAY, [60, 24, 12], 0.4));
  canvas.paint(ellipse(CENTRE, SOIL_LEVEL - 2, 55, 7), soil);
}

/** Pairs of leaves up a stem; a thirsty plant lets them hang and turns yellow. */
function paintLeaves(canvas: Canvas, wetness: number, seed: number): void {
  const [droop, top] = [0.9 * (1 - wetness) ** 2, 52];
  canvas.paint(line(CENTRE, SOIL_LEVEL, CENTRE, top, 4), STEM);
  for (let leaf = 0; leaf < 12; leaf++) {
    const chance = uniform(seed, leaf);
    const [side, level] = [leaf % 2 === 0 ? -1 : 1, (leaf >> 1) / 5];
    const [length, angle] = [34 - 16 * level + 5 * chance, droop - 0.75 * level + 0.3 * (chance - 0.5)];
    const [x, y] = [
      CENTRE + side * length * Math.cos(angle),
      SOIL_LEVEL - 22 - level * 78 + length * Math.sin(angle),
    ];
    const green = blend(
      blend(LEAF.dry, LEAF.wet, Math.min(1, wetness * 1.6)),
      [225, 240, 160],
      0.25 * chance,
    );
    canvas.paint(ellipse(x, y, length, 8 + 4 * (1 - level), side * angle), green);
    canvas.paint(
      line(x - side * length * 0.9 * Math.cos(angle), y - length * 0.9 * Math.sin(angle), x, y, 1.4),
      STEM,
    );
  }
}

function paintCactus(canvas: Canvas, wetness: number): void {
  const green = blend(LEAF.dry, LEAF.wet, 0.3 + 0.7 * wetness);
  const girth = 18 + 8 * wetness;
  canvas.paint(line(CENTRE, SOIL_LEVEL - 8, CENTRE, 76, 2 * girth), green);
  for (const rib of [-0.5, 0, 0.5]) {
    canvas.paint(
      line(CENTRE + rib * girth, SOIL_LEVEL - 10, CENTRE + rib * girth, 74, 2),
      blend(green, STEM, 0.8),
    );
  }
}

/** Where several sources shine, the brightest counts. */
function lightOn({ daylight, lit, covered }: Scene): Colour {
  if (covered) return LIGHT.night;
  const sources = [LIGHT.night, ...(daylight > 0 ? [LIGHT.day] : []), ...(lit ? [LIGHT.lamp] : [])];
  const brightest = (channel: 0 | 1 | 2) => Math.max(...sources.map((source) => source[channel]));
  return [brightest(0), brightest(1), brightest(2)];
}
