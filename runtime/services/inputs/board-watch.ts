import { DRIVER_ERRORS, type DriverError, type DriverErrorCode } from "../../../drivers/errors.js";
import type { Board, InputState } from "../../../drivers/open-board.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import type { Log } from "../../log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { definePart, type House, settleAll } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { type Control, type ControlEntry, control } from "../people/control.js";
import { water } from "../water/service.js";

/** Gives what the board tells by itself its lasting consequences. */
export class BoardWatch {
  private cancels: Cancel[] = [];

  constructor(
    private readonly house: House,
    private readonly troubles: TroubleWatch,
    private readonly inputs: InputWatch,
  ) {}

  /** What the board tells already has its consequences before this resolves. */
  async begin(): Promise<void> {
    const { board, log } = this.house;
    for (const line of board.explanation) log("info", line);
    this.house.onClose(() => this.end());
    this.cancels.push(this.troubles.begin());
    this.cancels.push(await this.inputs.begin());
  }

  /** Resolves once all that was told so far has had its consequences. */
  async settled(): Promise<void> {
    await Promise.all([this.inputs.settled(), this.troubles.settled()]);
  }

  /** Listens no longer; the board itself still switches off. */
  private end(): Promise<void> {
    for (const cancel of this.cancels.splice(0)) cancel();
    return this.settled();
  }
}

export const boardWatch = definePart("board watch", async (house) => {
  const { board, clock, plants, log, complain } = house;
  const switches = await house.use(water);
  const common = {
    board,
    clock,
    complain,
    control: await house.use(control),
    outbox: await house.use(outbox),
  };
  return new BoardWatch(
    house,
    new TroubleWatch({ ...common, log, plants: plants.ids }),
    new InputWatch({
      ...common,
      stopEverything: (by) => house.stopEverything(by),
      stopWater: (plant) => switches.stop(plant),
    }),
  );
});

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

/** What a person has to know of: it may come again, or keep everything from being switched. */
const TOLD: ReadonlySet<DriverErrorCode> = new Set([
  "GUARD_LOST",
  "GUARD_BUSY",
  "PIN_FAILED",
  "RELAY_WELDED",
  "INTERLOCK_LOST",
  "INTERLOCK_LIMITS",
  "INTERLOCK_PORT",
  "PACKAGE_UNAVAILABLE",
]);
/** A relay that does not go off. */
const HELD_FOR: ReadonlySet<DriverErrorCode> = new Set(["PIN_FAILED", "RELAY_WELDED"]);
/** A choice: what fails again and again is told of now and then; the log has each. */
const TOLD_EVERY = hours(1);
/** Begins the reason of each hold from here: one that stands is enough, whatever else the relay complains of. */
const MAY_BE_ON = "a relay may be on: ";

export interface TroubleWatchParts {
  readonly board: Pick<Board, "watchTroubles">;
  readonly control: Control;
  readonly outbox: Outbox;
  readonly plants: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Told of what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
}

/**
 * What goes wrong in the hardware beside any call: all of it into the log, what a person has to see to into a message. A
 * relay that would not go off puts everything on hold until a person lifts that; what the interlock has latched locks
 * everything until a person clears it.
 */
export class TroubleWatch {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly parts: TroubleWatchParts) {}

  begin(): Cancel {
    return this.parts.board.watchTroubles((trouble) => this.see(trouble));
  }

  /** Resolves once all that was seen so far is on disk, or complained of. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private see(trouble: DriverError): void {
    this.parts.log("error", trouble.message);
    const seeing = this.answer(trouble).catch(this.parts.complain);
    this.underWay.add(seeing);
    void seeing.finally(() => this.underWay.delete(seeing));
  }

  /** Hold and fault are in force at once, before any disk is waited for; fresh ones are always told of. */
  private async answer(trouble: DriverError): Promise<void> {
    if (trouble.code === "INTERLOCK_FAULT") return this.latch(trouble);
    const fresh = HELD_FOR.has(trouble.code) && !this.parts.control.isHeldFor(MAY_BE_ON);
    const held = fresh && this.hold(trouble);
    const told = (fresh || TOLD.has(trouble.code)) && this.tell(trouble, fresh);
    await settleAll([Promise.resolve(held), Promise.resolve(told)]);
  }

  /** The person is told once: until the fault is cleared, more of it is no news. */
  private async latch(trouble: DriverError): Promise<void> {
    const { control, outbox, clock, plants } = this.parts;
    const fresh = plants.filter((plant) => !control.hasFault(plant, "INTERLOCK"));
    if (fresh.length === 0) return;
    const fault = { kind: "fault", code: "INTERLOCK", by: "runtime", reason: trouble.what } as const;
    const timestamp = isoUtc(clock.now());
    const latched = fresh.map((plant) => control.record({ timestamp, plant, ...fault }));
    const told = outbox.tell({ kind: "interlock_fault", severity: "urgent", data: dataOf(trouble) });
    await settleAll([...latched, told]);
  }

  private hold({ what }: DriverError): Promise<void> {
    const { control, clock } = this.parts;
    const timestamp = isoUtc(clock.now());
    return control.record({ timestamp, kind: "hold", by: "runtime", reason: `${MAY_BE_ON}${what}` });
  }

  /** `held`: everything was put on hold for it. What was told of it before is over then: a person lifted that hold. */
  private async tell(trouble: DriverError, held: boolean): Promise<void> {
    const { outbox } = this.parts;
    const news = { kind: "hardware_trouble", key: trouble.message } as const;
    const data = { ...dataOf(trouble), held };
    const severity = held ? "urgent" : "warning";
    // at once, one after the other: the same trouble that is seen meanwhile is no news
    const over = held && outbox.over(news);
    const told = outbox.tell({ ...news, severity, data, standsFor: TOLD_EVERY });
    await settleAll([Promise.resolve(over), told]);
  }
}

const dataOf = ({ code, what }: DriverError) => ({ code, what, remedy: DRIVER_ERRORS[code].fix });
