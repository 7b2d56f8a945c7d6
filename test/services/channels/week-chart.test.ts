import { inflateSync } from "node:zlib";
import t from "tap";
import { weekChart } from "../../../runtime/services/channels/letter-pictures.js";

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Colour of a point as #rrggbb. */
  at(x: number, y: number): string;
  /** How many points have this colour. */
  count(colour: string): number;
}

/** Reads a PNG with a palette, as RFC 2083 has it; the sums of its chunks must be right. */
function decoded(png: Buffer): Picture {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    if (png.readUInt32BE(at + 8 + length) !== crc(body)) throw new Error("a wrong sum");
    chunks.set(body.subarray(0, 4).toString("latin1"), body.subarray(4));
    at += 12 + length;
  }
  const [head, palette, data] = ["IHDR", "PLTE", "IDAT"].map((name) => chunks.get(name) ?? Buffer.alloc(0));
  if (!head || !palette || !data || !chunks.has("IEND")) throw new Error("a chunk is missing");
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const rows = inflateSync(data);
  const colour = (index = 0) => `#${palette.subarray(index * 3, index * 3 + 3).toString("hex")}`;
  const at = (x: number, y: number) => colour(rows[y * (width + 1) + 1 + x]);
  const all = Array.from({ length: width * height }, (_, n) => at(n % width, Math.floor(n / width)));
  return { width, height, at, count: (wanted) => all.filter((each) => each === wanted).length };
}

/** The checksum of PNG, written from its definition (appendix D). */
function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const BLUE = "#56b4e9";
const ORANGE = "#d55e00";
const day = (n: number) => `2026-06-0${n}`;

t.test("a bar is as high as its share of the most; a day without water has none", async (t) => {
  const bars = async (...ml: number[]) =>
    decoded(await weekChart(ml.map((each, n) => ({ day: day(n + 1), ml: each })))).count(BLUE);
  const [whole, half, none] = [await bars(60, 60), await bars(60, 30), await bars(0, 0)];
  t.equal(none, 0);
  t.ok(Math.abs(half / whole - 0.75) < 0.01, `${half} of ${whole}`);
});

t.test("the line goes through what was read, and leaves a gap for a day without a reading", async (t) => {
  const line = async (...percents: (number | undefined)[]) =>
    decoded(
      await weekChart(
        percents.map((each, n) => ({
          ...{ day: day(n + 1), ml: 0 },
          ...(each !== undefined && { moisture_percent: each }),
        })),
      ),
    );
  const scale = (await line(undefined, undefined, undefined)).count(ORANGE);
  const picture = await line(50, undefined, 50);
  const middle = 130;
  t.equal(picture.at(107, middle), ORANGE, "the first day's reading, at half of the height");
  t.notSame(picture.at(292, middle), ORANGE, "the gap");
  const joined = await line(50, 50, 50);
  t.equal(joined.at(200, middle), ORANGE, "neighbours are joined");
  t.ok(joined.count(ORANGE) > picture.count(ORANGE) && picture.count(ORANGE) > scale);
});

t.test("odd figures draw no point outside of the picture, and break nothing", async (t) => {
  for (const days of [[], [{ day: "x".repeat(200), ml: 1e9, moisture_percent: 250 }]]) {
    const { width, height } = decoded(await weekChart(days));
    t.same([width, height], [640, 260]);
  }
});
