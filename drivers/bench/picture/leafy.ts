import type { Look } from "../bench-plant.js";
import { blend, type Canvas, type Colour, type Point } from "../canvas.js";
import { type Chance, leafChance } from "./chance.js";
import { BROWN, leafOf, paintBlade, paintFallen, wilting } from "./leaf.js";
import type { Growth, PaintGrowth } from "./plant.js";
import { between, grow, type Heading, on, sag, stroke } from "./shapes.js";

const GREEN: { readonly old: Colour; readonly young: Colour } = { old: [46, 122, 52], young: [118, 182, 70] };
const STEM: Colour = [112, 146, 72];
/** Stems of a full-grown plant, the outer ones first: heading, and length as a share of the longest. */
const STEMS = [
  [-0.62, 0.66],
  [0.64, 0.64],
  [-0.3, 0.86],
  [0.34, 0.84],
  [0.03, 1],
] as const;

/** Basil: opposite pairs of shiny ovate leaves, several stems in a pot. */
export const paintLeafy: PaintGrowth = (canvas, growth) => {
  const { canopy } = growth.look;
  const count = canopy < 0.25 ? 1 : canopy < 0.5 ? 3 : 5;
  STEMS.slice(-count).forEach(([heading, share], index) => {
    const jitter = 0.2 * (growth.chance(index) - 0.5);
    paintStem(canvas, growth, index, heading + jitter, between(14, 104, canopy) * share);
  });
};

function paintStem(canvas: Canvas, growth: Growth, index: number, lean: Heading, length: number): void {
  const { look, foot } = growth;
  const side = lean < 0 ? -1 : 1;
  const bend = 2.5 * wilting(look).stems;
  const start: Point = [foot[0] + lean * 26, foot[1] + 2 * (index % 2)];
  const spine = grow(start, length, (at) => lean * (1 - 0.5 * at) + side * bend * (1 - (1 - at) ** 2), 12);
  canvas.fill(
    stroke(spine, between(1.6, 3.6, look.canopy), 1.2),
    look.dead ? BROWN : blend(STEM, BROWN, 0.5 * look.yellowing),
  );
  const pairs = 2 + Math.round(4 * look.canopy);
  for (let pair = 0; pair < pairs; pair++)
    paintPair(canvas, growth, spine, index * 20 + pair * 2, pair / (pairs - 1));
}

/** One pair, `height` 0 the lowest to 1 at the tip; every other pair is seen from its narrow side. */
function paintPair(
  canvas: Canvas,
  growth: Growth,
  spine: readonly Point[],
  index: number,
  height: number,
): void {
  const { point, heading } = on(spine, between(0.3, 1, height));
  const turned = (index / 2) % 2 === 0 ? 1 : 0.72;
  for (const [leaf, side] of [-1, 1].entries()) {
    const chance = leafChance(growth.chance, index + leaf);
    const full = between(11, 30, growth.look.canopy) * between(1, 0.5, height ** 1.5);
    const length = full * turned * between(0.85, 1.1, chance(2));
    const open = heading * 0.6 + side * between(1.35, 0.6, height) * turned;
    paintLeaf(canvas, growth.look, { point, heading: open, length, height, chance });
  }
}

interface LeafPlace {
  readonly point: Point;
  readonly heading: Heading;
  readonly length: number;
  readonly height: number;
  readonly chance: Chance;
}

function paintLeaf(canvas: Canvas, look: Look, { point, heading, length, height, chance }: LeafPlace): void {
  const fresh = blend(blend(GREEN.old, GREEN.young, 0.65 * height), [190, 220, 120], 0.18 * chance(3));
  const leaf = leafOf(look, 1 - height, fresh, chance);
  if (leaf.fallen) paintFallen(canvas, leaf.colour, length, chance);
  else {
    const stalk = grow(point, 4, () => sag(heading, leaf.limp * 0.6), 2);
    canvas.fill(stroke(stalk, 1), STEM);
    paintBlade(canvas, {
      ...leaf,
      base: on(stalk, 1).point,
      heading,
      length: length * leaf.size,
      half: ovate,
    });
  }
}

const ovate = (at: number) => 0.31 * Math.sin(Math.PI * at ** 0.72);
