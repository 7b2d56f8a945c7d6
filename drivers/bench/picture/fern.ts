import { blend, type Canvas, type Colour, type Point } from "../canvas.js";
import { decayOf, hasFallen, leafColour, paintFallen, wilting } from "./leaf.js";
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
  const { look, foot, chance } = growth;
  const decay = decayOf(look, 1 - youth, chance(100 + index));
  const colour = leafColour(
    blend(GREEN.old, GREEN.young, 0.75 * youth * chance(200 + index) + 0.1),
    decay,
    look.turgor,
  );
  const length =
    between(18, 92, look.canopy) * between(0.86, 1.08, chance(300 + index)) * between(1, 0.86, youth);
  if (hasFallen(decay, look.dead, chance(400 + index)))
    return paintFallen(canvas, colour, length * 0.4, chance, 500 + index);
  const limp = Math.min(0.97, wilting(look).leaves + 0.18 * decay);
  const arch = between(0.3, 0.62, chance(600 + index));
  const start: Point = [foot[0] + lean * 6, foot[1]];
  const spine = grow(
    start,
    length,
    (at) => sag(lean, (arch + limp * 0.62) * at ** between(1.6, 0.55, limp)),
    14,
  );
  canvas.fill(stroke(spine, 1.8, 0.6), blend(colour, [96, 72, 40], 0.45));
  paintPinnae(canvas, spine, length, colour, { limp, dry: look.dead ? 0.6 : 1 });
}

/** Leaflets on both sides, longest in the lower middle, ever shorter to the tip. */
function paintPinnae(
  canvas: Canvas,
  spine: readonly Point[],
  length: number,
  colour: Colour,
  { limp, dry }: { readonly limp: number; readonly dry: number },
): void {
  const pairs = Math.max(7, Math.round(length / 4.2));
  for (let pair = 0; pair < pairs; pair++) {
    const at = between(0.14, 0.99, pair / (pairs - 1));
    const { point, heading } = on(spine, at);
    const reach = dry * 0.2 * length * Math.sin(Math.PI * between(0.22, 0.97, at) ** 0.9) + 1;
    for (const side of [-1, 1]) {
      const blade = grow(point, reach, (along) => sag(heading + side * 1.2, 0.1 * along + limp * 0.5), 4);
      canvas.fill(
        ribbon(blade, (along) => between(1.5, 0.2, along) * (0.6 + length / 180)),
        blend(colour, side < 0 ? [232, 244, 190] : [14, 40, 24], 0.16),
      );
    }
  }
}
