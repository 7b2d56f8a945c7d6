import { type Level, pinRefusal, relayRefusal, suitablePins } from "../../drivers/pi/inspect/pins.js";
import type { ContactAnswers, RelayAnswers } from "./answers.js";
import type { Asker, Choice } from "./asker.js";
import type { Settlement } from "./settle-relay.js";

const UNKNOWN_POLARITY =
  'Most cheap boards switch on when the pin is LOW, so LOW is taken. Leave pump and lamp unplugged until "tendril doctor --relays" has shown it.';

/** A relay's polarity, then its pin: which pins are fit depends on the polarity. */
export async function askRelay(
  asker: Asker,
  what: string,
  led: string,
  settlement: Settlement,
): Promise<RelayAnswers> {
  const on_when = await askPolarity(asker, what);
  const refusal = (gpio: number) => relayRefusal(gpio, on_when, settlement.pins, led);
  const pins = suitablePins(on_when, settlement.pins);
  const gpio = await askPin(asker, `Which GPIO switches the relay of ${what}? (BCM numbers)`, pins, refusal);
  settlement.take(gpio, `the relay ${led}`);
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
  /** What makes the pin low, and what high. */
  readonly low: string;
  readonly high: string;
}

/** Pins with which nothing else is done, those with a pull-up from power-on first (docs/hardware.md, "Which pins"). */
const CONTACT_PINS = [5, 6, 26, 16, 12, 13, 24, 25];

/** Undefined where there is none. */
export async function askContact(
  asker: Asker,
  { question, name, low, high }: ContactWords,
  settlement: Settlement,
): Promise<ContactAnswers | undefined> {
  if (!(await asker.confirm(question, false))) return undefined;
  const refusal = (gpio: number) => pinRefusal(gpio, settlement.pins);
  const pins = CONTACT_PINS.filter((pin) => refusal(pin) === undefined);
  const gpio = await askPin(asker, `Which GPIO is the ${name} at?`, pins, refusal);
  settlement.take(gpio, `the ${name}`);
  const active_when = await asker.choose(`How is the ${name} wired?`, [
    { value: "high", label: high },
    { value: "low", label: low },
  ]);
  return { gpio, active_when: active_when as Level };
}
