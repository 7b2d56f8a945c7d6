import { DRIVER_ERRORS, type DriverError, type DriverErrorCode } from "../../../drivers/errors.js";
import type { Board } from "../../../drivers/open-board.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import type { Log } from "../../log.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Outbox } from "../outbox/outbox.js";
import type { Control } from "../people/control.js";
import { settleAll } from "../settle-all.js";

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
