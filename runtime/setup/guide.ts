import { isProbeChip, isRoomChip } from "../../drivers/pi/inspect/chips.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import { type Level, pinRefusal, relayRefusal, suitablePins } from "../../drivers/pi/inspect/pins.js";
import { hex } from "../../drivers/units.js";
import { callAs } from "../cli/print.js";
import { MAX_PLANTS } from "../config/schema.js";
import { folded } from "../word-stems.js";
import {
  type Answers,
  answersSchema,
  type ContactAnswers,
  type PlantAnswers,
  type RelayAnswers,
} from "./answers.js";
import { type Asker, Cancelled, type Choice } from "./asker.js";
import { DraftChecks } from "./settle.js";

/** Asks what is at a port. Resolves with a sentence, never rejects. */
type AskInterlock = (port: string) => Promise<string>;

/** All questions, ordered so that none needs hardware that a later one names. */
export async function guide(asker: Asker, findings: Findings, askInterlock: AskInterlock): Promise<Answers> {
  const checks = new DraftChecks(findings);
  if (!findings.board) return benchAnswers(asker, checks);
  const plants = await askPlants(asker, checks, false);
  const climate = await askClimate(asker, findings);
  const stop_button = await askContact(asker, STOP, checks);
  const leak_sensor = await askContact(asker, LEAK, checks);
  const tank_float = await askContact(asker, TANK, checks);
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

async function benchAnswers(asker: Asker, checks: DraftChecks): Promise<Answers> {
  const question =
    "This computer is not a Raspberry Pi. Write a configuration for simulated plants (--bench)?";
  if (!(await asker.confirm(question, true))) throw new Cancelled();
  return { board: "bench", plants: await askPlants(asker, checks, true) };
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

/** Asks for the room of each sensor that says what it is. */
async function askClimate(asker: Asker, { headerBus }: Findings): Promise<Answers["climate"]> {
  const found = headerBus.chips.filter(isRoomChip);
  if (found.length === 0) return undefined;
  const rooms: Rooms = [];
  for (const { address, kind: chip } of found) {
    const question = `A ${chip.toUpperCase()} answers at ${hex(address)}. Which room is it in? (none: leave it out)`;
    const initial = rooms.length === 0 ? "room" : "";
    const place = await asker.text(question, initial, (name) => roomProblem(name, rooms));
    if (place !== "none") rooms.push({ place, chip, address: hex(address) });
  }
  return rooms.length === 0 ? "none" : rooms;
}

function roomProblem(name: string, others: Rooms): string | undefined {
  const isTaken = others.some(({ place }) => place.toLowerCase() === name.toLowerCase());
  return lengthProblem(name) ?? (isTaken ? `there is a ${name} already` : undefined);
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
  if (port !== "none" && (await asker.confirm(`Ask ${port} now what is there?`, false)))
    asker.say(await askInterlock(port));
  return port;
}

function askNetwork(asker: Asker, { hostname }: Findings): Promise<"this computer" | "house"> {
  return asker.choose("Who may reach Tendril? (with a token, in either case)", [
    { value: "this computer", label: "only programs on this computer" },
    { value: "house", label: `the whole house, as ${hostname}.local (encrypted, on port 8732)` },
  ]);
}

async function askPlants(asker: Asker, checks: DraftChecks, isBench: boolean): Promise<PlantAnswers[]> {
  const plants: PlantAnswers[] = [];
  do {
    plants.push(await askPlant(asker, checks, plants, isBench));
  } while (plants.length < MAX_PLANTS && (await asker.confirm("Is there another plant?", false)));
  return plants;
}

async function askPlant(
  asker: Asker,
  checks: DraftChecks,
  others: readonly PlantAnswers[],
  isBench: boolean,
): Promise<PlantAnswers> {
  const { findings } = checks;
  const { id, name, species } = await askWho(asker, others);
  const who = { id, name, ...(species !== "" && { species }) };
  if (isBench) return who;
  const probe = await askProbe(asker, name, findings, others);
  const pump = (await asker.confirm(`Has ${name} a pump behind a relay?`, true))
    ? await askRelay(asker, `${name}'s pump`, `${id}-pump`, checks)
    : "none";
  const light = (await asker.confirm(`Has ${name} a grow light behind a relay?`, false))
    ? await askRelay(asker, `${name}'s light`, `${id}-light`, checks)
    : "none";
  return { ...who, probe, pump, light, camera: await askCamera(asker, name, findings) };
}

async function askWho(asker: Asker, others: readonly PlantAnswers[]) {
  const isNew = (field: "id" | "name", value: string) =>
    !others.some((other) => other[field]?.toLowerCase() === value.toLowerCase());
  const name = await asker.text(
    "What do you call the plant?",
    others.length === 0 ? "Basil" : "",
    (answer) => (isNew("name", answer) ? lengthProblem(answer) : `there is a ${answer} already`),
  );
  const id = await asker.text(`A short name for ${name}, for commands and files`, shortName(name), (id) =>
    isNew("id", id) ? plantProblem({ id }) : `there is a ${id} already`,
  );
  const species = await asker.text("Which species is it? (may stay empty)", "", (answer) =>
    answer.length <= 60 ? undefined : "at most 60 characters",
  );
  return { name, id, species };
}

const lengthProblem = (answer: string) =>
  answer.length >= 1 && answer.length <= 60 ? undefined : "1 to 60 characters";

const plantProblem = (plant: PlantAnswers): string | undefined =>
  answersSchema.shape.plants.safeParse([plant]).error?.issues[0]?.message;

/** Latin letters that are none with a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" },
};

/** "Grandma's Fern" → "grandma-s-fern", "Küche" → "kuche"; letters of other alphabets are left out. */
export const shortName = (name: string): string =>
  folded(name)
    .replace(/[æœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 32);

const ELSEWHERE = "other";

async function askProbe(
  asker: Asker,
  name: string,
  findings: Findings,
  others: readonly PlantAnswers[],
): Promise<string> {
  const free = probeChoices(findings).filter(({ value }) => !others.some(({ probe }) => probe === value));
  const choices = [...free, { value: ELSEWHERE, label: "another input" }];
  const chosen = await asker.choose(`Which input is ${name}'s soil probe at?`, choices);
  if (chosen !== ELSEWHERE) return chosen;
  return asker.text('address and input, as "0x48/0", or "0x36" for a seesaw', "", (probe) =>
    plantProblem({ id: "plant", probe }),
  );
}

/** The inputs of the chips that answer; if none does, those of an ADC with its default address. */
function probeChoices({ headerBus: { chips } }: Findings): Choice<string>[] {
  const known = chips.filter(isProbeChip);
  if (known.length === 0) return adcChoices(0x48, "not seen yet");
  return known.flatMap(({ kind, address }) =>
    kind === "seesaw"
      ? [{ value: hex(address), label: `seesaw soil sensor at ${hex(address)}` }]
      : adcChoices(address, "answers"),
  );
}

const adcChoices = (address: number, state: string): Choice<string>[] =>
  [0, 1, 2, 3].map((channel) => ({
    value: `${hex(address)}/${channel}`,
    label: `A${channel} of the ADS1115 at ${hex(address)} (${state})`,
  }));

function askCamera(
  asker: Asker,
  name: string,
  { ribbonCameras, webcams }: Findings,
): Promise<string> | "none" {
  const found = [
    ...ribbonCameras.map(({ program, index, sensor }) => ({
      value: `${program} ${index}`,
      label: `${sensor}, on the ribbon connector`,
    })),
    ...webcams.map(({ device, name }) => ({ value: device, label: `${name}, on USB` })),
  ];
  if (found.length === 0) return "none";
  return asker.choose(`Which camera sees ${name}?`, [...found, { value: "none", label: "none" }]);
}

const UNKNOWN_POLARITY = `Most cheap boards switch on when the pin is LOW, so LOW is taken. Leave pump and lamp unplugged until "${callAs("doctor --relays")}" has shown it.`;

/** Asks for a relay's polarity, then its pin: the suitable pins depend on the polarity. */
async function askRelay(asker: Asker, what: string, led: string, checks: DraftChecks): Promise<RelayAnswers> {
  const on_when = await askPolarity(asker, what);
  const refusal = (gpio: number) => relayRefusal(gpio, on_when, checks.pins, led);
  const pins = suitablePins(on_when, checks.pins);
  const gpio = await askPin(asker, `Which GPIO switches the relay of ${what}? (BCM numbers)`, pins, refusal);
  checks.take(gpio, `the relay ${led}`);
  return { gpio, on_when };
}

async function askPolarity(asker: Asker, what: string): Promise<Level> {
  const answer = await asker.choose(`Does the relay of ${what} click on when the pin is LOW?`, [
    { value: "low", label: 'yes, on while LOW (most cheap boards; "low level trigger")' },
    { value: "high", label: "no, on while HIGH" },
    { value: "unknown", label: "I do not know" },
  ]);
  if (answer !== "unknown") return answer as Level;
  asker.say(UNKNOWN_POLARITY);
  return "low";
}

const OTHER = -1;

async function askPin(
  asker: Asker,
  question: string,
  pins: readonly number[],
  refusal: (gpio: number) => string | undefined,
): Promise<number> {
  const choices: Choice<number>[] = pins.map((pin) => ({ value: pin, label: `GPIO ${pin}` }));
  const chosen = await asker.choose(question, [...choices, { value: OTHER, label: "another one" }]);
  if (chosen !== OTHER) return chosen;
  return Number(await asker.text("its BCM number", "", (answer) => pinProblem(answer, refusal)));
}

const pinProblem = (answer: string, refusal: (gpio: number) => string | undefined): string | undefined =>
  /^\d{1,2}$/.test(answer) ? refusal(Number(answer)) : "give a BCM number, 4 to 27";

interface ContactWords {
  readonly question: string;
  readonly name: string;
  /** When the pin is low, and when high. */
  readonly low: string;
  readonly high: string;
}

/** Pins without another use, those with a pull-up from power-on first (docs/hardware.md, "Which pins"). */
const CONTACT_PINS = [5, 6, 26, 16, 12, 13, 24, 25];

/** Undefined if there is none. */
async function askContact(
  asker: Asker,
  { question, name, low, high }: ContactWords,
  checks: DraftChecks,
): Promise<ContactAnswers | undefined> {
  if (!(await asker.confirm(question, false))) return undefined;
  const refusal = (gpio: number) => pinRefusal(gpio, checks.pins);
  const pins = CONTACT_PINS.filter((pin) => refusal(pin) === undefined);
  const gpio = await askPin(asker, `Which GPIO is the ${name} at?`, pins, refusal);
  checks.take(gpio, `the ${name}`);
  const active_when = await asker.choose(`How is the ${name} wired?`, [
    { value: "high", label: high },
    { value: "low", label: low },
  ]);
  return { gpio, active_when: active_when as Level };
}
