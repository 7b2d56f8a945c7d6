/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];
/** One colour all over, or one for each place. */
type Paint = Colour | ((x: number, y: number) => Colour);

/** Something round without an edge: full in the middle, nothing a good two radii away. */
interface Glow {
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
    private readonly scale: number,
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

/** A point of the picture: pixels to the right of its left edge, pixels below its upper one. */
export type Point = readonly [x: number, y: number];

/** Lines that each row of pixels is cut into; across, cover is exact. Four leave no steps that the eye finds. */
const CUTS = 4;

/**
 * How much of each pixel an outline covers. Each crossing of an edge with a cut is noted in the pixel where it
 * is, and a running sum along the row gives the cover (the accumulation buffer of R. Levien's font-rs, 2016).
 */
class Coverage {
  private readonly crossings: Float32Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.crossings = new Float32Array((width + 2) * height);
  }

  /** Calls `visit` for every pixel of which a share (above 0, to 1) lies inside the closed outline. */
  scan(outline: readonly Point[], visit: (x: number, y: number, share: number) => void): void {
    outline.forEach((to, index) => {
      this.cross(outline.at(index - 1) ?? to, to);
    });
    const [top, bottom] = span(outline, 1, this.height);
    const [left, right] = span(outline, 0, this.width);
    for (let y = top; y < bottom; y++) this.sweep(y, left, right, visit);
  }

  private cross(from: Point, to: Point): void {
    const [upper, lower, winding] = from[1] < to[1] ? [from, to, 1] : [to, from, -1];
    const slope = (lower[0] - upper[0]) / (lower[1] - upper[1]);
    const first = Math.max(0, Math.ceil(upper[1] * CUTS - 0.5));
    const last = Math.min(this.height * CUTS, Math.ceil(lower[1] * CUTS - 0.5));
    for (let cut = first; cut < last; cut++) {
      const x = upper[0] + slope * ((cut + 0.5) / CUTS - upper[1]);
      this.note(Math.max(0, Math.min(this.width, x)), Math.floor(cut / CUTS), winding / CUTS);
    }
  }

  private note(x: number, y: number, amount: number): void {
    const column = Math.floor(x);
    const at = y * (this.width + 2) + column;
    const beyond = amount * (x - column);
    this.crossings[at] = (this.crossings[at] ?? 0) + amount - beyond;
    this.crossings[at + 1] = (this.crossings[at + 1] ?? 0) + beyond;
  }

  /** Reads a row and wipes it for the next outline. */
  private sweep(
    y: number,
    left: number,
    right: number,
    visit: (x: number, y: number, share: number) => void,
  ) {
    const row = y * (this.width + 2);
    let sum = 0;
    for (let x = left; x < right; x++) {
      sum += this.crossings[row + x] ?? 0;
      const share = Math.min(1, Math.abs(sum));
      if (share > 0.004) visit(x, y, share);
    }
    this.crossings.fill(0, row + left, row + right + 2);
  }
}

/** The pixels from the first to past the last that an outline can touch. */
function span(outline: readonly Point[], axis: 0 | 1, size: number): [from: number, to: number] {
  let [least, most] = [size, 0];
  for (const point of outline) {
    least = Math.min(least, point[axis]);
    most = Math.max(most, point[axis]);
  }
  return [Math.max(0, Math.floor(least)), Math.min(size, Math.floor(most) + 1)];
}
