import type { Cancel } from "./ports.js";

/** `stop`: a button that a person presses. `leak`: water where none should be. `tank`: nothing left to pump. */
export type InputKind = "stop" | "leak" | "tank";

export interface InputWiring {
  readonly kind: InputKind;
  /** For messages: "leak sensor under the shelf". */
  readonly name: string;
  /** BCM number. */
  readonly gpio: number;
  /** Whether the input is active while the pin is low, as with a button to ground. */
  readonly activeLow: boolean;
  /** Whose pumps stop while it is active (and lights, for `stop`). */
  readonly plants: readonly string[];
}

/** An input as it was last seen. */
export interface InputState {
  readonly kind: InputKind;
  readonly name: string;
  readonly plants: readonly string[];
  readonly active: boolean;
}

/** What a plant has that can be switched on. */
export type Load = "pump" | "light";

/** A button stops everything; a leak or an empty tank stops what moves water. */
const STOPS: Readonly<Record<InputKind, readonly Load[]>> = {
  stop: ["pump", "light"],
  leak: ["pump"],
  tank: ["pump"],
};

/** Whether an active input of this kind keeps such a load off. */
export const inhibits = (kind: InputKind, load: Load): boolean => STOPS[kind].includes(load);

/** The buttons and sensors of a board: which of them are active, and the listeners to their changes. */
export class BoardInputs {
  private active: ReadonlySet<string> = new Set();
  private readonly listeners = new Set<(input: InputState) => void>();
  /** Were active before anybody listened: somebody may have pressed a button while the runtime began. */
  private readonly unheard = new Set<string>();

  constructor(private readonly wirings: readonly InputWiring[]) {}

  states(): readonly InputState[] {
    return this.wirings.map((wiring) => this.stateOf(wiring));
  }

  /** The first listener also hears of what was active before, and is not any more. */
  watch(listener: (input: InputState) => void): Cancel {
    this.listeners.add(listener);
    for (const state of this.states())
      if (this.unheard.delete(state.name) && !state.active) listener({ ...state, active: true });
    return () => this.listeners.delete(listener);
  }

  set(name: string, active: boolean): void {
    const others = [...this.active].filter((each) => each !== name);
    this.setAll(active ? [...others, name] : others);
  }

  /** These inputs are active, and no others. */
  setAll(names: readonly string[]): void {
    const [before, now] = [this.active, new Set(names)];
    this.active = now;
    for (const wiring of this.wirings) {
      if (before.has(wiring.name) === now.has(wiring.name)) continue;
      if (this.listeners.size === 0 && now.has(wiring.name)) this.unheard.add(wiring.name);
      for (const listener of this.listeners) listener(this.stateOf(wiring));
    }
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

/** Cancels both; the second may be absent. */
export const cancelBoth =
  (first: Cancel, second: Cancel | undefined): Cancel =>
  () => {
    first();
    second?.();
  };
