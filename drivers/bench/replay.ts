import type { Gap } from "../board.js";
import { type Calibration, percentOf } from "../devices/soil-probe.js";
import { type EpochMillis, millilitres, minutes, type Percent, plus, type Volts } from "../units.js";
import type { BenchPlant, Look, PlantSnapshot, PlantTruth } from "./bench-plant.js";
import type { Recording, Row } from "./recording.js";
import { healthOf, hydrationOf, PEAT } from "./substrate.js";

/** A row holds until the next one, but no longer than this: then the probe counts as unplugged. */
const GAP = minutes(5);
/** The last row holds as long as a row of such a recording does, one a minute. */
const LAST_ROW = minutes(1);

/** The recording without its gaps: each row after one comes as if the next minute had been recorded. */
export function withoutGaps([first, ...rows]: Recording): Recording {
  let [before, left] = [first.at as number, 0];
  const moved = rows.map((row) => {
    if (row.at - before > GAP) left += row.at - before - LAST_ROW;
    before = row.at;
    return { ...row, at: (row.at - left) as EpochMillis };
  });
  return [first, ...moved];
}

/** The gap that an instant is in, if it is in one. */
export function gapAt(recording: Recording, at: EpochMillis): Gap | undefined {
  const next = recording.findIndex((row) => row.at > at);
  const [before, after] = [recording[next - 1], recording[next]];
  if (!before || !after || at - before.at < GAP) return undefined;
  return { from: before.at, until: after.at };
}

/** When there is nothing left to replay. */
export const endOf = (recording: Recording): EpochMillis =>
  plus(lastBefore(recording)(Number.POSITIVE_INFINITY).at, LAST_ROW);

const NONE = millilitres(0);
const UNHARMED = {
  vigour: 100,
  stress: { drought: 0, waterlogging: 0, light: 0, temperature: 0 },
  lightIntegral: 0,
  water: { received: NONE, need: NONE, lost: NONE, drained: NONE },
};

/** A plant that somebody recorded. It is past and done: neither water nor light move it. */
export class RecordedPlant implements BenchPlant {
  private readonly rowAt: (at: number) => Row;

  constructor(
    recording: Recording,
    private readonly calibration: Calibration<Volts>,
  ) {
    this.rowAt = lastBefore(recording);
  }

  step(): void {}

  probe(at: EpochMillis): Volts | undefined {
    const row = this.rowAt(at);
    return at >= row.at && at - row.at < GAP ? row.volts : undefined;
  }

  /** In a gap, as it was before. */
  moisture(at: EpochMillis): Percent {
    return percentOf(this.rowAt(at).volts, this.calibration);
  }

  /** Nobody took pictures: it looks as its soil reads. */
  look(at: EpochMillis): Look {
    const wetness = Math.max(0, Math.min(1, this.moisture(at) / 100));
    const turgor = Math.min(1, 0.3 + 2 * wetness);
    return { form: "leafy", canopy: 0.6, turgor, yellowing: 0, dead: false, soilWetness: wetness, ponded: 0 };
  }

  /** Nobody wrote down how the plant fared: its water is read off the probe, in peat; all else counts as well. */
  truth(at: EpochMillis): PlantTruth {
    const wetness = Math.max(0, Math.min(1, this.moisture(at) / 100));
    const waterContent = PEAT.airDry + wetness * (PEAT.saturation - PEAT.airDry);
    const hydration = hydrationOf(waterContent, PEAT);
    return { waterContent, hydration, health: healthOf(hydration), ...UNHARMED };
  }

  /** There is nothing to remember but the clock. */
  snapshot(): PlantSnapshot | undefined {
    return undefined;
  }
}

/** Finds the last row at or before an instant by bisection; before all of them, the first. */
const lastBefore =
  (recording: Recording) =>
  (at: number): Row => {
    let [low, high] = [0, recording.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((recording[middle]?.at ?? Number.POSITIVE_INFINITY) <= at) low = middle;
      else high = middle - 1;
    }
    return recording[low] ?? recording[0];
  };
