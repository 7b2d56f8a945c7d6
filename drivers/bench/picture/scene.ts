import { ramp } from "../math.js";
import { bell, blend, type Canvas, type Colour, darker, type Light, lighter, type Point } from "./canvas.js";
import { between, box, type Chance, oval, stroke, trapezoid, way } from "./shapes.js";

/** The pot's axis, and where the table begins. The window is left of all that grows. */
export const CENTRE = 192;
const TABLE_EDGE = 190;
const WINDOW = { left: 14, top: 22, right: 92, bottom: 132 } as const;

const WALL = { upper: [240, 234, 220], lower: [212, 204, 188] } as const;
const TABLE: Colour = [184, 136, 92];
const FRAME: Colour = [238, 234, 224];

/** A wall, a window frame and a wooden table, as they look in white light. */
export function paintRoom(canvas: Canvas): void {
  canvas.fill(box(0, 0, canvas.width, TABLE_EDGE), (_, y) => blend(WALL.upper, WALL.lower, y / TABLE_EDGE));
  paintFrame(canvas);
  paintTable(canvas);
}

function paintFrame(canvas: Canvas): void {
  const { left, top, right, bottom } = WINDOW;
  canvas.glow({ centre: [54, 82], radii: [50, 64], colour: [120, 108, 90], opacity: 0.25 });
  canvas.fill(box(left - 6, top - 6, right + 6, bottom + 6), FRAME);
  canvas.fill(box(left - 11, bottom + 5, right + 11, bottom + 11), lighter(FRAME, 0.4));
  canvas.fill(box(left - 11, bottom + 11, right + 11, bottom + 13), darker(FRAME, 0.25));
}

function paintTable(canvas: Canvas): void {
  const depth = canvas.height - TABLE_EDGE;
  canvas.fill(box(0, TABLE_EDGE, canvas.width, canvas.height), (_, y) =>
    blend(lighter(TABLE, 0.14), darker(TABLE, 0.12), (y - TABLE_EDGE) / depth),
  );
  for (let grain = 1; grain < 9; grain++) {
    const y = TABLE_EDGE + 2 + grain * grain * 0.62;
    const line = way([0, y], [110, y + (grain % 3)], [320, y - (grain % 2)]);
    canvas.fill(stroke(line, 0.9), darker(TABLE, 0.35), 0.35);
  }
  canvas.fill(box(0, TABLE_EDGE - 1, canvas.width, TABLE_EDGE + 1), lighter(TABLE, 0.35), 0.8);
  canvas.fill(oval(CENTRE + 8, 221, 62, 11), darker(TABLE, 0.7), 0.25);
}

interface Lighting {
  /** PPFD, µmol/(m² s). */
  readonly daylight: number;
  readonly lit: boolean;
}

/** What a dark room gives: below the tenth of full scale that counts as dark, yet not nothing. */
const NIGHT: Colour = [0.02, 0.023, 0.04];
/** A low sun is warm, a high one nearly white. */
const SUN = { low: [1, 0.8, 0.58], high: [1, 0.985, 0.95] } as const;
/** Daylight at which the camera's automatic exposure gives half of white: so 10 is dim, 150 is day. A choice. */
const HALF_EXPOSED = 18;
/** Blue and red diodes with some green: pink. */
const LAMP: Colour = [0.98, 0.68, 0.9];
const SKY = { low: [255, 186, 120], high: [196, 224, 246], night: [9, 12, 26] } as const;

/** All that shines on the scene: day from the window on the left, the lamp from above. */
export function lightsOf({ daylight, lit }: Lighting): Light[] {
  const sun = blend(SUN.low, SUN.high, ramp(daylight, 5, 90));
  const day = daylight / (daylight + HALF_EXPOSED);
  return [
    { colour: NIGHT, across: () => 1, down: () => 1 },
    { colour: sun, across: (x) => day * between(1, 0.86, x / (2 * CENTRE)), down: () => 1 },
    ...(lit ? [{ colour: LAMP, across: underLamp, down: (y: number) => between(0.95, 0.78, y / 240) }] : []),
  ];
}

const underLamp = (x: number) => 0.22 + 0.74 * bell((x - CENTRE) / 105);

/** The lamp hangs over the plant whether it shines or not. */
export function paintLamp(canvas: Canvas): void {
  for (const side of [-34, 34])
    canvas.fill(box(CENTRE + side - 0.6, 0, CENTRE + side + 0.6, 9), [70, 70, 74]);
  canvas.fill(trapezoid(CENTRE, 7, 15, 46, 52), [92, 92, 98]);
  canvas.fill(trapezoid(CENTRE, 7, 9, 46, 47.5), [150, 150, 156]);
  canvas.fill(box(CENTRE - 50, 15, CENTRE + 50, 17.5), [206, 204, 206]);
}

/** What shines of itself, and so is painted last: the sky in the window and a lamp that is on. */
export function paintSources(canvas: Canvas, lighting: Lighting): void {
  paintSky(canvas, lighting.daylight);
  if (lighting.lit) paintShine(canvas);
}

function paintSky(canvas: Canvas, daylight: number): void {
  const day = blend(SKY.low, SKY.high, ramp(daylight, 5, 90));
  const sky = blend(SKY.night, day, daylight / (daylight + HALF_EXPOSED / 4));
  const { left, top, right, bottom } = WINDOW;
  const [middle, bar] = [(left + right) / 2, between(top, bottom, 0.42)];
  for (const [from, to] of [
    [left, middle - 2],
    [middle + 2, right],
  ] as const) {
    for (const [upper, lower] of [
      [top, bar - 2],
      [bar + 2, bottom],
    ] as const) {
      canvas.fill(box(from, upper, to, lower), (_, y) =>
        blend(sky, [255, 255, 255], ((y - top) / 220) * (sky[0] / 255)),
      );
    }
  }
}

function paintShine(canvas: Canvas): void {
  canvas.fill(trapezoid(CENTRE, 17, 190, 50, 118), [255, 190, 240], 0.07);
  canvas.glow({ centre: [CENTRE, 18], radii: [60, 14], colour: [255, 190, 240], opacity: 0.55 });
  canvas.fill(box(CENTRE - 50, 14.5, CENTRE + 50, 18), [255, 236, 252]);
  for (let diode = -4; diode <= 4; diode++) {
    canvas.fill(oval(CENTRE + diode * 11, 16.5, 3, 1.4), diode % 2 === 0 ? [255, 150, 200] : [190, 160, 255]);
  }
}

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
const REFLECTED: Colour = [206, 222, 232];
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
  canvas.glow({
    centre: [MOUTH.x - 16, MOUTH.y + 5],
    radii: [12, 2],
    colour: REFLECTED,
    opacity: 0.4 * amount,
  });
  for (let glint = 0; glint < GLINTS; glint++) {
    const [x, y] = somewhere(chance, 300 + glint);
    canvas.fill(oval(x, y, 1.5, 0.7), REFLECTED, 0.9 * amount);
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
  canvas.fill(oval(MOUTH.x - 22, y - 1, 14, ry * 0.3), REFLECTED, 0.85);
  canvas.fill(oval(MOUTH.x - 26, y + ry * 0.5, 9, 1), [250, 252, 255], 0.9);
  canvas.fill(oval(MOUTH.x + 20, y + ry * 0.55, 12, 0.8), [236, 244, 248], 0.6);
  canvas.glow({ centre: [MOUTH.x + 3, y + 2], radii: [6, 4], colour: [40, 60, 44], opacity: 0.5 });
}
