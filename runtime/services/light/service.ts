import type { z } from "zod";
import type { Clock, PulseReport } from "../../../drivers/ports.js";
import { minutes as asMinutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { PlantDevices } from "../../plants.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Stops } from "../../tools/late-calls.js";
import type { Call } from "../../tools/tool.js";
import type { lightOn } from "../../wire/plants.js";
import { inputs } from "../inputs/inputs.js";
import { definePart } from "../module.js";
import { control } from "../people/control.js";
import { isRefusal, type LightPermits, lightPermits } from "../permits.js";
import { plantStatus } from "../plant-status/service.js";
import {
  LIGHT_ERRORS,
  type LightEnd,
  type LightLedger,
  type LightOrder,
  type LightStatus,
  lightLedger,
} from "./ledger.js";

interface LightParts {
  readonly lights: PlantDevices<"light">;
  readonly ledger: LightLedger;
  readonly permits: LightPermits;
  readonly stops: Stops;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** One period of light, from its order to its end. */
interface Stretch {
  aborted: boolean;
  /** Whether it was ever on. */
  lit: boolean;
  /** The light is off and the ledger knows it. Its record may still be on the way to the disk. */
  over: Promise<void>;
}

/** The only owner of the grow lights. */
export class LightService {
  private readonly stretches = new Map<string, Stretch>();

  constructor(private readonly parts: LightParts) {}

  /**
   * Switches on for `minutes`. Throws NOT_FITTED, LIGHT_ALREADY_ON, LIGHT_COOLDOWN, or an error of permits or driver.
   */
  async turnOn(plant: string, minutes: number, call: Call): Promise<z.output<typeof lightOn>> {
    this.parts.lights.of(plant);
    const stretch = this.claim(plant);
    stretch.aborted = this.parts.stops.hasBeen(lightOf(plant), call.stopsBefore);
    try {
      const order = await this.admit(plant, minutes, call);
      const id = await this.parts.ledger.begin(order);
      await this.shine(order, id, stretch, call);
      return { status: "on", duration_minutes: order.minutes, off_at: order.off_at };
    } catch (error) {
      this.stretches.delete(plant);
      throw error;
    }
  }

  /** Throws the error that `turnOn` would throw now. Changes nothing. */
  async assertPossible(plant: string, minutes: number, call: Call): Promise<void> {
    this.parts.lights.of(plant);
    this.assertOff(plant);
    await this.admit(plant, minutes, call);
  }

  /**
   * Switches off at once and is never refused, even for a light that is about to go on. Returns whether it was on. Does
   * not wait for the record: a disk that hangs must not hold up the answer.
   */
  async turnOff(plant: string): Promise<boolean> {
    const stretch = this.stretches.get(plant);
    this.parts.stops.add(lightOf(plant), stretch?.aborted === false);
    if (stretch) stretch.aborted = true;
    await this.parts.lights.get(plant)?.end();
    await stretch?.over;
    return stretch !== undefined;
  }

  /** A plant without a light is always off, and can never activate one. */
  status(plant: string): LightStatus {
    const status = this.parts.ledger.status(plant);
    return this.parts.lights.get(plant) ? status : { ...status, can_activate: false };
  }

  isOn(plant: string): boolean {
    return this.parts.lights.get(plant)?.isOn() ?? false;
  }

  history(query: HistoryQuery): Promise<HistoryResult> {
    return this.parts.ledger.history(query);
  }

  private assertOff(plant: string): void {
    if (!this.stretches.has(plant)) return;
    const retryAfter = Math.max(1, this.parts.ledger.status(plant).minutes_until_available) * 60;
    const what = `the light of ${plant} is on already`;
    throw new TendrilError(LIGHT_ERRORS.LIGHT_ALREADY_ON, what, { retryAfter });
  }

  private claim(plant: string): Stretch {
    this.assertOff(plant);
    const stretch: Stretch = { aborted: false, lit: false, over: Promise.resolve() };
    this.stretches.set(plant, stretch);
    return stretch;
  }

  private async admit(plant: string, minutes: number, call: Call): Promise<LightOrder> {
    await this.parts.permits.assertMayLight(plant);
    const cycle = this.parts.permits.cycleFor(plant, minutes, call);
    const { minutes_until_available: wait, can_activate } = this.parts.ledger.status(plant);
    if (!can_activate) {
      const what = `the light of ${plant} rests for another ${wait} min`;
      throw new TendrilError(LIGHT_ERRORS.LIGHT_COOLDOWN, what, { retryAfter: wait * 60 });
    }
    const off_at = isoUtc(this.parts.clock.now() + asMinutes(minutes));
    const by = call.identity.name;
    return Object.freeze({ plant, minutes, off_at, by, ...(cycle !== undefined && { cycle }) });
  }

  /** Resolves once the light is really on. Its end goes into the log whenever it comes. */
  private async shine(order: LightOrder, id: number, stretch: Stretch, call: Call): Promise<void> {
    const assertStill = () => this.parts.permits.assertStill(order, call);
    try {
      if (stretch.aborted) throw switchedOff(order.plant);
      assertStill();
      call.age.assertFresh();
    } catch (refusal) {
      await this.parts.ledger.end(id, "failed", 0);
      throw refusal;
    }
    await new Promise<void>((resolve, reject) => {
      const onEdge = () => {
        stretch.lit = true;
        this.parts.ledger.lit(id);
        resolve();
      };
      const pulse = this.parts.lights.of(order.plant).pulse(asMinutes(order.minutes), onEdge, assertStill);
      // no effect of the rejections if it was lit
      stretch.over = pulse.then(
        (report) => {
          this.close(order.plant, id, endOf(report, stretch), report.onFor);
          reject(switchedOff(order.plant));
        },
        (error: unknown) => {
          this.parts.onFailure(error);
          const [ended, lit] = endAfterFailure(error, order, stretch);
          this.close(order.plant, id, ended, lit);
          reject(error);
        },
      );
    });
  }

  /** The ledger counts the end at once, and writes it down afterwards. */
  private close(plant: string, id: number, ended: LightEnd, litMs: number): void {
    this.stretches.delete(plant);
    this.parts.ledger.end(id, ended, litMs).catch(this.parts.onFailure);
  }
}

function endOf({ outcome }: PulseReport, { lit }: Stretch): LightEnd {
  const ends = { elapsed: "elapsed", ended: lit ? "turned_off" : "failed", unknown: "uncertain" } as const;
  return ends[outcome];
}

/** After a hardware error the lamp counts as lit for the whole order, unless it is known that nothing was switched. */
const endAfterFailure = (error: unknown, order: LightOrder, { lit }: Stretch): [LightEnd, number] =>
  !lit && isRefusal(error) ? ["failed", 0] : ["uncertain", asMinutes(order.minutes)];

/** The light's name in the count of stops. */
const lightOf = (plant: string): string => `light ${plant}`;

const switchedOff = (plant: string): TendrilError =>
  new TendrilError("CANCELLED", `the light of ${plant} was switched off before it was on`);

export const light = definePart("light", async (house) => {
  const { board, plants, stops, clock } = house;
  const permits = lightPermits({
    board,
    control: await house.use(control),
    inputs: await house.use(inputs),
    status: await house.use(plantStatus),
    assertOwned: () => house.store.assertOwned(),
  });
  return new LightService({
    stops,
    clock,
    permits,
    onFailure: house.complain,
    lights: new PlantDevices("light", board, plants),
    ledger: await house.use(lightLedger),
  });
});
