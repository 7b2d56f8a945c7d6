import { Pump } from "../../drivers/devices/pump.js";
import { DriverError } from "../../drivers/errors.js";
import type { Load } from "../../drivers/inputs.js";
import type { KernelFolders } from "../../drivers/pi/outputs.js";
import { openRelays, type Relays } from "../../drivers/pi/relays.js";
import type { Clock } from "../../drivers/ports.js";
import { millis } from "../../drivers/units.js";
import { CommandError } from "../cli/failure.js";
import { boardConfig } from "../config/board.js";
import type { PlantConfig } from "../config/schema.js";
import type { Config } from "../configuration.js";
import type { Asker } from "../setup/asker.js";
import { failure, failureOf, ok, type Result, skipped } from "./check.js";
import { RelayLedgers } from "./relay-ledgers.js";
import { lineOf } from "./report.js";

export interface RelayTestParts {
  readonly config: Config;
  readonly state: string;
  readonly clock: Clock;
  readonly asker: Asker;
  readonly kernel: KernelFolders;
}

/** A choice: long enough to be heard and seen, and less than a millilitre of most pumps. */
const PULSE = millis(500);

/**
 * Pulses every relay once, through the guard as ever, and asks what its lamp did. Only with pumps and lamps unplugged, as the
 * caller has made sure. Resolves with whether all are right. Throws STATE_IN_USE, CommandError, Cancelled.
 */
export async function testRelays(parts: RelayTestParts): Promise<boolean> {
  const { config, state, clock, asker, kernel } = parts;
  const relays = relaysOf(config);
  if (config.board !== "pi" || relays.length === 0)
    throw new CommandError("there is no relay to test: the configuration names none, or simulated ones");
  const ledgers = await RelayLedgers.open(state, config, clock);
  try {
    const opened = await openRelays(boardConfig(config), clock, { stateFolder: state, kernel });
    try {
      const results: Result[] = [];
      for (const relay of relays) results.push(await one(relay, opened, ledgers, asker));
      return results.every(({ verdict }) => verdict === "ok");
    } finally {
      await opened.close();
    }
  } finally {
    await ledgers.close();
  }
}

interface Relay {
  readonly plant: PlantConfig;
  readonly load: Load;
  /** Where its keys are in the configuration. */
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

async function one(relay: Relay, opened: Relays, ledgers: RelayLedgers, asker: Asker): Promise<Result> {
  const name = `${relay.plant.id}-${relay.load}`;
  const result = { name, ...(await judged(relay, opened, ledgers, asker, name)) };
  asker.say(lineOf(result));
  return result;
}

async function judged(relay: Relay, opened: Relays, ledgers: RelayLedgers, asker: Asker, name: string) {
  const { plant, load } = relay;
  const refusal = ledgers.refusal(plant.id);
  if (refusal !== undefined) return skipped(refusal);
  if (
    !(await asker.confirm(
      `Next: the relay of ${name} at GPIO ${relay.gpio}. Are you looking at its lamp?`,
      true,
    ))
  )
    return skipped("not tested");
  try {
    const pulsed = await pulse(relay, opened, ledgers);
    if (typeof pulsed === "string") return skipped(pulsed);
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return failureOf(error);
  }
  return conclude(relay, await asker.choose(`What did the lamp of the ${load}'s relay do?`, SEEN));
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

/** What was seen, and the line to change. */
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
