import { join } from "node:path";
import { z } from "zod";
import { hours } from "../../../drivers/units.js";
import { CARE_FILE } from "../../places.js";
import { careAt, countCareGap, isOverdue, type Moment, momentOf, toldOf } from "../../safety/care-gap.js";
import { readIfThere, storeFailed } from "../../store/durable-file.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { NewsData } from "../../wire/notifications.js";
import { statusProblem } from "../../wire/status-problems.js";
import { inputs } from "../inputs/inputs.js";
import { LIGHT_LOG, lightLedger } from "../light/ledger.js";
import { definePart, type House } from "../module.js";
import { moisture } from "../moisture/service.js";
import { outbox } from "../outbox/outbox.js";
import { control } from "../people/control.js";
import { DOSE_LOG } from "../water/declarations.js";
import { followCare, type StoredEvent, uncountedCare } from "./completed-care.js";
import { STATUS_LOG, statusConfig } from "./declarations.js";
import { obstacleTo } from "./ground-truth.js";

/** A plant without care, as the overview shows it. */
interface UncaredView {
  /** The last completed care, or the plant's first start. */
  readonly since: string;
  readonly hours: number;
}

/**
 * Tells the person if nobody completes a care of a plant: an agent fails, only talks, or was never started.
 *
 * These complete a care: water that flowed, light that was on, a cleared status whose plan switches nothing, and a person's
 * cleared status. Anybody's care counts, so several agents can share a plant. While something keeps the water off
 * ({@link obstacleTo}: a hold, a latched fault, a faulty probe), nothing counts. `safety/care-gap.ts` says how time is
 * counted. A new plant counts from its first start.
 *
 * The counts are in a file that each look writes anew; a journal would grow by a line an hour that nobody reads. The other
 * journals have what happened after the last look, even if an older version wrote them.
 */
class CareWatch {
  private constructor(
    private readonly parts: Parts,
    private readonly plants: Map<string, PlantCare>,
  ) {}

  /** If the file cannot be read or written, that is logged, the count starts again, and care goes on. */
  static async open(parts: Parts): Promise<CareWatch> {
    const now = momentOf(parts.clock);
    const known = await readCareFile(parts.file).catch((cause: unknown) => {
      parts.complain(storeFailed(`${parts.file} (how long nobody has cared is counted anew)`, cause));
      return new Map<string, PlantCare>();
    });
    const plants = parts.plants.map((id) => [id, known.get(id) ?? newPlant(now)] as const);
    const watch = new CareWatch(parts, new Map(plants));
    for (const id of parts.plants) await watch.catchUp(id, !known.has(id), now);
    followCare(parts.logs, (event) => watch.take(event, momentOf(parts.clock)));
    await watch.save().catch(parts.complain);
    return watch;
  }

  /** Counts, tells the person what is due, and saves the count. Call it every hour. */
  async look(): Promise<void> {
    const now = momentOf(this.parts.clock);
    const overdue = [...this.plants.keys()].filter((plant) => this.isOverdue(plant, now));
    await this.endNews();
    await this.tellOf(overdue).finally(() => this.save());
  }

  /** Null while the plant gets care often enough, or if nobody wants to be told. */
  uncared(plant: string): UncaredView | null {
    const { clock, period } = this.parts;
    const care = this.plants.get(plant);
    if (!care || period === undefined) return null;
    const { ms } = countCareGap(care.gap, momentOf(clock));
    return ms < period ? null : { since: care.since, hours: inHours(ms) };
  }

  /** Takes in what came after the last count of an earlier run. A new plant counts from now, whatever a journal has. */
  private async catchUp(plant: string, isNew: boolean, now: Moment): Promise<void> {
    const known = this.plants.get(plant)?.counted ?? NOTHING_COUNTED;
    for (const event of await uncountedCare(known, plant, this.parts.logs))
      this.take(event, { ...event.stamp, slept_ms: now.slept_ms });
    const { counted } = this.count(plant, now);
    if (isNew) this.plants.set(plant, { ...newPlant(now), counted });
  }

  private take({ plant, timestamp, what, problems, log, id }: StoredEvent, at: Moment): void {
    const known = this.plants.get(plant);
    if (!known) return;
    const counted = { ...known.counted, [log]: Math.max(id, known.counted[log]) };
    const noted = { ...known, counted };
    const hindered = what === "care" && this.parts.obstacle(plant) !== undefined;
    const attempt = { timestamp, what: what === "care" ? ("hindered" as const) : what, problems };
    const cared = what === "care" && !hindered;
    this.plants.set(plant, cared ? caredFor(noted, at, timestamp) : { ...noted, attempt });
    if (cared) this.endNews().catch(this.parts.complain);
  }

  /** Ends the message once all plants in it are cared for. */
  private endNews(): Promise<void> {
    const { outbox } = this.parts;
    return outbox.overWhere("uncared", ({ plants }) => plants.every((each) => !this.uncared(each.plant)));
  }

  private count(plant: string, now: Moment): PlantCare {
    const known = this.plants.get(plant) ?? newPlant(now);
    const counted = { ...known, gap: countCareGap(known.gap, now) };
    this.plants.set(plant, counted);
    return counted;
  }

  private isOverdue(plant: string, now: Moment): boolean {
    const { period, obstacle, isLit } = this.parts;
    const care = this.count(plant, now);
    const shines = isLit(plant) && !obstacle(plant);
    if (shines) this.plants.set(plant, caredFor(care, now, isoUtc(now.wall_ms)));
    return !shines && period !== undefined && isOverdue(care.gap, period);
  }

  /** Tells the person, then notes that. A crash between the two tells twice rather than never. */
  private async tellOf(overdue: readonly string[]): Promise<void> {
    const { period, obstacle, outbox } = this.parts;
    const cares = [...this.plants].filter(([plant]) => overdue.includes(plant));
    if (period === undefined || cares.length === 0) return;
    const uncared = cares.map(([plant, { gap, since, ever_cared, attempt }]) => {
      const told = attempt && notifiedAttempt(attempt);
      return {
        ...{ plant, hours: inHours(gap.ms), since, ever_cared },
        ...{ attempt: told, obstacle: obstacle(plant) ?? null },
      };
    });
    const data = { plants: uncared, period_hours: period / hours(1) };
    await outbox.tell({ kind: "uncared", severity: "warning", data });
    for (const [plant, { gap }] of cares) {
      const care = this.plants.get(plant);
      // unless a care was completed meanwhile
      if (care?.gap === gap) this.plants.set(plant, { ...care, gap: toldOf(gap, period) });
    }
  }

  private save(): Promise<void> {
    return this.parts.saveFile(this.parts.file, careFileText(this.plants));
  }
}

/** Why a status was refused goes as values, not as words. */
const notifiedAttempt = ({ timestamp, what, problems }: Attempt): NotifiedAttempt =>
  what === "refused" ? { timestamp, what, problems } : { timestamp, what };

type Attempt = NonNullable<PlantCare["attempt"]>;
type NotifiedAttempt = NewsData<"uncared">["plants"][number]["attempt"];

const inHours = (ms: number): number => Math.floor(ms / hours(1));

const NOTHING_COUNTED = { statuses: 0, doses: 0, light: 0 };

const newPlant = (now: Moment): PlantCare => ({
  gap: careAt(now),
  since: isoUtc(now.wall_ms),
  ever_cared: false,
  counted: NOTHING_COUNTED,
  attempt: null,
});

const caredFor = (known: PlantCare, at: Moment, since: string): PlantCare => ({
  ...known,
  gap: careAt(at),
  since,
  ever_cared: true,
  attempt: null,
});

type Parts = Awaited<ReturnType<typeof partsOf>>;

/** What the watch works with. */
async function partsOf(house: House) {
  const { clock, board, store, plants } = house;
  const { tell_after_hours: after } = house.config(statusConfig).care;
  const lights = await house.use(lightLedger);
  const sources = {
    board,
    control: await house.use(control),
    inputs: await house.use(inputs),
    moisture: await house.use(moisture),
  };
  return {
    plants: plants.ids,
    logs: {
      statuses: house.journal(STATUS_LOG),
      doses: house.journal(DOSE_LOG),
      light: house.journal(LIGHT_LOG),
    },
    /** The file with the counts: {@link PlantCare} by plant. */
    file: join(store.folder, CARE_FILE),
    saveFile: store.saveFile.bind(store),
    /** The person is told after each such time without care; undefined: never. */
    period: after === "never" ? undefined : hours(after),
    obstacle: (plant: string) => obstacleTo(plant, sources),
    isLit: (plant: string) => lights.status(plant).status === "on",
    outbox: await house.use(outbox),
    clock,
    complain: house.complain,
  };
}

/** Opens before anybody can call, so everything that happens from then on counts. */
export const careWatch = definePart("care watch", async (house) => CareWatch.open(await partsOf(house)));

const gap = z.object({
  ms: z.number().min(0),
  at: z.object({
    wall_ms: z.number(),
    mono_ms: z.number(),
    boot: z.string(),
    synced: z.boolean(),
    slept_ms: z.number(),
  }),
  right: z.object({ wall_ms: z.number(), boot: z.string(), ms: z.number() }).nullable(),
  told_ms: z.number().min(0),
});

const plantCare = z.object({
  gap,
  since: z.string(),
  ever_cared: z.boolean(),
  counted: z.object({ statuses: z.int(), doses: z.int(), light: z.int() }),
  attempt: z
    .object({
      timestamp: z.string(),
      what: z.enum(["refused", "planned", "hindered"]),
      problems: z.array(statusProblem).readonly().optional(),
    })
    .nullable(),
});

/** A plant in `care.json`. Times are milliseconds, for other programs that read it. */
type PlantCare = z.output<typeof plantCare>;

const careFile = z.object({ plants: z.record(z.string(), plantCare) });

/** By plant; empty if there is no file yet. Throws for a file of another shape. */
async function readCareFile(file: string): Promise<ReadonlyMap<string, PlantCare>> {
  const text = await readIfThere(file);
  if (text === undefined) return new Map();
  return new Map(Object.entries(careFile.parse(JSON.parse(text)).plants));
}

const careFileText = (plants: ReadonlyMap<string, PlantCare>): string =>
  JSON.stringify({ plants: Object.fromEntries(plants) });
