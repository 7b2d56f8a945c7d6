import { SystemClock } from "../../drivers/clock/system-clock.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
import type { Dose } from "../wire/plants.js";
import { type Pouring, stoppable } from "./calibrate/dose.js";
import { CommandError, wrongUse } from "./failure.js";
import { print } from "./print.js";
import { overviewOf, plantArgument, Refused, switchOff, withRemote } from "./remote.js";
import { type Address, runtimeUrl } from "./state.js";
import { atTerminal, isYes } from "./terminal.js";

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
      const { plants, zone } = await overviewOf(remote);
      if (plant === undefined && plants.length > 1) throw whichOf(plants.map((each) => each.plant));
      const named = plantArgument(plants, plant);
      const time = new HouseTime(zone);
      const pouring = { remote, terminal, clock: new SystemClock(), switchOff: off, time };
      const wet = yes ? "yes" : process.stdin.isTTY === true && "ask";
      const { dispensed, remaining_24h } = await pour(pouring, { ml, ...named }, wet);
      const watered = plant ?? plants[0]?.plant;
      print(`poured ${dispensed} ml on ${watered}; ${remaining_24h} ml are left for these 24 h`);
    }),
  );
}

/** A refusal with its times as people in the house read them; any other error as it is. */
function inHouseTime(error: unknown, time: HouseTime): unknown {
  if (!(error instanceof Refused)) return error;
  const { code, message, details, retryAfter } = error;
  return new Refused(code, timesIn(message, time), details, retryAfter);
}

const whichOf = (plants: readonly string[]): CommandError =>
  wrongUse(`name the plant with --plant: ${plants.join(", ")}; nothing was poured`);

/** `wet`: what to do if the soil is wet; false: do not pour. Throws the refusal. */
export async function pour(
  pouring: Pouring & { readonly time: HouseTime },
  dose: { readonly ml: number; readonly plant?: string },
  wet: "yes" | "ask" | false,
): Promise<Dose> {
  const attempt = (confirm?: string) =>
    stoppable(pouring, () => pouring.remote.call<Dose>("dispense_water", dose, confirm)).catch(
      (error: unknown) => {
        throw inHouseTime(error, pouring.time);
      },
    );
  try {
    return await attempt();
  } catch (refusal) {
    if (!(refusal instanceof Refused) || refusal.code !== "SOIL_WET") throw refusal;
    if (wet === "yes") return attempt(refusal.code);
    const { percent, limit_percent, limit_from } = refusal.details;
    const why = `the soil reads ${percent} %, above the ${limit_percent} % (${limit_from}) up to which it is watered`;
    if (wet === false)
      throw new CommandError(`nothing was poured: ${why}. Onto wet soil too, once you have felt it: --yes`);
    pouring.terminal.say(why);
    if (!(await isYes(pouring.terminal, `Pour ${dose.ml} ml all the same?`, false)))
      throw new CommandError("nothing was poured");
    return attempt(refusal.code);
  }
}
