import type { EpochMillis } from "../../units.js";
import { html, type Markup } from "./markup.js";
import { across, PLOT_WIDTH } from "./panel.js";
import type { Scale } from "./scale.js";

export interface Stretch {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
}

/** What lies nearer than this is drawn as one: a tenth of a pixel on a page 1000 pixels wide. */
const APART = 0.1;
const SAME = APART / PLOT_WIDTH;

/** Blocks along the time axis, from `top` down for `height` pixels. */
export function strip(
  name: string,
  stretches: readonly Stretch[],
  { time, top, height }: { readonly time: Scale; readonly top: number; readonly height: number },
): Markup {
  const blocks = merged(stretches, SAME * (time.to - time.from)).map(
    ({ from, to }) => `M${across(time, from)},${top}H${across(time, to)}v${height}H${across(time, from)}z`,
  );
  return html`<path class="${name}" d="${blocks.join("")}"/>`;
}

/** In order of time, those closer to each other than `near` made one. */
export function merged(stretches: readonly Stretch[], near: number): readonly Stretch[] {
  const blocks: Stretch[] = [];
  for (const stretch of [...stretches].sort((a, b) => a.from - b.from)) {
    const last = blocks.at(-1);
    if (last && stretch.from - last.to < near)
      blocks.splice(-1, 1, { from: last.from, to: Math.max(last.to, stretch.to) });
    else blocks.push(stretch);
  }
  return blocks;
}
