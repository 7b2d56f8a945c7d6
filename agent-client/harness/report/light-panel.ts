import type { PlantResult } from "../result.js";
import type { Markup } from "./markup.js";
import { area, keyEntry, panel } from "./panel.js";
import { linear, roundScale } from "./scale.js";
import { lineOf, range } from "./seed-panels.js";
import type { Stage } from "./stage.js";
import { merged, type Stretch, strip } from "./strip.js";
import { DAY, instant } from "./time-axis.js";
import { duration } from "./words.js";

const HEIGHT = 76;
/** The lamp's strip, with some air below it, has a lane of its own above the daylight. */
const STRIP = 11;
const LANE = 15;
/** An axis for a dark room, µmol/(m² s): a bright windowsill has some hundreds. */
const LEAST_TOP = 100;

/** When the lamp shone, above how much daylight there was. */
export function lightPanel(plant: PlantResult, { time, grid, marks }: Stage, id: string): Markup {
  const lit = merged(plant.light.map(stretch), 0);
  const words = lampInWords(lit, time.to - time.from);
  const y = daylightAxis(plant.hourly.daylight);
  return panel({
    id: `${id}-light`,
    title: "Light, µmol/(m² s)",
    description: `Lamp ${words}. Daylight ${range(plant.hourly.daylight, "µmol/(m² s)")}.`,
    key: [keyEntry("lamp", `lamp: ${words}`), keyEntry("daylight", "daylight")],
    height: HEIGHT,
    y,
    behind: grid,
    layers: [
      area("daylight", lineOf(plant, "daylight"), { time, y: y.scale, height: HEIGHT }),
      strip("lamp", lit, { time, top: 0, height: STRIP }),
    ],
    over: marks,
  });
}

/** Its scale goes on above its last tick, where the lamp's lane is. */
function daylightAxis(daylight: readonly number[]) {
  const { scale, ticks } = roundScale([0, LEAST_TOP, ...daylight], 2);
  return { scale: linear(0, (scale.to * HEIGHT) / (HEIGHT - LANE)), ticks };
}

const stretch = ({ from, to }: PlantResult["light"][number]): Stretch => ({
  from: instant(from, "when the lamp went on,"),
  to: instant(to, "when the lamp went off,"),
});

function lampInWords(lit: readonly Stretch[], length: number): string {
  const shone = lit.reduce((sum, { from, to }) => sum + to - from, 0);
  if (shone === 0) return "never on";
  return length < DAY ? `on for ${duration(shone)}` : `on for ${duration((shone / length) * DAY)} a day`;
}
