import { ramp } from "../math.js";
import { bell, blend, type Canvas, type Colour, darker, type Light, lighter } from "./canvas.js";
import { between, box, oval, stroke, trapezoid, way } from "./shapes.js";

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
