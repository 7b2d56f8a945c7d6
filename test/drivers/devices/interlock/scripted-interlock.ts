import type {
  Channel,
  Grant,
  InterlockDevice,
  InterlockLimits,
  InterlockStatus,
} from "../../../../drivers/devices/interlock/device.js";
import { DriverError } from "../../../../drivers/errors.js";
import { type Millis, millis, minutes, seconds } from "../../../../drivers/units.js";

/** As firmware/core/limits.h has them. */
export const LIMITS: InterlockLimits = {
  protocol: 1,
  firmware: 1,
  maxGap: seconds(1),
  pumpCut: millis(28_900),
  pumpRest: seconds(10),
  lightCut: millis(7_258_000),
  lightRest: minutes(10),
  pumpHeartbeat: seconds(2),
  lightHeartbeat: seconds(30),
  feedback: millis(100),
  budget: seconds(600),
};

const NONE = { pump: millis(0), light: millis(0) };

export const WELL: InterlockStatus = {
  closed: { pump: false, light: false },
  live: { pump: false, light: false },
  stopPressed: false,
  faults: [],
  order: { pump: 0, light: 0 },
  on: NONE,
  pumpLive: millis(0),
  rest: NONE,
  budgetLeft: seconds(600),
};

/** An interlock that says what the test wants it to, and notes what it was asked, in order. */
export class ScriptedInterlock implements InterlockDevice {
  readonly asked: string[] = [];
  status_: InterlockStatus = WELL;
  limits = LIMITS;
  present = true;
  /** What the next request is refused with. */
  refusal: DriverError | undefined;
  /** Called when a line is said, before it is answered. */
  during: (line: string) => unknown = () => undefined;
  private readonly watchers = new Set<() => void>();

  get latest() {
    return this.present ? { status: this.status_, limits: this.limits } : undefined;
  }

  async request(channel: Channel, duration: Millis): Promise<Grant> {
    await this.hear(`${channel} ${duration}`);
    if (this.refusal) throw this.refusal;
    const order = this.status_.order[channel] + 1;
    this.change({ order: { ...this.status_.order, [channel]: order } });
    return { order };
  }

  async off(channel: Channel): Promise<InterlockStatus> {
    await this.hear(`${channel} off`);
    return this.status_;
  }

  async allOff(): Promise<InterlockStatus> {
    await this.hear("all off");
    return this.status_;
  }

  async status(): Promise<InterlockStatus> {
    await this.hear("status");
    return this.status_;
  }

  async clear(): Promise<InterlockStatus> {
    await this.hear("clear");
    this.change({ faults: [] });
    return this.status_;
  }

  watch(listener: () => void) {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  async close(): Promise<void> {
    this.asked.push("close");
  }

  change(changes: Partial<InterlockStatus>): void {
    this.status_ = { ...this.status_, ...changes };
    for (const watcher of this.watchers) watcher();
  }

  lose(): void {
    this.present = false;
    for (const watcher of this.watchers) watcher();
  }

  private async hear(line: string): Promise<void> {
    this.asked.push(line);
    await this.during(line);
    if (!this.present) throw new DriverError("INTERLOCK_LOST", "it does not answer");
  }
}
