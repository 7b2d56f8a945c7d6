import type { Cancel, Clock } from "../../drivers/ports.js";
import { type Millis, plus } from "../../drivers/units.js";
import type { Log } from "../log.js";
import type { ServiceManager } from "./service-manager.js";

interface WatchdogParts {
  readonly manager: Pick<ServiceManager, "feed" | "status">;
  /** How often it is fed while all is well, and how late an event loop that is well may be. */
  readonly every: Millis;
  /** What keeps the runtime from caring for plants, a clause each; none: it is well. */
  readonly health: () => Promise<readonly string[]>;
  /** For `systemctl status` while all is well. */
  readonly status: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Feeds the service manager's watchdog while the runtime is well. One that is not, is restarted with its relays off when
 * the deadline passes; one that hangs does not even get here.
 */
export class Watchdog {
  private cancel: Cancel = () => undefined;
  private problem = "";
  private over = false;

  constructor(private readonly parts: WatchdogParts) {}

  begin(): Cancel {
    this.arm();
    return () => {
      this.over = true;
      this.cancel();
    };
  }

  private arm(): void {
    if (this.over) return;
    const { clock, every } = this.parts;
    const due = plus(clock.monotonic(), every);
    this.cancel = clock.after(every, () => void this.look(clock.monotonic() - due).then(() => this.arm()));
  }

  private async look(late: number): Promise<void> {
    const { health, every, manager } = this.parts;
    const troubles = [...(late > every ? [eventLoopDelay(late)] : []), ...(await health())];
    await this.tell(troubles.join("; "));
    if (troubles.length === 0) await manager.feed();
  }

  private async tell(problem: string): Promise<void> {
    if (problem === this.problem) return;
    const { log, manager, status } = this.parts;
    this.problem = problem;
    if (problem) log("error", `not well, to be restarted unless that ends soon: ${problem}`);
    else log("info", "well again");
    await manager.status(problem ? `not well: ${problem}` : status);
  }
}

const eventLoopDelay = (late: number): string => `the event loop was held up for ${Math.round(late)} ms`;
