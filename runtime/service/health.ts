import type { Board } from "../../drivers/open-board.js";
import type { Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, minutes, plus } from "../../drivers/units.js";
import { untilNext } from "../schedule.js";
import type { Store } from "../store/store.js";

export interface HealthParts {
  readonly board: Pick<Board, "isGuarded">;
  readonly store: Pick<Store, "assertHealthy">;
  readonly sampling: Pick<RoundWatch, "isLate">;
}

/** What keeps a running runtime from caring for plants safely, a clause each. None: it is well. */
export async function healthProblems({ board, store, sampling }: HealthParts): Promise<string[]> {
  return [
    ...(board.isGuarded() ? [] : ["no guard has the relays"]),
    ...(sampling.isLate() ? ["no round of the probes has ended in time"] : []),
    ...(await storeTrouble(store)),
  ];
}

async function storeTrouble(store: HealthParts["store"]): Promise<string[]> {
  try {
    await store.assertHealthy();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** A choice: what the slowest round takes, with every probe's bus timing out, and a busy machine. */
const GRACE = minutes(2);
/** A schedule that is sparser is not waited for: a choice. */
const AT_MOST = minutes(24 * 60);

/** Whether rounds end as often as their schedule has them, by the monotonic clock: a wall clock that is set makes none late. */
export class RoundWatch {
  private due: Millis;

  constructor(
    private readonly pattern: string,
    private readonly clock: Clock,
    private readonly zone = "UTC",
  ) {
    this.due = this.next();
  }

  /** The same round, which counts when it has ended. */
  watched(round: () => Promise<void>): () => Promise<void> {
    return async () => {
      await round();
      this.due = this.next();
    };
  }

  isLate(): boolean {
    return this.clock.monotonic() > this.due;
  }

  private next(): Millis {
    const { pattern, clock, zone } = this;
    return plus(plus(clock.monotonic(), untilNext(pattern, clock.now(), AT_MOST, zone)), GRACE);
  }
}
