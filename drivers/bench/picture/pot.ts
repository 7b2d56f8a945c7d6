import { ramp } from "../math.js";
import { blend, type Canvas, type Colour, darker, lighter, type Point } from "./canvas.js";
import { CENTRE } from "./room.js";
import { between, type Chance, oval, stroke, trapezoid, way } from "./shapes.js";

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
    const trickle = way([x, MOUTH.y + 12], [x * 0.96 + CENTRE * 0.04, 195], [x * 0.9 + CENTRE * 0.1, bottom]);
    canvas.fill(stroke(trickle, 4.4, 1), water, 0.75 * amount);
  }
}

/** Potting soil is pale and shrinks off the pot as it dries, and is nearly black when wet. */
const SOIL = { dry: [198, 170, 132], moist: [124, 88, 58], wet: [26, 19, 15] } as const;
const SKY: Colour = [206, 222, 232];
const [GRAINS, CRACKS, GLINTS] = [110, 7, 16];

interface Ground {
  readonly soilWetness: number;
  readonly ponded: number;
}

/** The soil in the pot's mouth, and the water that stands on it. */
export function paintSoil(canvas: Canvas, { soilWetness, ponded }: Ground, chance: Chance): void {
  const colour = soilColour(soilWetness);
  const gap = 4 * ramp(soilWetness, 0.3, 0.05);
  const [rx, ry] = [MOUTH.rx - 1.5 - gap, MOUTH.ry - 1.6 - gap / 3];
  canvas.fill(oval(MOUTH.x, MOUTH.y + 1.4, rx, ry), (_, y) =>
    blend(darker(colour, 0.18), lighter(colour, 0.05), (y - MOUTH.y + ry) / (2 * ry)),
  );
  paintGrains(canvas, colour, chance);
  paintCracks(canvas, ramp(soilWetness, 0.36, 0.08), chance);
  paintGlints(canvas, ramp(soilWetness, 0.72, 1), chance);
  if (ponded > 0) paintPond(canvas, ponded);
}

const soilColour = (wetness: number): Colour =>
  wetness < 0.5
    ? blend(SOIL.dry, SOIL.moist, wetness / 0.5)
    : blend(SOIL.moist, SOIL.wet, (wetness - 0.5) / 0.5);

/** Evenly over the mouth: `angle` and `distance` by chance. */
function somewhere(chance: Chance, index: number, reach = 0.88): Point {
  const [angle, distance] = [2 * Math.PI * chance(2 * index), reach * Math.sqrt(chance(2 * index + 1))];
  return [
    MOUTH.x + MOUTH.rx * distance * Math.cos(angle),
    MOUTH.y + 1.4 + (MOUTH.ry - 2) * distance * Math.sin(angle),
  ];
}

function paintGrains(canvas: Canvas, soil: Colour, chance: Chance): void {
  for (let grain = 0; grain < GRAINS; grain++) {
    const [x, y] = somewhere(chance, grain);
    const size = between(0.7, 1.7, chance(1000 + grain));
    canvas.fill(oval(x, y, size, size * 0.6), grain % 2 === 0 ? darker(soil, 0.3) : lighter(soil, 0.16), 0.7);
  }
}

function paintCracks(canvas: Canvas, amount: number, chance: Chance): void {
  if (amount === 0) return;
  for (let crack = 0; crack < CRACKS; crack++) {
    const [x, y] = somewhere(chance, 200 + crack, 0.6);
    const reach = between(9, 17, chance(1300 + crack)) * (crack % 2 === 0 ? 1 : -1);
    const kink = (index: number) => 3 * (chance(1400 + 5 * crack + index) - 0.5);
    const way: Point[] = [0, 0.25, 0.5, 0.75, 1].map((at, index) => [
      x + reach * (at - 0.5),
      y + kink(index) + 2 * (at - 0.5),
    ]);
    canvas.fill(stroke(way, 1.5, 0.7), [58, 40, 26], 0.95 * amount);
  }
}

/** Wet soil glistens. */
function paintGlints(canvas: Canvas, amount: number, chance: Chance): void {
  if (amount === 0) return;
  canvas.glow({ centre: [MOUTH.x - 16, MOUTH.y + 5], radii: [12, 2], colour: SKY, opacity: 0.4 * amount });
  for (let glint = 0; glint < GLINTS; glint++) {
    const [x, y] = somewhere(chance, 300 + glint);
    canvas.fill(oval(x, y, 1.5, 0.7), SKY, 0.9 * amount);
  }
}

/** Standing water reflects the window; it rises to the rim. */
function paintPond(canvas: Canvas, ponded: number): void {
  const [y, rx, ry] = [MOUTH.y + 1.6 - 1.6 * ponded, MOUTH.rx - 2 + 2 * ponded, MOUTH.ry - 2 + 2 * ponded];
  const opacity = between(0.5, 0.92, ramp(ponded, 0, 0.6));
  canvas.fill(
    oval(MOUTH.x, y, rx, ry),
    (x) => blend([150, 178, 192], [64, 82, 88], ramp(x, MOUTH.x - rx, MOUTH.x + rx)),
    opacity,
  );
  canvas.fill(oval(MOUTH.x - 22, y - 1, 14, ry * 0.3), SKY, 0.85);
  canvas.fill(oval(MOUTH.x - 26, y + ry * 0.5, 9, 1), [250, 252, 255], 0.9);
  canvas.fill(oval(MOUTH.x + 20, y + ry * 0.55, 12, 0.8), [236, 244, 248], 0.6);
  canvas.glow({ centre: [MOUTH.x + 3, y + 2], radii: [6, 4], colour: [40, 60, 44], opacity: 0.5 });
}
