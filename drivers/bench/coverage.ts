/** A point of the picture: pixels to the right of its left edge, pixels below its upper one. */
export type Point = readonly [x: number, y: number];

/** Lines that each row of pixels is cut into; across, cover is exact. Four leave no steps that the eye finds. */
const CUTS = 4;

/**
 * How much of each pixel an outline covers. Each crossing of an edge with a cut is noted in the pixel where it
 * is, and a running sum along the row gives the cover (the accumulation buffer of R. Levien's font-rs, 2016).
 */
export class Coverage {
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
