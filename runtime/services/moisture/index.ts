import { z } from "zod";
import { hours, type Millis, millis, minutes } from "../../../drivers/units.js";
import { defineTool, reads, sets } from "../../tools/tool.js";
import { measuredProbe, moistureResult } from "../../wire/plants.js";
import { historyTool } from "../log-tools.js";
import { defineModule, definePart, type House } from "../module.js";
import { outages } from "../outages/index.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { responseWatch } from "../water/response-watch.js";
import {
  historyConfig,
  MOISTURE_ERRORS,
  type MoistureService,
  moisture,
  moistureConfig,
  publicReading,
} from "./service.js";
import { soilWatch } from "./soil-watch.js";

/** A choice: one bad reading rings nobody, and a person hears of a probe that stays faulty before the next care cycle. */
const STEADY = minutes(3);
/**
 * So many times as long as the last time it has to be sound until that is told once more: a slow loose contact would ring
 * at each turn. After so long without a fault it is believed as soon as at first. Choices.
 */
const DOUBT = { times: 4, until: hours(24) };
/** A plant has one probe. */
const KEY = "probe";

/** Since when a probe is faulty or sound. A reading to the contrary counts once it has lasted. */
interface Course {
  readonly faulty?: Millis | undefined;
  readonly sound?: Millis | undefined;
}

/**
 * Tells people of a probe that stays faulty, and once that it works again. A loose contact is faulty until it is steady: each
 * time that this is told, the next time takes longer.
 */
class ProbeWatch {
  private readonly courses = new Map<string, Course>();
  /** How long a probe has to be sound until that is told; absent: `STEADY`. */
  private readonly proofs = new Map<string, Millis>();

  constructor(
    private readonly house: Pick<House, "clock" | "complain">,
    private readonly moisture: MoistureService,
    private readonly outbox: Outbox,
  ) {}

  /** Call it after each reading of a round, also after one that failed. Never rejects. */
  async look(plant: string): Promise<void> {
    const fault = this.moisture.fault(plant);
    if (fault?.code === "REPLAY_GAP") return; // a recording has no probe
    const steady = this.steady(plant, fault !== undefined);
    try {
      if (fault && steady === "faulty") await this.tellFaulty(plant, fault);
      if (steady === "sound") await this.tellSound(plant);
    } catch (error) {
      this.house.complain(error);
    }
  }

  /** What the probe has been for some minutes; undefined: neither yet. */
  private steady(plant: string, isFaulty: boolean): keyof Course | undefined {
    const now = this.house.clock.monotonic();
    const { faulty, sound } = this.courses.get(plant) ?? {};
    const lasts = (since: Millis | undefined) => since !== undefined && now - since >= STEADY;
    const isSound = !isFaulty && lasts(sound);
    const course = isFaulty ? { faulty: faulty ?? now } : { faulty, sound: sound ?? now };
    this.courses.set(plant, isSound ? { sound } : course);
    if (isSound) return "sound";
    return isFaulty && lasts(faulty) ? "faulty" : undefined;
  }

  private async tellFaulty(plant: string, { code, since }: { code: string; since: string }): Promise<void> {
    await this.outbox.overWhere("probe_works", (_, of) => of === plant);
    const data = { code, since };
    await this.outbox.tell({ kind: "probe_fault", severity: "warning", plant, key: KEY, data });
  }

  /** Only where somebody was told that it is faulty, also by an earlier run. */
  private async tellSound(plant: string): Promise<void> {
    const lasted =
      this.house.clock.monotonic() - (this.courses.get(plant)?.sound ?? Number.POSITIVE_INFINITY);
    if (lasted >= DOUBT.until) this.proofs.delete(plant);
    const proof = this.proofs.get(plant) ?? STEADY;
    const fault = { kind: "probe_fault", plant, key: KEY } as const;
    if (lasted < proof || !this.outbox.stands(fault)) return;
    this.proofs.set(plant, millis(Math.min(proof * DOUBT.times, DOUBT.until)));
    await this.outbox.over(fault);
    await this.outbox.tell({ kind: "probe_works", severity: "info", plant, data: {} });
  }
}

const probeWatch = definePart(
  "probe watch",
  async (house) => new ProbeWatch(house, await house.use(moisture), await house.use(outbox)),
);

const readMoisture = defineTool({
  name: "read_moisture",
  service: moisture,
  description:
    "Read the soil probe now. `value` is the raw figure of the probe that write_plant_status asks for; `percent` runs from dry (0) to wet (100) by calibration. A faulty probe is an error that carries the last good reading.",
  facts: reads("Read the soil probe", { world: "closed" }),
  inCare: true,
  role: "observer",
  perPlant: true,
  input: z.strictObject({}),
  output: moistureResult,
  run: async (_, { service, plant }) => ({
    ...publicReading(await service.read(plant)),
    quality: "ok" as const,
  }),
});

const measureProbe = defineTool({
  name: "measure_probe",
  service: moisture,
  description:
    "What a soil probe gives in its own unit, whatever its calibration says of it: for calibrating it in air and in water. Nothing is kept, and no fault is raised or lifted.",
  facts: sets("Measure a probe for calibration"),
  role: "human",
  perPlant: true,
  input: z.strictObject({
    place: z
      .enum(["air", "water", "pot"])
      .optional()
      .describe("where you have put the probe; on the bench it is put there"),
  }),
  output: measuredProbe,
  run: async ({ place }, { service, isoNow, plant }) => {
    const { raw: _, resembles = null, ...measured } = await service.measure(plant, place);
    return { ...measured, resembles, timestamp: isoNow() };
  },
});

const getMoistureHistory = historyTool({
  name: "get_moisture_history",
  title: "Moisture history",
  service: moisture,
  description:
    "Soil readings over time, in buckets: one reading a bucket (first, last, middle), or count, sum, mean, min or max of `value` (raw), `percent`, `noise` or `level` (volts, or the counts of a seesaw).",
  perPlant: true,
});

/** The soil probes, and what follows from their readings. */
export const moistureModule = defineModule({
  name: "moisture",
  canBeOff: false,
  toolset: "plants",
  config: { ...moistureConfig, ...historyConfig },
  errors: MOISTURE_ERRORS,
  parts: [moisture, soilWatch, probeWatch],
  tools: [readMoisture, getMoistureHistory, measureProbe],
  start: (house) => house.get(outages).begin(newestReading(house)),
  sample: (house, attempt) =>
    Promise.all(house.plants.ids.map((plant) => attempt({ plant }, () => readAndLook(house, plant)))),
  everyHour: (house) => house.store.tidyHistory(keptFrom(house)),
  overview: {
    plant: (house, plant) => {
      const probes = house.get(moisture);
      const reading = probes.last(plant);
      const fault = probes.fault(plant);
      return {
        moisture: reading ? publicReading(reading) : null,
        probe_fault: fault ? { ...fault } : null,
      };
    },
  },
});

/** Of any probe, epoch milliseconds. */
function newestReading(house: House): number | undefined {
  const times = house.plants.ids.flatMap((plant) => house.get(moisture).last(plant)?.at ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Undefined keeps all: a clock that nothing has set could be years ahead. */
function keptFrom(house: House): number | undefined {
  const { clock } = house;
  const { keep_raw } = house.config(historyConfig).history;
  return keep_raw === "always" || !clock.synchronised() ? undefined : clock.now() - hours(24 * keep_raw);
}

/** Reads the probe, then checks whether it is sound, whether the last water has arrived, and whether the soil stays wet. */
async function readAndLook(house: House, plant: string): Promise<void> {
  await house
    .get(moisture)
    .read(plant)
    .finally(() => house.get(probeWatch).look(plant));
  await house.get(responseWatch).look(plant);
  await house.get(soilWatch).look(plant);
}
