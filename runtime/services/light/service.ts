import type { z } from "zod";
import { switchedNothing } from "../../../drivers/errors.js";
import type { Clock, PulseReport } from "../../../drivers/ports.js";
import { minutes as asMinutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Stops } from "../../tools/stops.js";
import type { Call } from "../../tools/tool.js";
import type { lightOn } from "../../wire/plants.js";
import { inputs } from "../inputs/inputs.js";
import { definePart } from "../module.js";
import { control } from "../people/control.js";
import { type LightPermits, lightPermits } from "../permits.js";
import { PlantDevices } from "../plant-devices.js";
import { plantStatus } from "../plant-status/service.js";
import { LIGHT_ERRORS, type LightLedger, type LightOrder, type LightStatus, lightLedger } from "./ledger.js";

interface LightParts {
  readonly lights: PlantDevices<"light">;
  readonly ledger: LightLedger;
  readonly permits: LightPermits;
  readonly stops: Stops;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** One period of light, from its order to the log's entry of its end. */
interface Stretch {
  aborted: boolean;
  /** Whether it was ever on. */
  lit: boolean;
  closed: Promise<void>;
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
      await this.shine(order, id, stretch);
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

  /** Switches off at once and is never refused, even for a light that is about to go on. Returns whether it was on. */
  async turnOff(plant: string): Promise<boolean> {
    const stretch = this.stretches.get(plant);
    this.parts.stops.add(lightOf(plant), stretch?.aborted === false);
    if (stretch) stretch.aborted = true;
    await this.parts.lights.get(plant)?.end();
    await stretch?.closed;
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
    const stretch: Stretch = { aborted: false, lit: false, closed: Promise.resolve() };
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
  private async shine(order: LightOrder, id: number, stretch: Stretch): Promise<void> {
    try {
      this.parts.permits.assertNotHeld(order.plant);
      if (stretch.aborted) throw switchedOff(order.plant);
    } catch (refusal) {
      await this.parts.ledger.end(id, "failed", 0);
      throw refusal;
    }
    await new Promise<void>((resolve, reject) => {
      const over = this.parts.lights.of(order.plant).pulse(asMinutes(order.minutes), () => {
        stretch.lit = true;
        resolve();
      });
      stretch.closed = over.then(
        (report) => this.close(order, id, stretch, report).then(() => reject(switchedOff(order.plant))), // no effect if it was lit
        (error: unknown) => this.closeUncertain(order, id, stretch, error).then(() => reject(error)),
      );
    });
  }

  private async close(order: LightOrder, id: number, { lit }: Stretch, report: PulseReport): Promise<void> {
    const why = { elapsed: "elapsed", ended: lit ? "turned_off" : "failed", unknown: "uncertain" } as const;
    this.stretches.delete(order.plant);
    await this.parts.ledger.end(id, why[report.outcome], report.onFor).catch(this.parts.onFailure);
  }

  /**
   * After a hardware error the lamp counts as lit for the whole order, unless it is known that nothing was switched.
   */
  private async closeUncertain(
    order: LightOrder,
    id: number,
    stretch: Stretch,
    error: unknown,
  ): Promise<void> {
    this.parts.onFailure(error);
    this.stretches.delete(order.plant);
    const [ended, lit] =
      !stretch.lit && switchedNothing(error)
        ? (["failed", 0] as const)
        : (["uncertain", asMinutes(order.minutes)] as const);
    await this.parts.ledger.end(id, ended, lit).catch(this.parts.onFailure);
  }
}

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
