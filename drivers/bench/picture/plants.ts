import { ramp } from "../math.js";
import { blend, type Canvas, type Colour, lighter, type Point } from "./canvas.js";
import {
  BROWN,
  type Growth,
  type Leaf,
  leafOf,
  type PaintGrowth,
  paintBlade,
  paintFallen,
  wilting,
} from "./leaf.js";
import {
  between,
  type Chance,
  grow,
  type Heading,
  leafChance,
  on,
  oval,
  ribbon,
  sag,
  stroke,
  way,
} from "./shapes.js";

/** Of old leaves and of young ones. */
type Greens = { readonly old: Colour; readonly young: Colour };

const BASIL_GREEN: Greens = {
  old: [46, 122, 52],
  young: [118, 182, 70],
};
const BASIL_STEM: Colour = [112, 146, 72];
/** Stems of a full-grown plant, the outer ones first: heading, and length as a share of the longest. */
const STEMS = [
  [-0.62, 0.66],
  [0.64, 0.64],
  [-0.3, 0.86],
  [0.34, 0.84],
  [0.03, 1],
] as const;

/** Basil: opposite pairs of shiny ovate leaves, several stems in a pot. */
export const paintLeafy: PaintGrowth = (growth) => {
  const { canopy } = growth.look;
  const count = canopy < 0.25 ? 1 : canopy < 0.5 ? 3 : 5;
  STEMS.slice(-count).forEach(([heading, share], index) => {
    const jitter = 0.2 * (growth.chance(index) - 0.5);
    paintStem(growth, index, heading + jitter, between(14, 104, canopy) * share);
  });
};

function paintStem(growth: Growth, index: number, lean: Heading, length: number): void {
  const { canvas, look, foot } = growth;
  const side = lean < 0 ? -1 : 1;
  const bend = 2.5 * wilting(look).stems;
  const start: Point = [foot[0] + lean * 26, foot[1] + 2 * (index % 2)];
  const spine = grow(start, length, (at) => lean * (1 - 0.5 * at) + side * bend * (1 - (1 - at) ** 2), 12);
  canvas.fill(
    stroke(spine, between(1.6, 3.6, look.canopy), 1.2),
    look.dead ? BROWN : blend(BASIL_STEM, BROWN, 0.5 * look.yellowing),
  );
  const pairs = 2 + Math.round(4 * look.canopy);
  for (let pair = 0; pair < pairs; pair++)
    paintPair(growth, spine, index * 20 + pair * 2, pair / (pairs - 1));
}

/** One pair, `height` 0 the lowest to 1 at the tip; every other pair is seen from its narrow side. */
function paintPair(growth: Growth, spine: readonly Point[], index: number, height: number): void {
  const { point, heading } = on(spine, between(0.3, 1, height));
  const turned = (index / 2) % 2 === 0 ? 1 : 0.72;
  for (const [leaf, side] of [-1, 1].entries()) {
    const chance = leafChance(growth.chance, index + leaf);
    const full = between(11, 30, growth.look.canopy) * between(1, 0.5, height ** 1.5);
    const length = full * turned * between(0.85, 1.1, chance(2));
    const open = heading * 0.6 + side * between(1.35, 0.6, height) * turned;
    paintLeaf(growth, { point, heading: open, length, height, chance });
  }
}

interface LeafPlace {
  readonly point: Point;
  readonly heading: Heading;
  readonly length: number;
  readonly height: number;
  readonly chance: Chance;
}

function paintLeaf({ canvas, look }: Growth, { point, heading, length, height, chance }: LeafPlace): void {
  const green = blend(BASIL_GREEN.old, BASIL_GREEN.young, 0.65 * height);
  const fresh = blend(green, [190, 220, 120], 0.18 * chance(3));
  const leaf = leafOf(look, 1 - height, fresh, chance);
  if (leaf.fallen) paintFallen(canvas, leaf.colour, length, chance);
  else {
    const stalk = grow(point, 4, () => sag(heading, leaf.limp * 0.6), 2);
    canvas.fill(stroke(stalk, 1), BASIL_STEM);
    const base = on(stalk, 1).point;
    paintBlade(canvas, { ...leaf, base, heading, length: length * leaf.size, half: ovate });
  }
}

const ovate = (at: number) => 0.31 * Math.sin(Math.PI * at ** 0.72);

const TOMATO_GREEN: Greens = { old: [50, 108, 52], young: [112, 162, 72] };
const TOMATO_STEM: Colour = [104, 138, 66];
const CANE: Colour = [196, 162, 104];
const FRUIT = { green: [140, 178, 74], red: [214, 48, 36] } as const;

/** A tomato: compound leaves by turns up one stem, tied to a cane; fruit once it is large and does well. */
export const paintTomato: PaintGrowth = (growth) => {
  const { canvas, look, foot } = growth;
  const { stems } = wilting(look);
  paintCane(growth);
  const length = between(16, 122, look.canopy) * between(1, 0.72, stems);
  const over = 2.7 * stems;
  const spine = grow(foot, length, (at) => 0.16 * Math.sin(9 * at) + over * at ** 1.6, 14);
  canvas.fill(stroke(spine, between(2, 4.4, look.canopy), 1.6), look.dead ? BROWN : TOMATO_STEM);
  const count = 4 + Math.round(7 * look.canopy);
  for (let leaf = 0; leaf < count; leaf++) paintCompound(growth, spine, leaf, leaf / (count - 1));
  if (look.canopy > 0.7 && bearsFruit(growth)) paintFruits(growth, spine);
};

const bearsFruit = ({ look: { dead, turgor, yellowing } }: Growth) =>
  !dead && turgor > 0.5 && yellowing < 0.35;

function paintCane({ canvas, look, foot }: Growth): void {
  const top = foot[1] - between(40, 128, look.canopy);
  const [x, bottom] = [foot[0] + 5, foot[1] + 3];
  canvas.fill(stroke(way([x, bottom], [x, top]), 3), CANE);
  canvas.fill(stroke(way([x - 1, bottom], [x - 1, top]), 0.8), lighter(CANE, 0.4));
  for (let knot = 1; foot[1] - knot * 24 > top; knot++)
    canvas.fill(oval(x, foot[1] - knot * 24, 2.4, 0.9), [150, 116, 66]);
}

/** One leaf, `height` 0 the lowest to 1 the highest: leaflets in pairs on a stalk of its own, and one at the end. */
function paintCompound(growth: Growth, spine: readonly Point[], index: number, height: number): void {
  const { canvas, look } = growth;
  const chance = leafChance(growth.chance, index);
  const fresh = blend(
    blend(TOMATO_GREEN.old, TOMATO_GREEN.young, 0.7 * height),
    [190, 210, 130],
    0.2 * chance(2),
  );
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
  canvas.fill(stroke(stalk, 1.6, 0.8), blend(TOMATO_STEM, leaf.colour, 0.5));
  for (const turn of [-1.15, 1.15]) leaflet(0.4, turn, 0.34);
  for (const turn of [-1.15, 1.15]) leaflet(0.72, turn, 0.4);
  leaflet(1, 0, 0.5);
}

/** An ovate leaf with teeth. */
const lobed = (at: number) => 0.32 * Math.sin(Math.PI * at ** 0.75) * (1 - 0.28 * ((at * 5) % 1));

function paintFruits({ canvas, look, chance }: Growth, spine: readonly Point[]): void {
  for (let fruit = 0; fruit < 7; fruit++) {
    const truss = fruit % 3;
    const { point } = on(spine, 0.34 + 0.19 * truss);
    const x = point[0] + (truss % 2 === 0 ? 1 : -1) * between(8, 17, chance(fruit));
    const y = point[1] + 6 + 8 * Math.floor(fruit / 3);
    const size = between(4.4, 6, chance(20 + fruit)) * look.canopy;
    canvas.fill(stroke([point, [x, y - size]], 1), TOMATO_STEM);
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

const FERN_GREEN: Greens = {
  old: [58, 128, 62],
  young: [134, 190, 84],
};

/** Arching fronds from one crown, the outer and older ones painted first. */
export const paintFern: PaintGrowth = (growth) => {
  const count = 5 + 2 * Math.round(6 * growth.look.canopy);
  for (let frond = 0; frond < count; frond++) {
    const youth = frond / (count - 1);
    const spread = (frond % 2 === 0 ? -1 : 1) * between(1.25, 0.05, youth);
    paintFrond(growth, frond, youth, spread + 0.2 * (growth.chance(frond) - 0.5));
  }
};

function paintFrond(growth: Growth, index: number, youth: number, lean: Heading): void {
  const { canvas, look, foot } = growth;
  const chance = leafChance(growth.chance, index);
  const fresh = blend(FERN_GREEN.old, FERN_GREEN.young, 0.75 * youth * chance(2) + 0.1);
  const frond = leafOf(look, 1 - youth, fresh, chance);
  const length = between(18, 100, look.canopy) * between(0.86, 1.08, chance(3)) * between(1, 0.86, youth);
  const from: Point = [foot[0] + lean * 6, foot[1]];
  if (frond.fallen) paintFallen(canvas, frond.colour, length * 0.4, chance);
  else paintHeld(canvas, frond, length, archOf(from, length, lean, frond.limp, chance(4)));
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
function paintPinnae(canvas: Canvas, frond: Leaf, length: number, spine: readonly Point[], place: number) {
  const at = between(0.14, 0.99, place);
  const { point, heading } = on(spine, at);
  const reach = frond.size * 0.2 * length * Math.sin(Math.PI * between(0.22, 0.97, at) ** 0.9) + 1;
  for (const side of [-1, 1]) {
    const blade = grow(point, reach, (along) => sag(heading + side * 1.2, 0.1 * along + frond.limp * 0.5), 4);
    const colour = blend(frond.colour, side < 0 ? [232, 244, 190] : [14, 40, 24], 0.16);
    const half = (along: number) => between(1.5, 0.2, along) * (0.6 + length / 180);
    canvas.fill(ribbon(blade, half), colour);
  }
}
