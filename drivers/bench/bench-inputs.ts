import type { InputState, InputWiring } from "../board.js";
import { inhibits, type Load } from "../inhibits.js";
import type { Cancel } from "../ports.js";

type Listener = (input: InputState) => void;

/** Buttons and sensors that a test or a scenario presses, wets and empties. */
export class BenchInputs {
  private readonly active = new Set<string>();
  private readonly listeners = new Set<Listener>();

  constructor(private readonly wirings: readonly InputWiring[]) {}

  states(): readonly InputState[] {
    return this.wirings.map((wiring) => this.stateOf(wiring));
  }

  /** Throws a RangeError for an input that is not wired. */
  set(name: string, active: boolean): void {
    const wiring = this.wirings.find((each) => each.name === name);
    if (!wiring) throw new RangeError(`the bench has no input "${name}"`);
    if (this.active.has(name) === active) return;
    if (active) this.active.add(name);
    else this.active.delete(name);
    for (const listener of this.listeners) listener(this.stateOf(wiring));
  }

  watch(listener: Listener): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The name of the first active input that keeps a plant's load off. */
  inhibitor(plant: string, load: Load): string | undefined {
    const found = this.wirings.find(
      ({ kind, name, plants }) => this.active.has(name) && plants.includes(plant) && inhibits(kind, load),
    );
    return found?.name;
  }

  private stateOf({ kind, name, plants }: InputWiring): InputState {
    return { kind, name, plants, active: this.active.has(name) };
  }
}
