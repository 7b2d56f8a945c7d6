import type { InputState, InputWiring } from "../board.js";
import type { GuardLink } from "../guard/guard-link.js";
import type { InputPlan, OutputPlan } from "../guard/protocol.js";
import { inhibits, type Load } from "../inhibits.js";
import { globalNumber } from "../pins/gpio-chip.js";
import type { Cancel } from "../ports.js";

type Listener = (input: InputState) => void;

/** The inputs of a board, as its guard reports them. */
export class GuardedInputs {
  private active: ReadonlySet<string> = new Set();
  private readonly listeners = new Set<Listener>();

  constructor(
    private readonly wirings: readonly InputWiring[],
    link: GuardLink,
  ) {
    link.onReport((report) => {
      if (report.is === "ready") this.update(new Set(report.active));
      if (report.is === "input") this.update(this.with(report.name, report.active));
    });
  }

  states(): readonly InputState[] {
    return this.wirings.map((wiring) => this.stateOf(wiring));
  }

  watch(listener: Listener): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private with(name: string, active: boolean): ReadonlySet<string> {
    const next = new Set(this.active);
    if (active) next.add(name);
    else next.delete(name);
    return next;
  }

  private update(next: ReadonlySet<string>): void {
    const before = this.active;
    this.active = next;
    for (const wiring of this.wirings) {
      if (before.has(wiring.name) === next.has(wiring.name)) continue;
      for (const listener of this.listeners) listener(this.stateOf(wiring));
    }
  }

  private stateOf({ kind, name, plants }: InputWiring): InputState {
    return { kind, name, plants, active: this.active.has(name) };
  }
}

/** What the guard has to know of an input: its line, and the outputs that it keeps off. Throws PIN_UNKNOWN or GPIO_MISSING. */
export function inputPlan(wiring: InputWiring, outputs: readonly OutputPlan[], gpioRoot?: string): InputPlan {
  const { name, kind, activeLow, gpio, plants } = wiring;
  const loads = (["pump", "light"] satisfies Load[]).filter((load) => inhibits(kind, load));
  const kept = new Set(plants.flatMap((plant) => loads.map((load) => `${plant}-${load}`)));
  const inhibited = outputs.map((output) => output.name).filter((output) => kept.has(output));
  return { name, kind, activeLow, number: globalNumber(gpio, gpioRoot), inhibits: inhibited };
}
