import type { Board, InputState } from "../../../drivers/open-board.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Outbox } from "../outbox/outbox.js";
import type { Control, ControlEntry } from "../people/control.js";
import { settleAll } from "../settle-all.js";

export interface InputWatchParts {
  readonly board: Pick<Board, "inputs" | "watchInputs">;
  readonly control: Control;
  readonly outbox: Outbox;
  readonly clock: Clock;
  stopEverything(by: string): Promise<void>;
  /** Ends the plant's dose, also one that is still being admitted. */
  stopWater(plant: string): Promise<void>;
  /** Told of what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
}

/**
 * What follows from a button, a leak or an empty tank beyond the hardware's own stop: what lasts, and who is told.
 * Whatever is switched off or forbidden is so at once, before any disk is waited for.
 */
export class InputWatch {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly parts: InputWatchParts) {}

  /** Sees to what is active already, then to each change. */
  async begin(): Promise<Cancel> {
    const { board } = this.parts;
    const cancel = board.watchInputs((input) => this.see(input));
    for (const input of board.inputs()) this.see(input);
    await this.settled();
    return cancel;
  }

  /** Resolves once all that was seen so far is on disk, or complained of. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private see(input: InputState): void {
    const seeing = this.answer(input).catch(this.parts.complain);
    this.underWay.add(seeing);
    void seeing.finally(() => this.underWay.delete(seeing));
  }

  private async answer(input: InputState): Promise<void> {
    if (input.kind === "tank") await this.level(input);
    else if (input.active && input.kind === "leak") await this.wet(input);
    else if (input.active) await this.pressed(input);
  }

  /** As `tendril off`: everything off, then the hold. Releasing the button lifts nothing. */
  private async pressed({ name }: InputState): Promise<void> {
    const { control, outbox, stopEverything } = this.parts;
    const reason = `stop button "${name}" pressed`;
    const known = control.isHeldFor(reason);
    const off = stopEverything(reason);
    if (known) return off;
    const held = this.record({ kind: "hold", reason });
    const told = outbox.tell({ kind: "stop_pressed", severity: "warning", data: { input: name } });
    await settleAll([off, held, told]);
  }

  /** The person is told once: until the fault is cleared, more water on the sensor is no news. */
  private async wet({ name, plants }: InputState): Promise<void> {
    const { control, outbox } = this.parts;
    const reason = `the leak sensor "${name}" was wet`;
    const fresh = plants.filter((plant) => !control.hasFault(plant, "LEAK"));
    const latched = fresh.map((plant) => this.record({ kind: "fault", code: "LEAK", plant, reason }));
    const data = { input: name, plants: fresh };
    const told = fresh.length > 0 && outbox.tell({ kind: "leak", severity: "urgent", data });
    await settleAll([...this.stopAll(plants), ...latched, Promise.resolve(told)]);
  }

  /** The person is told when the tank runs dry, also if a restart lies between, and not again until it was full. */
  private async level({ name, plants, active }: InputState): Promise<void> {
    const { control, outbox } = this.parts;
    const stopped = active ? this.stopAll(plants) : [];
    if (active === control.isKnownEmpty(name)) return settleAll(stopped);
    const reason = `the tank "${name}" is ${active ? "empty" : "filled"}`;
    const noted = this.record({ kind: active ? "tank_empty" : "tank_filled", input: name, reason });
    const data = { input: name, plants: [...plants] };
    const told = active && outbox.tell({ kind: "tank_empty", severity: "warning", data });
    await settleAll([...stopped, noted, Promise.resolve(told)]);
  }

  private stopAll(plants: readonly string[]): Promise<void>[] {
    return plants.map((plant) => this.parts.stopWater(plant));
  }

  private record(entry: Omit<ControlEntry, "timestamp" | "by">): Promise<void> {
    const { control, clock } = this.parts;
    return control.record({ timestamp: isoUtc(clock.now()), by: "runtime", ...entry });
  }
}
