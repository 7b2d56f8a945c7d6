import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { Answers } from "./answers.js";
import { type Asker, Cancelled } from "./asker.js";
import { hex } from "./describe.js";
import { askContact } from "./guide-pins.js";
import { askPlants } from "./guide-plant.js";
import { Settlement } from "./settle-relay.js";

/** Asks one port who is there. A sentence, never an error. */
export type AskInterlock = (port: string) => Promise<string>;

/** Every question there is, in an order in which a later one never depends on hardware that an earlier one was to name. */
export async function guide(asker: Asker, findings: Findings, askInterlock: AskInterlock): Promise<Answers> {
  const settlement = new Settlement(findings);
  if (!findings.board) return benchAnswers(asker, findings, settlement);
  const plants = await askPlants(asker, findings, settlement, false);
  const climate = await askClimate(asker, findings);
  const stop_button = await askContact(asker, STOP, settlement);
  const leak_sensor = await askContact(asker, LEAK, settlement);
  const tank_float = await askContact(asker, TANK, settlement);
  return {
    board: "pi",
    plants,
    ...(climate && { climate }),
    ...(stop_button && { stop_button }),
    ...(leak_sensor && { leak_sensor }),
    ...(tank_float && { tank_float }),
    interlock: await askForInterlock(asker, findings, askInterlock),
    network: await askNetwork(asker, findings),
  };
}

async function benchAnswers(asker: Asker, findings: Findings, settlement: Settlement): Promise<Answers> {
  const question = "This computer is no Raspberry Pi. Write a configuration for simulated plants (--bench)?";
  if (!(await asker.confirm(question, true))) throw new Cancelled();
  return { board: "bench", plants: await askPlants(asker, findings, settlement, true) };
}

const STOP = {
  question: "Is there a stop button?",
  name: "stop button",
  high: "it opens when pressed (best: a broken wire stops everything too)",
  low: "it closes to ground when pressed",
};
const LEAK = {
  question: "Is there a leak sensor?",
  name: "leak sensor",
  high: "its output goes HIGH when wet",
  low: "its output goes LOW when wet (most boards)",
};
const TANK = {
  question: "Is there a float in the tank?",
  name: "tank float",
  high: "it opens when the tank is empty (best: a broken wire reads as empty)",
  low: "it closes to ground when the tank is empty",
};

type Rooms = Exclude<Answers["climate"], "none" | undefined>;

/** Asked of each sensor that answers, and of nothing else. */
async function askClimate(asker: Asker, { headerBus }: Findings): Promise<Answers["climate"]> {
  const found = headerBus.chips.filter(({ kind }) => kind === "bme280");
  if (found.length === 0) return undefined;
  const rooms: Rooms = [];
  for (const { address } of found) {
    const question = `A BME280 answers at ${hex(address)}. Which room is it in? (none: leave it out)`;
    const initial = rooms.length === 0 ? "room" : "";
    const place = await asker.text(question, initial, (name) => roomProblem(name, rooms));
    if (place !== "none") rooms.push({ place, address: address === 0x76 ? "0x76" : "0x77" });
  }
  return rooms.length === 0 ? "none" : rooms;
}

function roomProblem(name: string, others: Rooms): string | undefined {
  if (name.length < 1 || name.length > 60) return "1 to 60 characters";
  const isTaken = others.some(({ place }) => place.toLowerCase() === name.toLowerCase());
  return isTaken ? `there is a ${name} already` : undefined;
}

async function askForInterlock(
  asker: Asker,
  { serialPorts }: Findings,
  askInterlock: AskInterlock,
): Promise<string> {
  if (serialPorts.length === 0) return "none";
  const port = await asker.choose("Is there an interlock (docs/interlock.md) at a serial port?", [
    { value: "none", label: "none" },
    ...serialPorts.map((value) => ({ value, label: value })),
  ]);
  if (port !== "none" && (await asker.confirm(`Ask ${port} now who is there?`, false)))
    asker.say(await askInterlock(port));
  return port;
}

function askNetwork(asker: Asker, { hostname }: Findings): Promise<"this computer" | "house"> {
  return asker.choose("Who may reach Tendril? (with a token, in either case)", [
    { value: "this computer", label: "programs on this computer alone" },
    { value: "house", label: `the whole house, as ${hostname}.local (encrypted, on port 8732)` },
  ]);
}
