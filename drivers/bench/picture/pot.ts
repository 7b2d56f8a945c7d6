import { blend, type Canvas, type Colour, darker, lighter, type Point } from "../canvas.js";
import { CENTRE } from "./room.js";
import { between, oval, stroke, trapezoid } from "./shapes.js";

/** The pot's mouth, seen a little from above. */
export const MOUTH = { x: CENTRE, y: 164, rx: 48, ry: 15 } as const;
const FLOOR = 219;
/** Terracotta, which is darker where it is damp. */
const CLAY = { dry: [206, 122, 84], damp: [158, 82, 54] } as const;

/** A terracotta pot on its saucer, empty. */
export function paintPot(canvas: Canvas, wetness: number): void {
  const clay = blend(CLAY.dry, CLAY.damp, wetness);
  canvas.glow({ centre: [CENTRE + 12, FLOOR + 4], radii: [50, 8], colour: [40, 24, 14], opacity: 0.55 });
  canvas.fill(oval(CENTRE, FLOOR + 3, 48, 8.5), darker(clay, 0.3));
  canvas.fill(oval(CENTRE, FLOOR + 1, 48, 8), lighter(clay, 0.1));
  canvas.fill(oval(CENTRE, FLOOR + 1, 43, 6), darker(clay, 0.35));
  canvas.fill(body(), round(clay));
  canvas.fill(rim(), round(lighter(clay, 0.06)));
  canvas.fill(oval(MOUTH.x, MOUTH.y, MOUTH.rx + 4, MOUTH.ry + 2), lighter(clay, 0.22));
  canvas.fill(oval(MOUTH.x, MOUTH.y, MOUTH.rx, MOUTH.ry), darker(clay, 0.55));
}

/** Light from the left on something round: bright at a third, dark at the right edge. */
const round = (clay: Colour) => (x: number) => {
  const across = (x - CENTRE) / 52;
  return across < -0.35
    ? blend(lighter(clay, 0.16), darker(clay, 0.12), (-0.35 - across) / 0.65)
    : blend(lighter(clay, 0.16), darker(clay, 0.46), (across + 0.35) / 1.35);
};

const body = (): Point[] => [
  ...trapezoid(CENTRE, MOUTH.y + 12, FLOOR, 46, 33).slice(0, 2),
  ...lowerHalf(CENTRE, FLOOR, 33, 5),
];

const rim = (): Point[] => [
  [MOUTH.x - MOUTH.rx - 4, MOUTH.y],
  [MOUTH.x + MOUTH.rx + 4, MOUTH.y],
  ...lowerHalf(MOUTH.x, MOUTH.y + 9, MOUTH.rx + 2, MOUTH.ry),
];

/** From right to left. */
const lowerHalf = (cx: number, cy: number, rx: number, ry: number): Point[] =>
  Array.from({ length: 17 }, (_, index) => {
    const angle = (Math.PI * index) / 16;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });

/** Water that has run over the rim (`amount` 0 to 1): down the pot, into the saucer and onto the table. */
export function paintSpill(canvas: Canvas, amount: number): void {
  if (amount === 0) return;
  const water: Colour = [150, 176, 190];
  canvas.fill(oval(CENTRE - 10, FLOOR + 9, 84 * amount, 9 * amount), darker(water, 0.45), 0.6);
  canvas.fill(oval(CENTRE - 34, FLOOR + 9, 30 * amount, 2.4), lighter(water, 0.6), 0.55);
  canvas.fill(oval(CENTRE, FLOOR + 1.5, 45, 7), water, 0.8 * amount);
  for (const side of [-31, -12, 7, 24]) {
    const x = CENTRE + side;
    const bottom = FLOOR + between(5, 2, Math.abs(side) / 31);
    canvas.fill(
      stroke(
        [
          [x, MOUTH.y + 12],
          [x * 0.96 + CENTRE * 0.04, 195],
          [x * 0.9 + CENTRE * 0.1, bottom],
        ],
        4.4,
        1,
      ),
      water,
      0.75 * amount,
    );
  }
}
