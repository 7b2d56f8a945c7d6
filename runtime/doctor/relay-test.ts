import { type Dose, Pump } from "../../drivers/devices/pump.js";
import { closedAfter } from "../../drivers/durable-file.js";
import { DriverError, switchedNothing } from "../../drivers/errors.js";
import type { Load } from "../../drivers/inputs.js";
import type { KernelFolders } from "../../drivers/pi/outputs.js";
import { closeAll, openRelays, type Relays } from "../../drivers/pi/switches.js";
import type { Clock, PulsedOutput, PulseReport } from "../../drivers/ports.js";
import { type Millis, millilitres, millis } from "../../drivers/units.js";
import { CommandError } from "../cli/failure.js";
import { boardConfig, type PlantConfig } from "../config/schema.js";
import type { Config } from "../configuration.js";
import { LIGHT_LOG, LightLedger } from "../services/light/ledger.js";
import { CONTROL_LOG, Control } from "../services/people/control.js";
import { DOSE_LOG } from "../services/water/declarations.js";
import { WaterLedger } from "../services/water/ledger.js";
import { wiredPlants } from "../services/water/pots.js";
import type { Asker } from "../setup/asker.js";
import type { OpenReport } from "../store/record-log.js";
import { openStore } from "../store/store.js";
import { isoUtc } from "../tools/iso-time.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
import { failure, failureOf, lineOf, ok, type Result, skipped } from "./check.js";

interface RelayTestParts {
  readonly config: Config;
  readonly state: string;
  readonly clock: Clock;
  readonly asker: Asker;
  readonly kernel: KernelFolders;
}

/** A choice: long enough to hear and see, and less than a millilitre with most pumps. */
const PULSE = millis(500);

/**
 * Switches every relay once through the guard, and asks what its LED did. The caller has made sure that pumps and lamps are
 * unplugged. Resolves with true if all are right. Throws STATE_IN_USE, CommandError, Cancelled.
 */
export async function testRelays(parts: RelayTestParts): Promise<boolean> {
  const { config, state, clock, asker, kernel } = parts;
  const relays = relaysOf(config);
  const time = new HouseTime(config.zone);
  if (config.board !== "pi" || relays.length === 0)
    throw new CommandError("there is no relay to test: the configuration names none, or simulated ones");
  return closedAfter(await RelayLedgers.open(state, config, clock), async (ledgers) => {
    const opened = await openRelays(boardConfig(config), clock, { stateFolder: state, kernel });
    try {
      const results: Result[] = [];
      for (const relay of relays) results.push(await one(relay, opened, ledgers, { asker, time }));
      return results.every(({ verdict }) => verdict === "ok");
    } finally {
      await closeAll(opened.closers);
    }
  });
}

interface Relay {
  readonly plant: PlantConfig;
  readonly load: Load;
  /** The path of its keys in the configuration. */
  readonly path: string;
  readonly gpio: number;
  readonly activeLow: boolean;
}

const relaysOf = ({ plants }: Config): Relay[] =>
  plants.flatMap((plant, at) =>
    (["pump", "light"] as const).flatMap((load) => {
      const output = plant[load]?.output;
      const path = `plants[${at}].${load}.output`;
      return output ? [{ plant, load, path, gpio: output.gpio, activeLow: output.active_low }] : [];
    }),
  );

interface Listener {
  readonly asker: Asker;
  readonly time: HouseTime;
}

async function one(
  relay: Relay,
  opened: Relays,
  ledgers: RelayLedgers,
  { asker, time }: Listener,
): Promise<Result> {
  const name = `${relay.plant.id}-${relay.load}`;
  const result = { name, ...(await judged(relay, opened, ledgers, asker, name)) };
  asker.say(timesIn(lineOf(result), time));
  return result;
}

async function judged(relay: Relay, opened: Relays, ledgers: RelayLedgers, asker: Asker, name: string) {
  const { plant, load } = relay;
  const refusal = ledgers.refusal(plant.id);
  if (refusal !== undefined) return skipped(refusal);
  const question = `Next: the relay of ${name} at GPIO ${relay.gpio}. Are you looking at its LED?`;
  if (!(await asker.confirm(question, true))) return skipped("not tested");
  try {
    const pulsed = await pulse(relay, opened, ledgers);
    if (typeof pulsed === "string") return skipped(pulsed);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return failureOf(error);
  }
  return conclude(relay, await asker.choose(`What did the LED of the ${load}'s relay do?`, SEEN));
}

function pulse({ plant, load }: Relay, { output }: Relays, ledgers: RelayLedgers) {
  const line = output(plant.id, load);
  if (!line) return "not wired";
  if (load === "light") return ledgers.lamp(plant.id, line, PULSE);
  const flow = boardFlow(plant);
  return ledgers.pump(plant.id, new Pump(line, flow), PULSE);
}

const boardFlow = ({ pump }: PlantConfig) => pump.flow_ml_per_s as Pump["flow"];

const SEEN = [
  { value: "lit", label: "it was dark, lit for half a second, and is dark again" },
  { value: "went out", label: "it was lit all the time, and went out for half a second" },
  { value: "nothing", label: "nothing at all" },
] as const;

/** The finding, and the line to change. */
export function conclude({ path, gpio, activeLow }: Omit<Relay, "plant" | "load">, seen: string) {
  if (seen === "lit") return ok(`active_low: ${activeLow} is right`);
  if (seen === "went out")
    return failure(
      `its polarity is reversed: it is on while it should be off`,
      `leave pump and lamp unplugged; ${path}.active_low: ${!activeLow}, then sudo tendril setup or config.txt by hand (gpio=${gpio}=op,${activeLow ? "dl" : "dh"} and the overlay ${activeLow ? "without" : "with"} active_low=1), and reboot`,
    );
  return failure(
    `nothing was seen at GPIO ${gpio}`,
    "check the relay board's supply, its ground and the wire to this pin",
  );
}

/** The name in the histories. */
const BY = "tendril doctor --relays";

/**
 * The runtime's ledgers, which also count the test. A pump may still be plugged in, so each of its pulses is charged before it
 * begins; a light rests after its pulse.
 */
class RelayLedgers {
  private constructor(
    private readonly water: WaterLedger,
    private readonly light: LightLedger,
    private readonly control: Control,
    private readonly clock: Clock,
    readonly close: () => Promise<void>,
  ) {}

  /** Throws STATE_IN_USE if a runtime runs, and a CommandError if a ledger was lost, which only a start can handle. */
  static async open(state: string, { water, plants }: Config, clock: Clock): Promise<RelayLedgers> {
    const store = await openStore({ folder: state });
    try {
      const doses = await store.log(DOSE_LOG);
      const light = await store.log(LIGHT_LOG);
      const control = await store.log(CONTROL_LOG);
      assertNotLost([doses, light, control]);
      const limits = { limit: water.daily_limit_ml, plants: wiredPlants(plants) };
      return new RelayLedgers(
        await WaterLedger.open(doses, clock, limits),
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

  /** Why this plant's relays must not be tested now: a hold or a fault; undefined if they may. */
  refusal(plant: string): string | undefined {
    const hold = this.control.hold(plant);
    if (hold) return `on hold since ${hold.since} (${hold.reason}): tendril resume lifts it`;
    const [fault] = this.control.faults(plant);
    return fault && `locked by ${fault.code} since ${fault.since} (${fault.reason}): tendril clear lifts it`;
  }

  /** One pulse, charged as the dose that the pump would pour. Returns the dose, or why it was refused. */
  async pump(plant: string, pump: Pump, pulse: Millis): Promise<string | Dose> {
    const ml = millilitres((pump.flow * pulse) / 1000);
    const order = { plant, ml, ml_at_most: Math.min(pump.most(ml), this.water.limit), by: BY };
    const { remaining, admitted } = this.water.admit(order);
    if (!admitted) return `${ml} ml would be charged, and ${remaining} ml are left of the day's`;
    const id = await this.water.intend(order);
    try {
      const dose = await pump.dispense(ml);
      const outcome = dose.outcome === "unknown" ? "uncertain" : "completed";
      await this.water.settle(id, dose.ml, outcome, dose.onFor);
      return dose;
    } catch (error) {
      const moved = switchedNothing(error) ? 0 : ml;
      await this.water.settle(id, moved, moved === 0 ? "stopped" : "uncertain", null);
      throw error;
    }
  }

  /** One pulse, after which the lamp rests as usual. */
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
