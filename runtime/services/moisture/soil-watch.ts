import { hours, type Millis } from "../../../drivers/units.js";
import {
  DEFAULT_NOT_ABOVE,
  fittedLimit,
  type Level,
  STAYS_WET_DAYS,
  type WetLimit,
  wetSpell,
} from "../../safety/wet-soil.js";
import { isoUtc } from "../../tools/iso-time.js";
import { definePart, type House } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { type Control, control } from "../people/control.js";
import { type MoistureService, moisture } from "./service.js";

/** A choice: soil changes slowly. */
const LOOK_EVERY = hours(6);
/** A month, because soaks are rare. */
const MONTH = hours(30 * 24);
const HISTORY = { samplesPerHour: 2, aggregation: "mean", valueField: "percent" } as const;
const SLOT = hours(0.5);

/** The moisture above which no water flows, by plant. Tells the person of soil that stays above it for days. */
export class SoilWatch {
  private readonly configured: ReadonlyMap<string, number | "off" | undefined>;
  private readonly fitted = new Map<string, number | undefined>();
  private readonly looked = new Map<string, Millis>();
  private readonly known = new Map<string, Known>();

  private constructor(
    private readonly house: House,
    private readonly moisture: MoistureService,
    private readonly control: Control,
    private readonly outbox: Outbox,
  ) {
    this.configured = new Map(house.plants.all.map(({ id, water }) => [id, water.not_above]));
  }

  /** Works out from the stored readings what the pots have shown. */
  static async open(house: House): Promise<SoilWatch> {
    const [readings, holds] = [await house.use(moisture), await house.use(control)];
    const soil = new SoilWatch(house, readings, holds, await house.use(outbox));
    for (const { id } of house.plants.all) soil.fitted.set(id, fittedLimit(await soil.levels(id)));
    return soil;
  }

  /** Undefined if the configuration has switched it off. */
  limit(plant: string): WetLimit | undefined {
    const configured = this.configured.get(plant);
    if (configured === "off") return undefined;
    if (configured !== undefined) return { percent: configured, from: "configured" };
    const fitted = this.fitted.get(plant);
    return fitted === undefined
      ? { percent: DEFAULT_NOT_ABOVE, from: "default" }
      : { percent: fitted, from: "fitted" };
  }

  /** Call it after each reading. */
  async look(plant: string): Promise<void> {
    const now = this.house.clock.monotonic();
    const last = this.looked.get(plant);
    if (last !== undefined && now - last < LOOK_EVERY) return;
    this.looked.set(plant, now);
    const levels = await this.levels(plant);
    this.fitted.set(plant, fittedLimit(levels));
    await this.tell(plant, levels);
  }

  private async tell(plant: string, levels: readonly Level[]): Promise<void> {
    const { control, outbox } = this;
    const { clock } = this.house;
    const limit = this.limit(plant);
    const spell = limit && wetSpell(levels, limit.percent, clock.now());
    const told = control.wasToldWet(plant);
    const entry = { timestamp: isoUtc(clock.now()), plant, by: "runtime" };
    if (spell === "falls") await outbox.overWhere("soil_stays_wet", (_, of) => of === plant);
    if (spell === "falls" && told)
      await control.record({ ...entry, kind: "wet_over", reason: "the soil has dried again" });
    if (spell !== "stays" || told || !limit) return;
    const percent = levels.at(-1)?.percent ?? null;
    const data = { limit_percent: limit.percent, percent, days: STAYS_WET_DAYS };
    await outbox.tell({ kind: "soil_stays_wet", severity: "warning", plant, data });
    await control.record({ ...entry, kind: "wet_told", reason: "the soil stays wet" });
  }

  /** The past does not change: only what came since the last look is asked for, unless the clock was set back. */
  private async levels(plant: string): Promise<readonly Level[]> {
    const end = Math.floor(this.house.clock.now() / SLOT) * SLOT;
    const { until, levels } = this.known.get(plant) ?? NOTHING;
    const isLater = end >= until && end - until < MONTH;
    const found = isLater
      ? [...levels.filter(({ at }) => at > end - MONTH), ...(await this.between(plant, until, end))]
      : await this.between(plant, end - MONTH, end);
    this.known.set(plant, { until: end, levels: found });
    return found;
  }

  /** From shortly after `start` until `end`, both on the edge of a half-hour. */
  private async between(plant: string, start: number, end: number): Promise<Level[]> {
    // of a new plant there is nothing to ask, and the question takes a tenth of its start
    if (start === end || !this.moisture.mayHaveReadBefore(plant, end)) return [];
    const span = { hours: (end - start) / hours(1), endMs: end };
    const { items } = await this.moisture.history({ ...HISTORY, ...span, plant });
    return items.flatMap(({ bucket_end, value }) =>
      typeof value === "number" ? [{ at: Date.parse(String(bucket_end)), percent: value }] : [],
    );
  }
}

/** The half-hours of the month until an instant. */
interface Known {
  /** Epoch milliseconds, the end of a half-hour. */
  readonly until: number;
  readonly levels: readonly Level[];
}

const NOTHING: Known = { until: Number.NEGATIVE_INFINITY, levels: [] };

export const soilWatch = definePart("soil watch", (house) => SoilWatch.open(house));
