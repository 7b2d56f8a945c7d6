import { uniform } from "../math.js";
import type { Point } from "./canvas.js";

/** A direction: radians from straight up, to the right above 0; ±π is straight down. */
export type Heading = number;

/** From one number to another, `at` 0 to 1. */
export const between = (from: number, to: number, at: number): number => from + (to - from) * at;

export function oval(cx: number, cy: number, rx: number, ry: number): Point[] {
  const corners = Math.max(8, Math.ceil(Math.max(rx, ry)));
  return Array.from({ length: corners }, (_, index) => {
    const angle = (2 * Math.PI * index) / corners;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });
}

/** Of two half widths, from `top` to `bottom`. */
export const trapezoid = (cx: number, top: number, bottom: number, upper: number, lower: number) =>
  way([cx - upper, top], [cx + upper, top], [cx + lower, bottom], [cx - lower, bottom]);

export const box = (left: number, top: number, right: number, bottom: number) =>
  way([left, top], [right, top], [right, bottom], [left, bottom]);

/** The way of something that grows on from a point; `heading` is asked from its beginning (0) to its tip (1). */
export function grow(from: Point, length: number, heading: (at: number) => Heading, steps: number): Point[] {
  const spine: Point[] = [from];
  let [x, y] = from;
  for (let step = 0; step < steps; step++) {
    const direction = heading((step + 0.5) / steps);
    x += (length / steps) * Math.sin(direction);
    y -= (length / steps) * Math.cos(direction);
    spine.push([x, y]);
  }
  return spine;
}

/** What gravity makes of a heading: 0 leaves it, 1 lets it hang straight down. */
export const sag = (heading: Heading, amount: number): Heading =>
  heading + ((heading < 0 ? -Math.PI : Math.PI) - heading) * amount;

/** A point of a spine and its heading there, `at` 0 to 1. */
export function on(
  spine: readonly Point[],
  at: number,
): { readonly point: Point; readonly heading: Heading } {
  const place = Math.min(at * (spine.length - 1), spine.length - 1.001);
  const [from, to] = [spine[Math.floor(place)] ?? [0, 0], spine[Math.floor(place) + 1] ?? [0, 0]];
  const rest = place - Math.floor(place);
  return {
    point: [between(from[0], to[0], rest), between(from[1], to[1], rest)],
    heading: Math.atan2(to[0] - from[0], from[1] - to[1]),
  };
}

/** The edge at a distance from a spine: to its right above 0, as seen by who walks along it. */
export const edge = (spine: readonly Point[], distance: (at: number) => number): Point[] =>
  spine.map((point, index) => {
    const [before, after] = [spine[index - 1] ?? point, spine[index + 1] ?? point];
    const [dx, dy] = [after[0] - before[0], after[1] - before[1]];
    const scale = distance(index / (spine.length - 1)) / (Math.hypot(dx, dy) || 1);
    return [point[0] - dy * scale, point[1] + dx * scale];
  });

/** Half as wide as `half` says on either side. */
export const ribbon = (spine: readonly Point[], half: (at: number) => number): Point[] => [
  ...edge(spine, half),
  ...edge(spine, (at) => -half(at)).reverse(),
];

export const way = (...points: readonly Point[]): readonly Point[] => points;

/** A line whose width goes from one to another. */
export const stroke = (spine: readonly Point[], first: number, last = first): Point[] =>
  ribbon(spine, (at) => between(first, last, at) / 2);

/** Number `index` of a sequence, 0 to 1: the same whenever it is asked for. */
export type Chance = (index: number) => number;

/** No part of a picture asks for as many. */
const NUMBERS_OF_A_PART = 100_000;

/** Sequence number `part` of a plant. */
export const chanceOf =
  (seed: number, part: number): Chance =>
  (index) =>
    uniform(seed, part * NUMBERS_OF_A_PART + index);

/** Leaf number `index` of a plant has a hundred numbers of its own, clear of those of its stems. */
export const leafChance =
  (chance: Chance, index: number): Chance =>
  (own) =>
    chance(100 * (index + 1) + own);
