import { hours, type Millis, millis, minutes } from "../../../drivers/units.js";
import { definePart, type House } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { type MoistureService, moisture } from "./service.js";

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

export const probeWatch = definePart(
  "probe watch",
  async (house) => new ProbeWatch(house, await house.use(moisture), await house.use(outbox)),
);
