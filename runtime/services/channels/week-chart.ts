import type { NewsData } from "../../wire/notifications.js";
import { Canvas, type Colour, pngOf } from "./png.js";

type Day = NewsData<"weekly">["plants"][number]["days"][number];

/** Points. A choice: a mail program shows it whole on a phone and on a desk. */
const [WIDTH, HEIGHT] = [640, 260];
/** What is left for figures beside and below the bars. */
const [LEFT, RIGHT, TOP, BOTTOM] = [12, 56, 26, 26];
const BAR_SHARE = 0.55;

/** Told apart by people who see few colours too: Okabe and Ito, "Color Universal Design", 2008. */
const COLOURS: readonly Colour[] = [
  [255, 255, 255],
  [221, 221, 221],
  [86, 180, 233],
  [213, 94, 0],
  [34, 34, 34],
];
const [GREY, BLUE, ORANGE, BLACK] = [1, 2, 3, 4] as const;

/** Rows of five points each, the highest bit on the left. */
const GLYPHS: Readonly<Record<string, readonly number[]>> = {
  "0": [14, 17, 19, 21, 25, 17, 14],
  "1": [4, 12, 4, 4, 4, 4, 14],
  "2": [14, 17, 1, 2, 4, 8, 31],
  "3": [31, 2, 4, 2, 1, 17, 14],
  "4": [2, 6, 10, 18, 31, 2, 2],
  "5": [31, 16, 30, 1, 1, 17, 14],
  "6": [6, 8, 16, 30, 17, 17, 14],
  "7": [31, 1, 2, 4, 8, 8, 8],
  "8": [14, 17, 17, 14, 17, 17, 14],
  "9": [14, 17, 17, 15, 1, 2, 12],
  ".": [0, 0, 0, 0, 0, 12, 12],
  "-": [0, 0, 0, 31, 0, 0, 0],
  "%": [24, 25, 2, 4, 8, 19, 3],
};
const SCALE = 2;
const GLYPH_WIDTH = 6 * SCALE;

/** A plant's days as a PNG: water as bars with their millilitres, the soil's moisture as a line from 0 to 100 %. */
export function weekChart(days: readonly Day[]): Promise<Buffer> {
  const canvas = new Canvas(WIDTH, HEIGHT, COLOURS);
  const slot = (WIDTH - LEFT - RIGHT) / Math.max(1, days.length);
  const bottom = HEIGHT - BOTTOM;
  const full = bottom - TOP;
  const most = Math.max(...days.map(({ ml }) => ml), 1);
  for (const percent of [0, 50, 100]) {
    const y = bottom - (full * percent) / 100;
    canvas.fill([LEFT, y, WIDTH - LEFT - RIGHT, 1], GREY);
    write(canvas, `${percent}%`, [WIDTH - RIGHT + 4, y - 7], ORANGE);
  }
  for (const [index, { day, ml }] of days.entries()) {
    const [middle, height] = [LEFT + slot * (index + 0.5), Math.ceil((full * ml) / most)];
    const width = Math.round(slot * BAR_SHARE);
    canvas.fill([Math.round(middle - width / 2), bottom - height, width, height], BLUE);
    writeAround(canvas, day.slice("2026-".length), [middle, bottom + 6], BLACK);
    if (ml > 0) writeAround(canvas, String(ml), [middle, bottom - height - 18], BLACK);
  }
  drawMoisture(canvas, days, (index, percent) => [
    LEFT + slot * (index + 0.5),
    bottom - (full * percent) / 100,
  ]);
  return pngOf(canvas);
}

/** A day without a reading leaves a gap. */
function drawMoisture(
  canvas: Canvas,
  days: readonly Day[],
  place: (index: number, percent: number) => readonly [number, number],
): void {
  for (const [index, { moisture_percent: percent }] of days.entries()) {
    if (percent === undefined) continue;
    const [x, y] = place(index, percent);
    canvas.fill([Math.round(x) - 4, Math.round(y) - 4, 9, 9], ORANGE);
    const next = days[index + 1]?.moisture_percent;
    if (next !== undefined) canvas.line([x, y], place(index + 1, next), ORANGE);
  }
}

function writeAround(canvas: Canvas, text: string, [x, y]: readonly [number, number], colour: number): void {
  write(canvas, text, [x - (text.length * GLYPH_WIDTH) / 2, y], colour);
}

function write(canvas: Canvas, text: string, [x, y]: readonly [number, number], colour: number): void {
  for (const [at, sign] of [...text].entries())
    for (const [row, bits] of (GLYPHS[sign] ?? []).entries())
      for (let column = 0; column < 5; column += 1)
        if (bits & (16 >> column))
          canvas.fill(
            [Math.round(x + at * GLYPH_WIDTH + column * SCALE), Math.round(y + row * SCALE), SCALE, SCALE],
            colour,
          );
}
