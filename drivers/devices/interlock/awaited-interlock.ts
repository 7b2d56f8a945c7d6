import { DriverError } from "../../errors.js";
import type { Cancel, Clock } from "../../ports.js";
import { seconds } from "../../units.js";
import type { Channel, Grant, InterlockDevice, InterlockStatus } from "./device.js";

/** How often one that was not there is looked for again. A choice: a person who has plugged it in looks at the status. */
const LOOK_AGAIN = seconds(5);

/** An interlock that may come later than the runtime, which starts without it: nothing goes on until it is there. */
export class AwaitedInterlock implements InterlockDevice {
  private device: InterlockDevice | undefined;
  private why = new DriverError("INTERLOCK_LOST", "the interlock was not there yet");
  private readonly watchers = new Set<() => void>();
  private cancel: Cancel = () => undefined;
  private closed = false;

  private constructor(
    private readonly openDevice: () => Promise<InterlockDevice>,
    private readonly clock: Pick<Clock, "after">,
  ) {}

  /** Resolves after the first try, whatever came of it. */
  static async open(
    openDevice: () => Promise<InterlockDevice>,
    clock: Pick<Clock, "after">,
  ): Promise<AwaitedInterlock> {
    const interlock = new AwaitedInterlock(openDevice, clock);
    await interlock.look();
    return interlock;
  }

  get latest(): InterlockDevice["latest"] {
    return this.device?.latest;
  }

  /** Why it is not there. */
  get absence(): DriverError | undefined {
    return this.device ? undefined : this.why;
  }

  watch(listener: () => void): Cancel {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  async request(channel: Channel, duration: Parameters<InterlockDevice["request"]>[1]): Promise<Grant> {
    return this.present().request(channel, duration);
  }

  async off(channel: Channel): Promise<InterlockStatus> {
    return this.present().off(channel);
  }

  async allOff(): Promise<InterlockStatus> {
    return this.present().allOff();
  }

  async status(): Promise<InterlockStatus> {
    return this.present().status();
  }

  async clear(): Promise<InterlockStatus> {
    return this.present().clear();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    await this.device?.close();
  }

  private present(): InterlockDevice {
    if (this.device) return this.device;
    throw this.why;
  }

  private async look(): Promise<void> {
    try {
      const device = await this.openDevice();
      if (this.closed) return device.close();
      this.device = device;
      device.watch(() => this.tell());
    } catch (error) {
      this.why = reasonOf(error);
      if (!this.closed) this.cancel = this.clock.after(LOOK_AGAIN, () => void this.look());
    }
    this.tell();
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }
}

const reasonOf = (error: unknown): DriverError =>
  error instanceof DriverError
    ? error
    : new DriverError("INTERLOCK_LOST", `the interlock could not be opened (${String(error)})`, {
        cause: error,
      });
