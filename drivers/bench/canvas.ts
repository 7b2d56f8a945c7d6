/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** A region and how much of each of its pixels is covered, 0 to 1: soft edges come from values between. */
export interface Shape {
  readonly x: readonly [from: number, to: number];
  readonly y: readonly [from: number, to: number];
  readonly cover: (x: number, y: number) => number;
}

const covered = (inside: number) => Math.max(0, Math.min(1, inside + 0.5));

/** An ellipse with half-axes `rx` and `ry`, turned by `angle` radians. */
export function ellipse(cx: number, cy: number, rx: number, ry: number, angle = 0): Shape {
  const [cos, sin, reach] = [Math.cos(angle), Math.sin(angle), Math.max(rx, ry) + 1];
  const cover = (x: number, y: number) => {
    const [dx, dy] = [x - cx, y - cy];
    const [along, across] = [(dx * cos + dy * sin) / rx, (dy * cos - dx * sin) / ry];
    return covered((1 - Math.sqrt(along * along + across * across)) * Math.min(rx, ry));
  };
  return { x: [cx - reach, cx + reach], y: [cy - reach, cy + reach], cover };
}

/** Between `top` and `bottom`, its half width going from `topHalf` to `bottomHalf` around `cx`. */
export function trapezoid(
  cx: number,
  top: number,
  bottom: number,
  topHalf: number,
  bottomHalf: number,
): Shape {
  const reach = Math.max(topHalf, bottomHalf) + 1;
  const cover = (x: number, y: number) => {
    const half = topHalf + ((bottomHalf - topHalf) * (y - top)) / (bottom - top);
    return covered(Math.min(half - Math.abs(x - cx), y - top, bottom - y));
  };
  return { x: [cx - reach, cx + reach], y: [top - 1, bottom + 1], cover };
}

/** A line of `width` from one point to another, its ends round. */
export function line(x1: number, y1: number, x2: number, y2: number, width: number): Shape {
  const [dx, dy, reach] = [x2 - x1, y2 - y1, width / 2 + 1];
  const cover = (x: number, y: number) => {
    const along = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
    return covered(width / 2 - Math.hypot(x - x1 - along * dx, y - y1 - along * dy));
  };
  const around = (a: number, b: number) => [Math.min(a, b) - reach, Math.max(a, b) + reach] as const;
  return { x: around(x1, x2), y: around(y1, y2), cover };
}

/** A shape that lets through what is below. */
export const translucent = (shape: Shape, opacity: number): Shape => ({
  ...shape,
  cover: (x, y) => opacity * shape.cover(x, y),
});

/** Between two colours: `share` 0 is the first, 1 the second. */
export const blend = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

/** Pixels as RGBA bytes, painted over each other. */
export class Canvas {
  readonly data: Uint8ClampedArray;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.data = new Uint8ClampedArray(width * height * 4).fill(255);
  }

  paint({ x, y, cover }: Shape, colour: Colour): void {
    const [left, right] = [Math.max(0, Math.floor(x[0])), Math.min(this.width - 1, Math.ceil(x[1]))];
    const [top, bottom] = [Math.max(0, Math.floor(y[0])), Math.min(this.height - 1, Math.ceil(y[1]))];
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) this.cover(column, row, colour, cover(column, row));
    }
  }

  /** Dims each colour to its part of the light. */
  illuminate(light: Colour): void {
    const { data } = this;
    for (let i = 0; i < data.length; i++) if (i % 4 !== 3) data[i] = (data[i] ?? 0) * (light[i % 4] ?? 1);
  }

  private cover(x: number, y: number, colour: Colour, share: number): void {
    if (share === 0) return;
    const { data } = this;
    const at = (y * this.width + x) * 4;
    for (let i = 0; i < 3; i++) data[at + i] = (data[at + i] ?? 0) * (1 - share) + (colour[i] ?? 0) * share;
  }
}
