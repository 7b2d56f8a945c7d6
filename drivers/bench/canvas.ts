import { Coverage, type Point } from "./coverage.js";

export type { Point } from "./coverage.js";

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];
/** One colour all over, or one for each place. */
export type Paint = Colour | ((x: number, y: number) => Colour);

/** Something round without an edge: full in the middle, nothing a good two radii away. */
export interface Glow {
  readonly centre: Point;
  readonly radii: readonly [across: number, down: number];
  readonly colour: Colour;
  /** In the middle, 0 to 1. */
  readonly opacity: number;
}

/** A light: share of each colour that comes back from white at its brightest, and its falling off in both directions. */
export interface Light {
  readonly colour: Colour;
  readonly across: (x: number) => number;
  readonly down: (y: number) => number;
}

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** A glow beyond this many radii is less than one step of a byte. */
const GLOW_REACH = 2.4;

/** Between two colours: `share` 0 is the first, 1 the second. */
export const blend = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];
export const lighter = (colour: Colour, share: number): Colour => blend(colour, WHITE, share);
export const darker = (colour: Colour, share: number): Colour => blend(colour, BLACK, share);

/** Pixels as RGBA bytes, painted over each other; black at first. */
export class Canvas {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
  private readonly coverage: Coverage;

  /** What is painted is `width` × `height`; `scale` is how many pixels one unit of it takes. */
  constructor(
    width: number,
    height: number,
    private readonly scale = 1,
  ) {
    this.width = Math.round(width * scale);
    this.height = Math.round(height * scale);
    this.data = new Uint8ClampedArray(this.width * this.height * 4);
    for (let alpha = 3; alpha < this.data.length; alpha += 4) this.data[alpha] = 255;
    this.coverage = new Coverage(this.width, this.height);
  }

  /** Fills a closed outline, its edges soft. */
  fill(outline: readonly Point[], paint: Paint, opacity = 1): void {
    const { scale } = this;
    const colourAt = typeof paint === "function" ? paint : () => paint;
    const scaled = scale === 1 ? outline : outline.map(([x, y]) => [x * scale, y * scale] as const);
    this.coverage.scan(scaled, (x, y, share) =>
      this.cover(x, y, colourAt(x / scale, y / scale), share * opacity),
    );
  }

  glow({ centre, radii, colour, opacity }: Glow): void {
    const [cx, cy] = [centre[0] * this.scale, centre[1] * this.scale];
    const [rx, ry] = [radii[0] * this.scale, radii[1] * this.scale];
    const [left, right] = within(cx, rx * GLOW_REACH, this.width);
    const [top, bottom] = within(cy, ry * GLOW_REACH, this.height);
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        this.cover(x, y, colour, opacity * bell((x - cx) / rx) * bell((y - cy) / ry));
      }
    }
  }

  /** Dims all that is painted to what the lights give; two lights together never burn a colour out. */
  illuminate(lights: readonly Light[]): void {
    for (let channel = 0; channel < 3; channel++) this.expose(lights, channel);
  }

  private expose(lights: readonly Light[], channel: number): void {
    const columns = lights.map(({ across }) =>
      Float32Array.from({ length: this.width }, (_, x) => across(x / this.scale)),
    );
    for (let y = 0; y < this.height; y++) {
      const strengths = lights.map(({ colour, down }) => (colour[channel] ?? 0) * down(y / this.scale));
      for (let x = 0; x < this.width; x++) {
        let unlit = 1;
        for (let i = 0; i < strengths.length; i++) unlit *= 1 - (strengths[i] ?? 0) * (columns[i]?.[x] ?? 0);
        const at = (y * this.width + x) * 4 + channel;
        this.data[at] = (this.data[at] ?? 0) * (1 - unlit);
      }
    }
  }

  private cover(x: number, y: number, colour: Colour, share: number): void {
    const at = (y * this.width + x) * 4;
    const { data } = this;
    for (let i = 0; i < 3; i++) {
      const below = data[at + i] ?? 0;
      data[at + i] = below + ((colour[i] ?? 0) - below) * share;
    }
  }
}

/** A Gaussian with standard deviation 1/√2: 1 in the middle. */
export const bell = (distance: number): number => Math.exp(-distance * distance);

const within = (centre: number, reach: number, size: number): [from: number, to: number] => [
  Math.max(0, Math.floor(centre - reach)),
  Math.min(size, Math.ceil(centre + reach)),
];
