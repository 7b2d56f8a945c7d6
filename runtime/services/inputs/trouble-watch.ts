import type { DriverError, DriverErrorCode } from "../../../drivers/errors.js";
import type { Board } from "../../../drivers/open-board.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours, type Millis } from "../../../drivers/units.js";
import type { Log } from "../../log.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Control } from "../people/control.js";
import type { Messages } from "../people/messages.js";
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
  readonly messages: Messages;
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
  private readonly toldAt = new Map<string, Millis>();
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
    const told = (fresh || this.isNews(trouble)) && this.tell(trouble, fresh ? ON_HOLD : undefined);
    await settleAll([Promise.resolve(held), Promise.resolve(told)]);
  }

  /** The person is told once: until the fault is cleared, more of it is no news. */
  private async latch(trouble: DriverError): Promise<void> {
    const { control, clock, plants } = this.parts;
    const fresh = plants.filter((plant) => !control.hasFault(plant, "INTERLOCK"));
    if (fresh.length === 0) return;
    const fault = { kind: "fault", code: "INTERLOCK", by: "runtime", reason: trouble.what } as const;
    const timestamp = isoUtc(clock.now());
    const latched = fresh.map((plant) => control.record({ timestamp, plant, ...fault }));
    await settleAll([...latched, this.tell(trouble, LOCKED)]);
  }

  private hold({ what }: DriverError): Promise<void> {
    const { control, clock } = this.parts;
    const timestamp = isoUtc(clock.now());
    return control.record({ timestamp, kind: "hold", by: "runtime", reason: `${MAY_BE_ON}${what}` });
  }

  private isNews({ code, message }: DriverError): boolean {
    const before = this.toldAt.get(message);
    return TOLD.has(code) && (before === undefined || this.parts.clock.monotonic() - before >= TOLD_EVERY);
  }

  /** `consequence`: what follows from it, and what the person does. */
  private async tell({ message }: DriverError, consequence: string | undefined): Promise<void> {
    const { clock, messages } = this.parts;
    this.toldAt.set(message, clock.monotonic());
    const letter = `The hardware reports: ${message}${consequence === undefined ? "" : `. ${consequence}`}`;
    await messages.send("to_human", letter, undefined, "runtime").catch((error) => {
      this.toldAt.delete(message);
      throw error;
    });
  }
}

const ON_HOLD =
  "Everything is on hold. Please see that no pump and no light is on that should not be; once all is well, lift the hold with: tendril resume";
const LOCKED =
  "Neither water nor light is given to any plant (INTERLOCK). Please see to the cause, then clear the fault with: tendril clear";
