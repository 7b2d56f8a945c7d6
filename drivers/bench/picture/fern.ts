import { blend, type Canvas, type Colour, type Point } from "../canvas.js";
import { leafChance } from "./chance.js";
import { type Leaf, leafOf, paintFallen } from "./leaf.js";
import type { Growth, PaintGrowth } from "./plant.js";
import { between, grow, type Heading, on, ribbon, sag, stroke } from "./shapes.js";

const GREEN: { readonly old: Colour; readonly young: Colour } = { old: [58, 128, 62], young: [134, 190, 84] };

/** Arching fronds from one crown, the outer and older ones painted first. */
export const paintFern: PaintGrowth = (canvas, growth) => {
  const count = 5 + 2 * Math.round(6 * growth.look.canopy);
  for (let frond = 0; frond < count; frond++) {
    const youth = frond / (count - 1);
    const spread = (frond % 2 === 0 ? -1 : 1) * between(1.25, 0.05, youth);
    paintFrond(canvas, growth, frond, youth, spread + 0.2 * (growth.chance(frond) - 0.5));
  }
};

function paintFrond(canvas: Canvas, growth: Growth, index: number, youth: number, lean: Heading): void {
  const { look, foot } = growth;
  const chance = leafChance(growth.chance, index);
  const frond = leafOf(
    look,
    1 - youth,
    blend(GREEN.old, GREEN.young, 0.75 * youth * chance(2) + 0.1),
    chance,
  );
  const length = between(18, 100, look.canopy) * between(0.86, 1.08, chance(3)) * between(1, 0.86, youth);
  if (frond.fallen) paintFallen(canvas, frond.colour, length * 0.4, chance);
  else
    paintHeld(
      canvas,
      frond,
      length,
      archOf([foot[0] + lean * 6, foot[1]], length, lean, frond.limp, chance(4)),
    );
}

/** The way of a frond: up and over, the limper the sooner. */
function archOf(from: Point, length: number, lean: Heading, limp: number, luck: number): Point[] {
  const arch = between(0.3, 0.6, luck) + limp * 0.62;
  return grow(from, length, (at) => sag(lean, arch * at ** between(1.6, 0.55, limp)), 14);
}

function paintHeld(canvas: Canvas, frond: Leaf, length: number, spine: readonly Point[]): void {
  canvas.fill(stroke(spine, 1.8, 0.6), blend(frond.colour, [96, 72, 40], 0.45));
  const pairs = Math.max(7, Math.round(length / 4.2));
  for (let pair = 0; pair < pairs; pair++) paintPinnae(canvas, frond, length, spine, pair / (pairs - 1));
}

/** A pair of leaflets, longest in the lower middle, ever shorter to the tip. */
function paintPinnae(
  canvas: Canvas,
  frond: Leaf,
  length: number,
  spine: readonly Point[],
  place: number,
): void {
  const at = between(0.14, 0.99, place);
  const { point, heading } = on(spine, at);
  const reach = frond.size * 0.2 * length * Math.sin(Math.PI * between(0.22, 0.97, at) ** 0.9) + 1;
  for (const side of [-1, 1]) {
    const blade = grow(point, reach, (along) => sag(heading + side * 1.2, 0.1 * along + frond.limp * 0.5), 4);
    const colour = blend(frond.colour, side < 0 ? [232, 244, 190] : [14, 40, 24], 0.16);
    canvas.fill(
      ribbon(blade, (along) => between(1.5, 0.2, along) * (0.6 + length / 180)),
      colour,
    );
  }
}
