import type { PlantResult } from "../result.js";
import { lightPanel } from "./light-panel.js";
import { markRow } from "./marks.js";
import { html, type Markup } from "./markup.js";
import { percentAcross } from "./panel.js";
import { moisturePanel, seedPanel, temperaturePanel } from "./seed-panels.js";
import type { Stage } from "./stage.js";
import { waterPanel } from "./water-panel.js";

const PANELS = [moisturePanel, seedPanel, waterPanel, lightPanel, temperaturePanel];

/** A plant's panels above one time axis. `id` is unique on the page. */
export const plantChart = (plant: PlantResult, stage: Stage, id: string): Markup => html`
<div class="chart">
${markRow(stage.events, stage.time)}
${PANELS.map((draw) => draw(plant, stage, id))}
${timeAxis(stage)}
</div>`;

/** As many labels as stand apart on a telephone, some 280 px of plot. */
const MOST_NARROW = 6;

/** The labels below the panels. Those of class `minor` are left out where the page is narrow. */
export function timeAxis({ time, ticks }: Pick<Stage, "time" | "ticks">): Markup {
  const every = Math.ceil(ticks.length / MOST_NARROW);
  const labels = ticks.map(({ at, label }, index) => {
    const x = percentAcross(time, at);
    const name = index % every === 0 ? "tick" : "tick minor";
    return html`<line class="axis" x1="${x}" x2="${x}" y2="4"/><text class="${name}" x="${x}" y="16" text-anchor="middle">${label}</text>`;
  });
  return html`<div class="panel"><svg aria-hidden="true" height="20"><line class="axis" x2="100%"/>${labels}</svg></div>`;
}
