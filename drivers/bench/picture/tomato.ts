import { blend, type Canvas, type Colour, lighter, type Point } from "../canvas.js";
import { leafChance } from "./chance.js";
import { BROWN, type Leaf, leafOf, paintBlade, paintFallen, wilting } from "./leaf.js";
import type { Growth, PaintGrowth } from "./plant.js";
import { between, grow, type Heading, on, oval, ramp, sag, stroke } from "./shapes.js";

const GREEN: { readonly old: Colour; readonly young: Colour } = { old: [50, 108, 52], young: [112, 162, 72] };
const STEM: Colour = [104, 138, 66];
const CANE: Colour = [196, 162, 104];
const FRUIT = { green: [140, 178, 74], red: [214, 48, 36] } as const;

/** A tomato: compound leaves by turns up one stem, tied to a cane; fruit once it is large and does well. */
export const paintTomato: PaintGrowth = (canvas, growth) => {
  const { look, foot } = growth;
  const { stems } = wilting(look);
  paintCane(canvas, growth);
  const length = between(16, 122, look.canopy) * between(1, 0.72, stems);
  const over = 2.7 * stems;
  const spine = grow(foot, length, (at) => 0.16 * Math.sin(9 * at) + over * at ** 1.6, 14);
  canvas.fill(stroke(spine, between(2, 4.4, look.canopy), 1.6), look.dead ? BROWN : STEM);
  const count = 4 + Math.round(7 * look.canopy);
  for (let leaf = 0; leaf < count; leaf++) paintCompound(canvas, growth, spine, leaf, leaf / (count - 1));
  if (look.canopy > 0.7 && bearsFruit(growth)) paintFruits(canvas, growth, spine);
};

const bearsFruit = ({ look: { dead, turgor, yellowing } }: Growth) =>
  !dead && turgor > 0.5 && yellowing < 0.35;

function paintCane(canvas: Canvas, { look, foot }: Growth): void {
  const top = foot[1] - between(40, 128, look.canopy);
  canvas.fill(
    stroke(
      [
        [foot[0] + 5, foot[1] + 3],
        [foot[0] + 5, top],
      ],
      3,
    ),
    CANE,
  );
  canvas.fill(
    stroke(
      [
        [foot[0] + 4, foot[1] + 3],
        [foot[0] + 4, top],
      ],
      0.8,
    ),
    lighter(CANE, 0.4),
  );
  for (let knot = 1; foot[1] - knot * 24 > top; knot++)
    canvas.fill(oval(foot[0] + 5, foot[1] - knot * 24, 2.4, 0.9), [150, 116, 66]);
}

/** One leaf, `height` 0 the lowest to 1 the highest: leaflets in pairs on a stalk of its own, and one at the end. */
function paintCompound(
  canvas: Canvas,
  growth: Growth,
  spine: readonly Point[],
  index: number,
  height: number,
) {
  const { look } = growth;
  const chance = leafChance(growth.chance, index);
  const fresh = blend(blend(GREEN.old, GREEN.young, 0.7 * height), [190, 210, 130], 0.2 * chance(2));
  const leaf = leafOf(look, 1 - height, fresh, chance);
  const length = between(13, 46, look.canopy) * between(1, 0.52, height ** 2) * between(0.88, 1.1, chance(3));
  if (leaf.fallen) paintFallen(canvas, leaf.colour, length * 0.5, chance);
  else paintLeaflets(canvas, leaf, length * leaf.size, stalkOf(spine, index, height, length, leaf.limp));
}

function stalkOf(
  spine: readonly Point[],
  index: number,
  height: number,
  length: number,
  limp: number,
): Point[] {
  const { point, heading } = on(spine, between(0.2, 1, height));
  const lean = heading * 0.5 + (index % 2 === 0 ? -1 : 1) * between(1.3, 0.45, height ** 2);
  return grow(point, length, (at) => sag(lean, 0.22 * at + limp * (0.5 + 0.4 * at)), 8);
}

function paintLeaflets(canvas: Canvas, leaf: Leaf, length: number, stalk: readonly Point[]): void {
  const leaflet = (at: number, turn: Heading, share: number) => {
    const { point: base, heading } = on(stalk, at);
    const firmer = { ...leaf, limp: leaf.limp * 0.7, gloss: 0 };
    paintBlade(canvas, { ...firmer, base, heading: heading + turn, length: length * share, half: lobed });
  };
  canvas.fill(stroke(stalk, 1.6, 0.8), blend(STEM, leaf.colour, 0.5));
  for (const turn of [-1.15, 1.15]) leaflet(0.4, turn, 0.34);
  for (const turn of [-1.15, 1.15]) leaflet(0.72, turn, 0.4);
  leaflet(1, 0, 0.5);
}

/** An ovate leaf with teeth. */
const lobed = (at: number) => 0.32 * Math.sin(Math.PI * at ** 0.75) * (1 - 0.28 * ((at * 5) % 1));

function paintFruits(canvas: Canvas, { look, chance }: Growth, spine: readonly Point[]): void {
  for (let fruit = 0; fruit < 7; fruit++) {
    const truss = fruit % 3;
    const { point } = on(spine, 0.34 + 0.19 * truss);
    const x = point[0] + (truss % 2 === 0 ? 1 : -1) * between(8, 17, chance(fruit));
    const y = point[1] + 6 + 8 * Math.floor(fruit / 3);
    const size = between(4.4, 6, chance(20 + fruit)) * look.canopy;
    canvas.fill(stroke([point, [x, y - size]], 1), STEM);
    paintFruit(canvas, [x, y], size, blend(FRUIT.green, FRUIT.red, ramp(chance(40 + fruit), 0.25, 0.5)));
  }
}

function paintFruit(canvas: Canvas, [x, y]: Point, size: number, colour: Colour): void {
  const [bright, dark] = [lighter(colour, 0.12), blend(colour, [60, 10, 10], 0.35)];
  canvas.fill(oval(x, y, size, size * 0.94), (at) => blend(bright, dark, ramp(at, x - size, x + size)));
  const glint: Point = [x - size * 0.35, y - size * 0.35];
  canvas.glow({ centre: glint, radii: [1.3, 1.1], colour: [255, 255, 255], opacity: 0.85 });
  canvas.fill(oval(x, y - size * 0.85, 2.2, 0.9), [76, 120, 52]);
}
