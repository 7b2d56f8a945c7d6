import { SystemClock } from "../../drivers/clock/system-clock.js";
import { timesIn } from "../wire/house-time.js";
import type { Dose } from "../wire/plants.js";
import { type Pouring, stoppable } from "./calibrate/dose.js";
import { CommandError, wrongUse } from "./failure.js";
import { print } from "./print.js";
import {
  houseTimeBy,
  plantArgument,
  plantsOf,
  Refused,
  type Remote,
  switchOff,
  withRemote,
} from "./remote.js";
import { type Address, runtimeUrl } from "./state.js";
import { atTerminal, isYes, type Terminal } from "./terminal.js";

interface WaterOptions {
  readonly plant?: string;
  /** Also onto wet soil, without asking. */
  readonly yes?: boolean;
}

/** A dose for a person. Asks if the soil is wet; all other limits apply to a person too. */
export async function water(
  address: Address,
  ml: number,
  { plant, yes = false }: WaterOptions,
): Promise<void> {
  const off = () => switchOff(runtimeUrl(address));
  return atTerminal((terminal) =>
    withRemote(address, async (remote) => {
      const plants = await plantsOf(remote);
      if (plant === undefined && plants.length > 1) throw whichOf(plants.map((each) => each.plant));
      const named = await plantArgument(remote, plant);
      const pouring = { remote, terminal, clock: new SystemClock(), switchOff: off };
      const wet = yes ? "yes" : process.stdin.isTTY === true && "ask";
      const { dispensed, remaining_24h } = await pour(pouring, { ml, ...named }, wet);
      const watered = plant ?? plants[0]?.plant;
      print(`poured ${dispensed} ml on ${watered}; ${remaining_24h} ml are left for these 24 h`);
    }),
  );
}

/** Throws a refusal again, with its times as people in the house read them. */
async function inHouseTime(error: unknown, remote: Remote): Promise<never> {
  if (!(error instanceof Refused)) throw error;
  const { code, message, details, retryAfter } = error;
  throw new Refused(code, timesIn(message, await houseTimeBy(remote)), details, retryAfter);
}

const whichOf = (plants: readonly string[]): CommandError =>
  wrongUse(`name the plant with --plant: ${plants.join(", ")}; nothing was poured`);

/** `wet`: what to do if the soil is wet; false: do not pour. Throws the refusal. */
export async function pour(
  pouring: Pouring,
  dose: { readonly ml: number; readonly plant?: string },
  wet: "yes" | "ask" | false,
): Promise<Dose> {
  const attempt = (confirm?: string) =>
    stoppable(pouring, () => pouring.remote.call<Dose>("dispense_water", dose, confirm)).catch(
      (error: unknown) => inHouseTime(error, pouring.remote),
    );
  try {
    return await attempt();
  } catch (refusal) {
    if (!(refusal instanceof Refused) || refusal.code !== "SOIL_WET") throw refusal;
    pouring.terminal.say(refusal.message);
    if (wet === false) throw new CommandError("nothing was poured; --yes pours onto wet soil too");
    if (wet === "ask" && !(await wants(pouring.terminal, dose.ml)))
      throw new CommandError("nothing was poured");
    return attempt(refusal.code);
  }
}

const wants = (terminal: Terminal, ml: number): Promise<boolean> =>
  isYes(terminal, `Pour ${ml} ml all the same?`, false);
