import { ledsOfOurBlock } from "../../drivers/pi/inspect/config-txt.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { PinTakers } from "../../drivers/pi/inspect/pins.js";
import { pinRefusal, relayRefusal } from "../../drivers/pi/inspect/pins.js";
import type { ContactAnswers, RelayAnswers } from "./answers.js";
import type { DraftInput, DraftRelay, Problem } from "./draft.js";

/** The pins that are spoken for, and what is wrong: both grow while one answer after another is settled. */
export class Settlement {
  private readonly taken: Map<number, string>;
  readonly problems: Problem[] = [];

  constructor({ taken, configTxt }: Pick<Findings, "taken" | "configTxt">) {
    const ours = ledsOfOurBlock(configTxt?.text ?? "");
    const isOurs = (taker: string) => ours.some((led) => taker === led || taker === `the LED ${led}`);
    this.taken = new Map([...taken].filter(([, taker]) => !isOurs(taker)));
  }

  get pins(): PinTakers {
    return this.taken;
  }

  take(gpio: number, by: string): void {
    this.taken.set(gpio, by);
  }

  complain(key: string, what: string): undefined {
    this.problems.push({ key, what });
  }
}

/** A relay's pin and polarity: as answered, else as a LED of that name has them, which an overlay made on purpose. */
export function settleRelay(
  answer: RelayAnswers | undefined,
  led: string,
  key: string,
  { leds }: Pick<Findings, "leds">,
  settlement: Settlement,
): DraftRelay | undefined {
  const node = leds.find(({ name }) => name === led)?.node;
  const gpio = answer?.gpio ?? node?.gpio;
  const onWhen = answer?.on_when ?? (node && (node.activeLow ? "low" : "high"));
  if (gpio === undefined) return settlement.complain(`${key}.gpio`, "which pin switches it? or say none");
  if (onWhen === undefined)
    return settlement.complain(`${key}.on_when`, 'does the relay click on when the pin is "low" or "high"?');
  const refusal = relayRefusal(gpio, onWhen, settlement.pins, led);
  if (refusal !== undefined) return settlement.complain(`${key}.gpio`, refusal);
  settlement.take(gpio, `the relay ${led}`);
  return { gpio, onWhen };
}

const NAMES = { stop: "stop button", leak: "leak sensor", tank: "tank float" } as const;

/** A contact that somebody answered for; none by default, since no hardware shows that it is wired. */
export function settleContact(
  answer: ContactAnswers | "none" | undefined,
  kind: DraftInput["kind"],
  settlement: Settlement,
): DraftInput[] {
  if (answer === undefined || answer === "none") return [];
  const name = NAMES[kind];
  const { gpio, active_when: activeWhen } = answer;
  const refusal = pinRefusal(gpio, settlement.pins);
  if (refusal !== undefined) {
    settlement.complain(`${name.replace(" ", "_")}.gpio`, refusal);
    return [];
  }
  settlement.take(gpio, `the ${name}`);
  return [{ kind, name, gpio, activeWhen }];
}
