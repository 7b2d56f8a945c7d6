import type { Look } from "../bench-plant.js";
import { blend, type Canvas, type Colour, darker, lighter, type Point } from "../canvas.js";
import type { Chance } from "./chance.js";
import { CENTRE } from "./room.js";
import { between, edge, grow, type Heading, ramp, sag, stroke } from "./shapes.js";

export const BROWN: Colour = [124, 86, 52];
const YELLOW: Colour = [226, 192, 62];
/** What green loses its shine towards when leaves are limp. */
const LIMP: Colour = [128, 132, 96];

/** How a leaf fares: 0 as green as ever, 1 yellow, 2 brown and dry. */
export type Decay = number;

/**
 * Old leaves suffer first. `age` is 1 for the oldest and 0 for the youngest, `luck` from 0 to 1 sets
 * equals apart. The share of leaves that suffer is `yellowing`.
 */
export function decayOf({ yellowing, dead }: Look, age: number, luck: number): Decay {
  if (dead) return 2;
  const place = 0.85 * (1 - age) + 0.15 * luck;
  return 2 * ramp((1.05 * yellowing - place) / 0.3, 0, 1);
}

/** A brown leaf may have fallen. */
export const hasFallen = (decay: Decay, dead: boolean, luck: number): boolean =>
  decay > 1.5 && luck < (dead ? 0.6 : 0.4);

/** Of a leaf with this decay that was `fresh` once. */
export function leafColour(fresh: Colour, decay: Decay, turgor: number): Colour {
  const green = blend(fresh, LIMP, 0.55 * ramp(turgor, 0.8, 0));
  return decay < 1 ? blend(green, YELLOW, decay) : blend(YELLOW, BROWN, decay - 1);
}

/** How far the leaves hang, and how far stems bend: leaves go limp before stems do. */
export const wilting = ({ turgor, dead }: Look): { readonly leaves: number; readonly stems: number } => ({
  leaves: 0.93 * ramp(dead ? 0.2 : turgor, 0.98, 0.25),
  stems: ramp(dead ? 0.45 : turgor, 0.8, 0) ** 1.2,
});

export interface Blade {
  readonly base: Point;
  readonly heading: Heading;
  readonly length: number;
  /** Half width by the place along the leaf, 0 to 1, as a share of its length. */
  readonly half: (at: number) => number;
  readonly colour: Colour;
  /** 0 held out firmly, 1 hanging. */
  readonly limp: number;
  /** 0 matt to 1. */
  readonly gloss: number;
}

/** A blade in two halves, one in the light, with its midrib; it curves down as it gets limp and folds a little. */
export function paintBlade(
  canvas: Canvas,
  { base, heading, length, half, colour, limp, gloss }: Blade,
): void {
  const spine = grow(base, length, (at) => sag(heading, limp * (0.55 + 0.45 * at) + 0.1 * at), 10);
  const width = (at: number) => half(at) * length * between(1, 0.62, limp);
  const [right, left] = [edge(spine, width), edge(spine, (at) => -width(at))];
  const bright = heading < 0 ? right : left;
  canvas.fill([...left, ...right.toReversed()], darker(colour, 0.16));
  canvas.fill([...spine, ...bright.toReversed()], lighter(colour, 0.1));
  if (gloss > 0)
    canvas.fill(
      [
        ...edge(spine, shine(width, bright === right, 0.25)).slice(2, 7),
        ...edge(spine, shine(width, bright === right, 0.65))
          .slice(2, 7)
          .toReversed(),
      ],
      lighter(colour, 0.55),
      0.5 * gloss,
    );
  canvas.fill(stroke(spine, Math.max(0.5, length / 34), 0.3), lighter(colour, 0.35), 0.8);
}

const shine = (width: (at: number) => number, right: boolean, share: number) => (at: number) =>
  width(at) * share * (right ? 1 : -1);

/** A fallen leaf lies on the table beside the pot. */
export function paintFallen(
  canvas: Canvas,
  colour: Colour,
  length: number,
  chance: Chance,
  index: number,
): void {
  const side = chance(3 * index) < 0.5 ? -1 : 1;
  const from: Point = [
    CENTRE + side * between(46, 105, chance(3 * index + 1)),
    between(203, 232, chance(3 * index + 2)),
  ];
  const spine = grow(from, length * 0.8, (at) => side * (1.2 + 0.6 * at), 6);
  canvas.glow({
    centre: [from[0] + side * 5, from[1] + 2],
    radii: [length * 0.4, 2.4],
    colour: [40, 24, 14],
    opacity: 0.4,
  });
  canvas.fill(
    [
      ...edge(spine, (at) => length * 0.16 * Math.sin(Math.PI * at)),
      ...edge(spine, (at) => -length * 0.1 * Math.sin(Math.PI * at)).reverse(),
    ],
    colour,
  );
  canvas.fill(stroke(spine, 0.7), darker(colour, 0.3));
}
