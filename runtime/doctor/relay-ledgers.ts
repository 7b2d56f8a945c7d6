import type { Dose, Pump } from "../../drivers/devices/pump.js";
import { switchedNothing } from "../../drivers/errors.js";
import type { Clock, PulsedOutput, PulseReport } from "../../drivers/ports.js";
import { type Millis, millilitres } from "../../drivers/units.js";
import { CommandError } from "../cli/failure.js";
import type { Config } from "../configuration.js";
import { LIGHT_LOG, LightLedger } from "../services/light/ledger.js";
import { CONTROL_LOG, Control } from "../services/people/control.js";
import { DOSE_LOG } from "../services/water/declarations.js";
import { WaterLedger } from "../services/water/ledger.js";
import { wiredPlants } from "../services/water/pots.js";
import type { OpenReport } from "../store/record-log.js";
import { openStore } from "../store/store.js";
import { isoUtc } from "../tools/iso-time.js";

/** Who stands in the histories. */
const BY = "tendril doctor --relays";

/**
 * What a test of relays is accounted in: the runtime's own ledgers, in its own state folder. A pump that was to be unplugged may
 * not be, so each of its pulses is charged before it begins, and a light's begins its rest.
 */
export class RelayLedgers {
  private constructor(
    private readonly water: WaterLedger,
    private readonly light: LightLedger,
    private readonly control: Control,
    private readonly clock: Clock,
    readonly close: () => Promise<void>,
  ) {}

  /** Throws STATE_IN_USE where a runtime runs, and a CommandError where a ledger was lost: what follows from that is a start's to say. */
  static async open(state: string, { water, plants }: Config, clock: Clock): Promise<RelayLedgers> {
    const store = await openStore({ folder: state });
    try {
      const doses = await store.log(DOSE_LOG);
      const light = await store.log(LIGHT_LOG);
      const control = await store.log(CONTROL_LOG);
      assertNotLost([doses, light, control]);
      return new RelayLedgers(
        await WaterLedger.open(doses, clock, {
          limit: water.daily_limit_ml,
          plants: wiredPlants(plants),
        }),
        await LightLedger.open(light, clock),
        await Control.open(control),
        clock,
        () => store.close(),
      );
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Why this plant's relays must not be tested now, as a person would be told of a dose; undefined where nothing stands against it. */
  refusal(plant: string): string | undefined {
    const hold = this.control.hold(plant);
    if (hold) return `on hold since ${hold.since} (${hold.reason}): tendril resume lifts it`;
    const [fault] = this.control.faults(plant);
    return fault && `locked by ${fault.code} since ${fault.since} (${fault.reason}): tendril clear lifts it`;
  }

  /** One pulse, charged as a dose of what the pump would pour in it. Returns why it was refused, or what it was. */
  async pump(plant: string, pump: Pump, pulse: Millis): Promise<string | Dose> {
    const ml = millilitres((pump.flow * pulse) / 1000);
    const order = { plant, ml, ml_at_most: Math.min(pump.most(ml), this.water.limit), by: BY };
    const { remaining, admitted } = this.water.admit(order);
    if (!admitted) return `${ml} ml would be charged, and ${remaining} ml are left of the day's`;
    const id = await this.water.intend(order);
    try {
      const dose = await pump.dispense(ml);
      await this.water.settle(
        id,
        dose.ml,
        dose.outcome === "unknown" ? "uncertain" : "completed",
        dose.onFor,
      );
      return dose;
    } catch (error) {
      const moved = switchedNothing(error) ? 0 : ml;
      await this.water.settle(id, moved, moved === 0 ? "stopped" : "uncertain", null);
      throw error;
    }
  }

  /** One pulse, after which the lamp rests as after any. */
  async lamp(plant: string, output: PulsedOutput, pulse: Millis): Promise<string | PulseReport> {
    const { can_activate, minutes_until_available: wait } = this.light.status(plant);
    if (!can_activate) return `the lamp rests for another ${wait} min`;
    const off_at = isoUtc(this.clock.now() + pulse);
    const id = await this.light.begin({ plant, minutes: 1, off_at, by: BY });
    try {
      const report = await output.pulse(pulse);
      await this.light.end(id, report.outcome === "unknown" ? "uncertain" : "elapsed", report.onFor);
      return report;
    } catch (error) {
      await this.light.end(id, switchedNothing(error) ? "failed" : "uncertain", 0);
      throw error;
    }
  }
}

function assertNotLost(logs: readonly { readonly openReport: OpenReport }[]): void {
  for (const { openReport } of logs)
    if (openReport.lost !== undefined)
      throw new CommandError(
        `${openReport.lost}: start the runtime once, which charges for it, then test again`,
      );
}
