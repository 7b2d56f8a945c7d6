import type { Look } from "../bench-plant.js";
import type { Canvas, Point } from "../canvas.js";
import type { Chance } from "./chance.js";

/** A plant to be painted. */
export interface Growth {
  readonly look: Look;
  /** Where it comes out of the soil. */
  readonly foot: Point;
  readonly chance: Chance;
}

/** Paints one form of plant, in white light. */
export type PaintGrowth = (canvas: Canvas, growth: Growth) => void;
