import type { Look } from "../bench-plant.js";
import { ramp } from "../math.js";
import { blend, type Canvas, type Colour, darker, lighter, type Point } from "./canvas.js";
import { CENTRE } from "./scene.js";
import {
  between,
  type Chance,
  edge,
  grow,
  type Heading,
  leafChance,
  on,
  oval,
  ribbon,
  sag,
  stroke,
} from "./shapes.js";

export const BROWN: Colour = [136, 94, 56];
const YELLOW: Colour = [226, 192, 62];
/** What green loses its shine towards when leaves are limp. */
const LIMP: Colour = [128, 132, 96];

interface Leaf {
  readonly colour: Colour;
  /** 0 held out firmly, 1 hanging. */
  readonly limp: number;
  /** 1, less where it has shrivelled. */
  readonly size: number;
  /** 0 matt to 1. */
  readonly gloss: number;
  /** It lies on the table. */
  readonly fallen: boolean;
}

/** A leaf that was `fresh` once; `age` is 1 for the plant's oldest and 0 for its youngest. */
function leafOf(look: Look, age: number, fresh: Colour, chance: Chance): Leaf {
  const decay = decayOf(look, age, chance(0));
  const wilted = wilting(look).leaves;
  return {
    colour: leafColour(fresh, decay, look.turgor),
    limp: Math.min(0.95, wilted + 0.12 * decay),
    size: look.dead ? 0.7 : 1,
    gloss: look.dead ? 0 : look.turgor * (1 - decay / 2),
    fallen: decay > 1.5 && chance(1) < (look.dead ? 0.6 : 0.3),
  };
}

/** 0 as green as ever, 1 yellow, 2 brown and dry. Old leaves suffer first, and luck sets equals apart. */
function decayOf({ yellowing, dead }: Look, age: number, luck: number): number {
  if (dead) return 2;
  const place = 0.85 * (1 - age) + 0.15 * luck;
  return 2 * ramp(1.2 * yellowing - place, 0, 0.32);
}

function leafColour(fresh: Colour, decay: number, turgor: number): Colour {
  const green = blend(fresh, LIMP, 0.55 * ramp(turgor, 0.8, 0));
  return decay < 1 ? blend(green, YELLOW, decay) : blend(YELLOW, BROWN, decay - 1);
}

/** How far the leaves hang, and how far stems bend: leaves go limp before stems do. */
const wilting = ({ turgor, dead }: Look): { readonly leaves: number; readonly stems: number } => ({
  leaves: 0.93 * ramp(dead ? 0.2 : turgor, 0.98, 0.25),
  stems: ramp(dead ? 0.45 : turgor, 0.8, 0) ** 1.2,
});

interface Blade extends Pick<Leaf, "colour" | "limp" | "gloss"> {
  readonly base: Point;
  readonly heading: Heading;
  readonly length: number;
  /** Half width by the place along the leaf, 0 to 1, as a share of its length. */
  readonly half: (at: number) => number;
}

/** A blade in two halves, one in the light, with its midrib; it curves down as it gets limp and folds a little. */
function paintBlade(canvas: Canvas, blade: Blade): void {
  const { base, heading, length, half, colour, limp, gloss } = blade;
  const spine = grow(base, length, (at) => sag(heading, limp * (0.55 + 0.45 * at) + 0.1 * at), 10);
  const width = (at: number) => half(at) * length * between(1, 0.62, limp);
  const bright = (share: number) => edge(spine, (at) => (heading < 0 ? share : -share) * width(at));
  canvas.fill(ribbon(spine, width), darker(colour, 0.16));
  canvas.fill([...spine, ...bright(1).reverse()], lighter(colour, 0.1));
  const shine = [...bright(0.25).slice(2, 7), ...bright(0.65).slice(2, 7).reverse()];
  if (gloss > 0) canvas.fill(shine, lighter(colour, 0.55), 0.5 * gloss);
  canvas.fill(stroke(spine, Math.max(0.5, length / 34), 0.3), lighter(colour, 0.35), 0.8);
}

/** A fallen leaf lies on the table beside the pot, seen flat. */
function paintFallen(canvas: Canvas, colour: Colour, length: number, chance: Chance): void {
  const side = chance(10) < 0.5 ? -1 : 1;
  const from: Point = [CENTRE + side * between(60, 105, chance(11)), between(203, 230, chance(12))];
  const spine = grow(from, Math.min(24, length), (at) => side * between(1.1, 2, chance(13)) + 0.4 * at, 6);
  const half = (at: number) => 0.2 * Math.min(24, length) * Math.sin(Math.PI * at ** 0.8);
  const [x, y] = on(spine, 0.5).point;
  canvas.glow({ centre: [x + 2, y + 3], radii: [length * 0.35, 2], colour: [40, 24, 14], opacity: 0.3 });
  canvas.fill(ribbon(spine, half), darker(colour, 0.08));
  canvas.fill([...spine, ...edge(spine, half).reverse()], lighter(colour, 0.14));
  canvas.fill(stroke(spine, 0.7), darker(colour, 0.35));
}

/** A plant to be painted. */
export interface Growth {
  readonly canvas: Canvas;
  readonly look: Look;
  /** Where it comes out of the soil. */
  readonly foot: Point;
  readonly chance: Chance;
}

/** Paints one form of plant, in white light. */
export type PaintGrowth = (growth: Growth) => void;

const STEM: Colour = [112, 146, 72];

/** What tells one leafy kind from another; of a full-grown plant, in pixels. */
interface Habit {
  /** Of stems, the outer ones first: heading, and length as a share of the longest. */
  readonly headings: readonly Heading[];
  readonly shares: readonly number[];
  readonly height: number;
  /** How far stems bend outwards by themselves, radians. */
  readonly arch: number;
  /** Pairs of leaves on a stem, beside the two of a seedling. */
  readonly pairs: number;
  readonly leaf: number;
  /** Half width by the place along the leaf. */
  readonly half: (at: number) => number;
  readonly old: Colour;
  readonly young: Colour;
  /** Fruits on a stem. */
  readonly fruits: number;
}

const ovate = (at: number) => 0.31 * Math.sin(Math.PI * at ** 0.72);
/** An ovate leaf with teeth. */
const lobed = (at: number) => 1.2 * ovate(at) * (0.62 + 0.38 * Math.abs(Math.cos(3.5 * Math.PI * at)));
const narrow = (at: number) => 0.17 * Math.sin(Math.PI * at ** 0.6);

const HABITS = {
  leafy: {
    ...{ height: 104, arch: 0, pairs: 4, leaf: 30, half: ovate, fruits: 0 },
    ...{ old: [46, 122, 52], young: [118, 182, 70] },
    headings: [-0.62, 0.64, -0.3, 0.34, 0.03],
    shares: [0.66, 0.64, 0.86, 0.84, 1],
  },
  tomato: {
    ...{ height: 128, arch: 0.2, pairs: 3, leaf: 40, half: lobed, fruits: 2 },
    ...{ old: [44, 98, 48], young: [96, 148, 66] },
    headings: [-0.42, 0.4, 0.02],
    shares: [0.8, 0.76, 1],
  },
  fern: {
    ...{ height: 112, arch: 1.1, pairs: 14, leaf: 15, half: narrow, fruits: 0 },
    ...{ old: [58, 128, 44], young: [142, 196, 84] },
    headings: [-1, 1, -0.75, 0.78, -0.45, 0.5, -0.2, 0.22, 0.02],
    shares: [0.8, 0.82, 0.9, 0.88, 1, 0.96, 0.9, 0.86, 0.8],
  },
} as const satisfies Readonly<Record<string, Habit>>;

/** Several stems in a pot with opposite pairs of leaves: a bushy herb such as basil, a tomato with its fruit, a fern's fronds. */
export const paintLeafy =
  (kind: keyof typeof HABITS): PaintGrowth =>
  (growth) => {
    const { canopy } = growth.look;
    const habit: Habit = HABITS[kind];
    const all = habit.headings.length;
    const count = canopy < 0.25 ? 1 : canopy < 0.5 ? Math.min(3, all) : all;
    habit.headings.slice(-count).forEach((heading, index) => {
      const jitter = 0.2 * (growth.chance(index) - 0.5);
      const length = between(14, habit.height, canopy) * (habit.shares.at(index - count) ?? 1);
      paintStem({ ...growth, habit }, index, heading + jitter, length);
    });
  };

type OfHabit = Growth & { readonly habit: Habit };

function paintStem(growth: OfHabit, index: number, lean: Heading, length: number): void {
  const { canvas, look, foot, habit } = growth;
  const side = lean < 0 ? -1 : 1;
  const bend = habit.arch * look.canopy + 2.5 * wilting(look).stems;
  const start: Point = [foot[0] + lean * 26, foot[1] + 2 * (index % 2)];
  const spine = grow(start, length, (at) => lean * (1 - 0.5 * at) + side * bend * (1 - (1 - at) ** 2), 12);
  canvas.fill(
    stroke(spine, between(1.6, 3.6, look.canopy), 1.2),
    look.dead ? BROWN : blend(STEM, BROWN, 0.5 * look.yellowing),
  );
  const pairs = 2 + Math.round(habit.pairs * look.canopy);
  for (let pair = 0; pair < pairs; pair++)
    paintPair(growth, spine, index * 40 + pair * 2, pair / (pairs - 1));
  for (let fruit = 0; fruit < (look.canopy > 0.6 ? habit.fruits : 0); fruit++)
    paintFruit(growth, spine, fruit);
}

/** Ripe ones hang lower. */
function paintFruit({ canvas, look }: Growth, spine: readonly Point[], nth: number): void {
  const [x, y] = on(spine, 0.45 + 0.25 * nth).point;
  const colour = look.dead ? BROWN : blend([206, 44, 32], [150, 176, 62], 0.8 * nth);
  canvas.fill(oval(x + 5 - 9 * nth, y + 9, 6.5, 6), darker(colour, 0.1));
  canvas.fill(oval(x + 4 - 9 * nth, y + 7.5, 2.2, 1.6), lighter(colour, 0.4));
}

/** One pair, `height` 0 the lowest to 1 at the tip; every other pair is seen from its narrow side. */
function paintPair(growth: OfHabit, spine: readonly Point[], index: number, height: number): void {
  const { point, heading } = on(spine, between(0.3, 1, height));
  const turned = (index / 2) % 2 === 0 ? 1 : 0.72;
  for (const [leaf, side] of [-1, 1].entries()) {
    const chance = leafChance(growth.chance, index + leaf);
    const { leaf: size } = growth.habit;
    const full = between(size * 0.37, size, growth.look.canopy) * between(1, 0.5, height ** 1.5);
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

function paintLeaf(
  { canvas, look, habit }: OfHabit,
  { point, heading, length, height, chance }: LeafPlace,
): void {
  const green = blend(habit.old, habit.young, 0.65 * height);
  const fresh = blend(green, [190, 220, 120], 0.18 * chance(3));
  const leaf = leafOf(look, 1 - height, fresh, chance);
  if (leaf.fallen) paintFallen(canvas, leaf.colour, length, chance);
  else {
    const stalk = grow(point, 4, () => sag(heading, leaf.limp * 0.6), 2);
    canvas.fill(stroke(stalk, 1), look.dead ? BROWN : STEM);
    const base = on(stalk, 1).point;
    paintBlade(canvas, { ...leaf, base, heading, length: length * leaf.size, half: habit.half });
  }
}
