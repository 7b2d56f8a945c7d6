import type { DriverError, DriverErrorCode } from "../../drivers/errors.js";
import type { Board } from "../../drivers/open-board.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { hours, type Millis } from "../../drivers/units.js";
import type { Log } from "../log.js";
import type { Messages } from "./people/messages.js";

/** What a person has to know of: it may come again, or keep everything from being switched. */
const TOLD: ReadonlySet<DriverErrorCode> = new Set(["GUARD_LOST", "GUARD_BUSY", "PIN_FAILED"]);
/** A choice: what fails again and again is told of now and then; the log has each. */
const TOLD_EVERY = hours(1);

export interface TroubleWatchParts {
  readonly board: Pick<Board, "watchTroubles">;
  readonly messages: Messages;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
}

/** What goes wrong in the hardware beside any call: all of it into the log, what a person has to see to into a message. */
export class TroubleWatch {
  private readonly toldAt = new Map<string, Millis>();

  constructor(private readonly parts: TroubleWatchParts) {}

  begin(): Cancel {
    const { board, complain } = this.parts;
    return board.watchTroubles((trouble) => void this.see(trouble).catch(complain));
  }

  private async see({ code, message }: DriverError): Promise<void> {
    const { clock, log, messages } = this.parts;
    log("error", message);
    const now = clock.monotonic();
    const before = this.toldAt.get(message);
    if (!TOLD.has(code) || (before !== undefined && now - before < TOLD_EVERY)) return;
    this.toldAt.set(message, now);
    await messages
      .send("to_human", `The hardware reports: ${message}`, undefined, "runtime")
      .catch((error) => {
        this.toldAt.delete(message);
        throw error;
      });
  }
}
