import { DriverError } from "../../../drivers/errors.js";
import { inhibits, type Load } from "../../../drivers/inputs.js";
import type { Board, InputKind, InputState } from "../../../drivers/open-board.js";
import { errorTable, later, TendrilError } from "../../errors.js";
import type { ActiveFault } from "../../safety/status-check.js";
import { definePart } from "../module.js";
import { CONTROL_ERRORS } from "../people/control.js";

export const INPUT_ERRORS = errorTable({
  TANK_EMPTY: later("fill the tank", "nothing"),
  INPUT_ACTIVE: later(
    "release the button, or find the leak and dry the sensor; then do the same again",
    "nothing",
  ),
});

/** The action of each load, as plans name it. */
const ACTIONS = { pump: "water", light: "light" } as const;
const LOADS = ["pump", "light"] as const satisfies readonly Load[];

const CODES = { stop: "PULSE_INHIBITED", leak: "LEAK", tank: "TANK_EMPTY" } as const;

const WORDS: Readonly<Record<InputKind, (name: string) => string>> = {
  stop: (name) => `the stop button "${name}" is pressed`,
  leak: (name) => `the leak sensor "${name}" is wet`,
  tank: (name) => `the tank "${name}" is empty`,
};

const END_IT: Readonly<Record<InputKind, string>> = {
  stop: "release the button",
  leak: "find the leak and dry the sensor",
  tank: "fill the tank",
};

/** An active input as a clause. */
const inWords = ({ kind, name }: Pick<InputState, "kind" | "name">): string => WORDS[kind](name);

/** The inputs now. The board obeys them by itself; this is for the answers to callers. */
export class Inputs {
  constructor(private readonly board: Pick<Board, "inputs">) {}

  all(): readonly InputState[] {
    return this.board.inputs();
  }

  /** The first active input that keeps the plant's pump or light off. */
  against(plant: string, load: Load): InputState | undefined {
    return this.activeOf(plant).find(({ kind }) => inhibits(kind, load));
  }

  /** The same as a clause. */
  inTheWay(plant: string, load: Load): string | undefined {
    const input = this.against(plant, load);
    return input && inWords(input);
  }

  /** Throws TANK_EMPTY or LEAK, or PULSE_INHIBITED for a button, while one is active. */
  assertMayActivate(plant: string, load: Load): void {
    const input = this.against(plant, load);
    if (!input) return;
    const what = `nothing is switched on at ${plant}: ${inWords(input)}`;
    const code = CODES[input.kind];
    if (code === "PULSE_INHIBITED") throw new DriverError(code, what);
    throw new TendrilError(code === "LEAK" ? CONTROL_ERRORS.LEAK : INPUT_ERRORS.TANK_EMPTY, what);
  }

  /** Throws INPUT_ACTIVE while a button is pressed, because lifting a hold would then change nothing. */
  assertReleased(): void {
    this.assertNone("stop", () => true);
  }

  /** Throws INPUT_ACTIVE while a leak sensor of one of the plants is wet. */
  assertDry(plants: readonly string[]): void {
    this.assertNone("leak", (input) => input.plants.some((plant) => plants.includes(plant)));
  }

  /** Each active input of a plant with the actions that it forbids, for the check of a status. */
  standing(plant: string): ActiveFault[] {
    return this.activeOf(plant).map((input) => ({
      code: CODES[input.kind],
      what: inWords(input),
      forbids: LOADS.filter((load) => inhibits(input.kind, load)).map((load) => ACTIONS[load]),
    }));
  }

  private assertNone(kind: InputKind, concerns: (input: InputState) => boolean): void {
    const input = this.all().find((each) => each.active && each.kind === kind && concerns(each));
    if (!input) return;
    const refusal = { ...INPUT_ERRORS.INPUT_ACTIVE, fix: `${END_IT[input.kind]}; then do the same again` };
    throw new TendrilError(refusal, `${inWords(input)} (${input.plants.join(", ")})`);
  }

  private activeOf(plant: string): readonly InputState[] {
    return this.all().filter(({ active, plants }) => active && plants.includes(plant));
  }
}

export const inputs = definePart("inputs", ({ board }) => new Inputs(board));
