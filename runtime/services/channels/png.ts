import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

/** Red, green, blue. */
export type Colour = readonly [number, number, number];

/** A picture of a few colours: each byte is a place in the palette. Points outside of it are left out. */
export class Canvas {
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
export async function pngOf({ width, height, palette, points }: Canvas): Promise<Buffer> {
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
