import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";
import type { Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HouseTime } from "../../wire/house-time.js";
import type { NewsData, Notification } from "../../wire/notifications.js";
import type { CameraService } from "../camera/service.js";
import type { Reader } from "./words.js";

/** What `letterToSend` takes. */
interface Picture {
  readonly caption: string;
  /** Base64. */
  readonly jpeg: string;
}

/** A choice: an older picture says nothing about whether the plant needs water now. */
const RECENT = hours(24);
const WEEK = hours(7 * 24);
/** Bytes of all pictures of a letter. A choice: mail servers take ten million and more, and base64 adds a third. */
const MAX_BYTES = 5_000_000;

interface Chart {
  readonly caption: string;
  /** Base64. */
  readonly png: string;
}

/** The pictures that go with a letter: of a plant that is to get something, and of each plant before and after a week. */
export class LetterPictures {
  constructor(
    private readonly camera: Pick<CameraService, "firstAndLast" | "forAnswer">,
    /** The plants' clock. */
    private readonly clock: Clock,
  ) {}

  /** Never rejects: a letter does not wait for its pictures. Those that are too large are left out. */
  async of(notification: Notification | undefined, reader: Reader): Promise<readonly Picture[]> {
    const found: Picture[] = [];
    let bytes = 0;
    for (const { plant, at } of await this.wanted(notification).catch(() => [])) {
      const jpeg = await this.camera.forAnswer({ plant, timestamp: isoUtc(at) }).catch(() => undefined);
      if (!jpeg || bytes + jpeg.byteLength > MAX_BYTES) continue;
      bytes += jpeg.byteLength;
      const caption = `${reader.name(plant)}, ${new HouseTime(reader.zone).minute(at)} ${reader.zone}`;
      found.push({ caption, jpeg: Buffer.from(jpeg).toString("base64") });
    }
    return found;
  }

  /** A chart of each plant in the letter about the week. */
  async charts(notification: Notification | undefined, reader: Reader): Promise<readonly Chart[]> {
    if (notification?.kind !== "weekly") return [];
    const { from, to, plants } = notification.data;
    return Promise.all(
      plants.map(async ({ plant, days }) => ({
        caption: `${reader.name(plant)}, ${from} to ${to}: bars are ml of water a day, the line is the soil's moisture from 0 to 100 %`,
        png: (await weekChart(days)).toString("base64"),
      })),
    );
  }

  private async wanted(notification: Notification | undefined) {
    const now = this.clock.now();
    if (notification?.kind === "weekly") {
      const plants = notification.data.plants.map(({ plant }) => plant);
      return (await Promise.all(plants.map((plant) => this.camera.firstAndLast(plant, now - WEEK)))).flat();
    }
    if (notification?.kind !== "approval_requested" || notification.plant === undefined) return [];
    return (await this.camera.firstAndLast(notification.plant, now - RECENT)).slice(-1);
  }
}

/** Red, green, blue. */
type Colour = readonly [number, number, number];

/** A picture of a few colours: each byte is a place in the palette. Points outside of it are left out. */
class Canvas {
  readonly points: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly palette: readonly Colour[],
  ) {
    this.points = new Uint8Array(width * height);
  }

  set(x: number, y: number, colour: number): void {
    if (x >= 0 && x < this.width && y >= 0 && y < this.height)
      this.points[Math.round(y) * this.width + Math.round(x)] = colour;
  }

  fill([x, y, width, height]: readonly [number, number, number, number], colour: number): void {
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) this.set(x + column, y + row, colour);
  }

  line([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number], colour: number): void {
    const steps = Math.max(1, Math.abs(x2 - x1), Math.abs(y2 - y1));
    for (let step = 0; step <= steps; step += 1) {
      const at = (from: number, to: number) => Math.round(from + ((to - from) * step) / steps);
      this.fill([at(x1, x2) - 1, at(y1, y2) - 1, 3, 3], colour);
    }
  }
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bits of a point, a colour of a palette, and the only methods that there are (PNG, third edition, 11.2.1). */
const FORM = [8, 3, 0, 0, 0] as const;

/** Packed in another thread, so that a picture keeps nobody waiting. */
async function pngOf({ width, height, palette, points }: Canvas): Promise<Buffer> {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // each row begins with its filter: none
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    rows.set(points.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([head, Buffer.from(FORM)])),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", await promisify(deflate)(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

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
