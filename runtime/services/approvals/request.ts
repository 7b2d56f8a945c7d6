import type { Cancel, Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import type { TendrilError } from "../../errors.js";
import { Listeners } from "../listeners.js";
import { type Demand, question } from "./demand.js";
import type { ApprovalState } from "./table.js";

/** A request that waits for its answer, or a yes that waits to be used. */
export class ApprovalRequest {
  state: ApprovalState = "pending";
  /** Whether the asking client was asked itself: that is done once. */
  shown = false;
  /** The no that it ended with: what every call that waits for it is told. */
  refusal: TendrilError | undefined;
  private readonly timers: Cancel[] = [];
  private readonly listeners = new Listeners();

  constructor(
    readonly id: number,
    readonly demand: Demand,
    /** Real time, epoch milliseconds. */
    readonly expiresAt: number,
    /** The same instant by the plant's wall clock, as people are shown it. */
    readonly shownUntil: string,
    /** Of the plant's monotonic clock; undefined where it is in no cycle. */
    readonly cycleEnds: Millis | undefined,
  ) {}

  /** Whether a yes holds for all that the agent does with this tool at this plant in this cycle. */
  get holdsForCycle(): boolean {
    return this.demand.rule === "once_per_cycle" && this.demand.cycle !== undefined;
  }

  get title(): string {
    return `${question(this.demand)} (request ${this.id}, until ${this.shownUntil})`;
  }

  /** Whether the yes to this is, or would be, a yes to that. */
  covers(other: Demand): boolean {
    const { demand } = this;
    if (!this.holdsForCycle) return this.isOf(other);
    if (demand.agent !== other.agent || demand.instance !== other.instance) return false;
    if (demand.tool !== other.tool || demand.plant !== other.plant) return false;
    if (demand.cycle?.id !== other.cycle?.id) return false;
    return this.state === "approved" || demand.key === other.key;
  }

  /** Stopped when the request changes its state. */
  keep(timer: Cancel): void {
    this.timers.push(timer);
  }

  /** Whether this was asked for by just this call. */
  isOf({ key, agent, instance }: Demand): boolean {
    return this.demand.key === key && this.demand.agent === agent && this.demand.instance === instance;
  }

  /** Resolves when the state is another, at the latest after so much time or when the signal is aborted. */
  async changed(clock: Clock, longest: Millis, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const cancels: Cancel[] = [];
    await new Promise<void>((resolve) => {
      const aborted = () => resolve();
      signal.addEventListener("abort", aborted, { once: true });
      cancels.push(() => signal.removeEventListener("abort", aborted));
      cancels.push(clock.after(longest, resolve), this.listeners.watch(resolve));
    });
    for (const cancel of cancels) cancel();
  }

  become(state: ApprovalState): void {
    for (const cancel of this.timers.splice(0)) cancel();
    this.state = state;
    this.listeners.tell();
  }
}
