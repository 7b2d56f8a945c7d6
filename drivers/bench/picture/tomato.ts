import { blend, type Canvas, type Colour, lighter, type Point } from "../canvas.js";
import { BROWN, decayOf, hasFallen, leafColour, paintBlade, paintFallen, wilting } from "./leaf.js";
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
  if (look.canopy > 0.7 && bearsFruit(growth)) paintFruit(canvas, growth, spine);
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

/** One leaf: leaflets in pairs on a stalk of its own and one at the end. */
function paintCompound(
  canvas: Canvas,
  growth: Growth,
  spine: readonly Point[],
  index: number,
  height: number,
): void {
  const { look, chance } = growth;
  const side = index % 2 === 0 ? -1 : 1;
  const decay = decayOf(look, 1 - height, chance(100 + index));
  const colour = leafColour(
    blend(blend(GREEN.old, GREEN.young, 0.7 * height), [190, 210, 130], 0.2 * chance(200 + index)),
    decay,
    look.turgor,
  );
  const length =
    between(13, 46, look.canopy) * between(1, 0.52, height ** 2) * between(0.88, 1.1, chance(300 + index));
  if (hasFallen(decay, look.dead, chance(400 + index)))
    return paintFallen(canvas, colour, length * 0.5, chance, 500 + index);
  const limp = Math.min(0.95, wilting(look).leaves + 0.2 * decay);
  const { point, heading } = on(spine, between(0.2, 1, height));
  const lean = heading * 0.5 + side * between(1.3, 0.45, height ** 2);
  const stalk = grow(point, length, (at) => sag(lean, 0.22 * at + limp * (0.5 + 0.4 * at)), 8);
  canvas.fill(stroke(stalk, 1.6, 0.8), blend(STEM, colour, 0.5));
  paintLeaflets(canvas, stalk, { length: length * (look.dead ? 0.7 : 1), colour, limp });
}

interface Leaflets {
  readonly length: number;
  readonly colour: Colour;
  readonly limp: number;
}

function paintLeaflets(canvas: Canvas, stalk: readonly Point[], { length, colour, limp }: Leaflets): void {
  const leaflet = (at: number, turn: Heading, share: number) => {
    const { point, heading } = on(stalk, at);
    paintBlade(canvas, {
      base: point,
      heading: heading + turn,
      length: length * share,
      half: lobed,
      colour,
      limp: limp * 0.7,
      gloss: 0,
    });
  };
  for (const [at, share] of [
    [0.4, 0.34],
    [0.72, 0.4],
  ] as const) {
    for (const turn of [-1.15, 1.15]) leaflet(at, turn, share);
  }
  leaflet(1, 0, 0.5);
}

/** An ovate leaf with teeth. */
const lobed = (at: number) => 0.32 * Math.sin(Math.PI * at ** 0.75) * (1 - 0.28 * ((at * 5) % 1));

function paintFruit(canvas: Canvas, { look, chance }: Growth, spine: readonly Point[]): void {
  for (let fruit = 0; fruit < 7; fruit++) {
    const truss = fruit % 3;
    const { point } = on(spine, 0.34 + 0.19 * truss);
    const side = truss % 2 === 0 ? 1 : -1;
    const [x, y] = [
      point[0] + side * between(8, 17, chance(800 + fruit)),
      point[1] + 6 + 8 * Math.floor(fruit / 3),
    ];
    const size = between(4, 5.8, chance(820 + fruit)) * ramp(look.canopy, 0.4, 1);
    const colour = blend(FRUIT.green, FRUIT.red, ramp(chance(840 + fruit), 0.25, 0.5));
    canvas.fill(stroke([point, [x, y - size]], 1), STEM);
    canvas.fill(oval(x, y, size, size * 0.94), (px) =>
      blend(lighter(colour, 0.12), blend(colour, [60, 10, 10], 0.35), ramp(px, x - size, x + size)),
    );
    canvas.glow({
      centre: [x - size * 0.35, y - size * 0.35],
      radii: [1.3, 1.1],
      colour: [255, 255, 255],
      opacity: 0.85,
    });
    canvas.fill(oval(x, y - size * 0.85, 2.2, 0.9), [76, 120, 52]);
  }
}
