import type { BoardConfig } from "../../board.js";
import { DriverError } from "../../errors.js";
import type { Cancel, Clock, SerialLine } from "../../ports.js";
import { seconds } from "../../units.js";
import { type InterlockDevice, interlockNeeds } from "./device.js";
import { Interlock } from "./interlock.js";
import { InterlockPanel } from "./panel.js";

/** How often a missing interlock is tried again. A choice: a person who has just plugged it in looks at the status. */
const RETRY_INTERVAL = seconds(5);

/** An interlock that may come later than the runtime, which starts without it: nothing goes on until it is there. */
export class AwaitedInterlock implements InterlockDevice {
  readonly request: InterlockDevice["request"] = async (...what) => this.present().request(...what);
  readonly off: InterlockDevice["off"] = async (channel) => this.present().off(channel);
  readonly allOff: InterlockDevice["allOff"] = async () => this.present().allOff();
  readonly status: InterlockDevice["status"] = async () => this.present().status();
  readonly clear: InterlockDevice["clear"] = async () => this.present().clear();
  private device: InterlockDevice | undefined;
  private reason = new DriverError("INTERLOCK_LOST", "the interlock was not there yet");
  private readonly watchers = new Set<() => void>();
  private cancel: Cancel = () => undefined;
  private closed = false;

  private constructor(
    private readonly openDevice: () => Promise<InterlockDevice>,
    private readonly clock: Pick<Clock, "after">,
  ) {}

  /** Resolves after the first try, successful or not. */
  static async open(
    openDevice: () => Promise<InterlockDevice>,
    clock: Pick<Clock, "after">,
  ): Promise<AwaitedInterlock> {
    const interlock = new AwaitedInterlock(openDevice, clock);
    await interlock.tryOpen();
    return interlock;
  }

  get latest(): InterlockDevice["latest"] {
    return this.device?.latest;
  }

  get absence(): DriverError | undefined {
    return this.device ? undefined : this.reason;
  }

  watch(listener: () => void): Cancel {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    await this.device?.close();
  }

  private present(): InterlockDevice {
    if (this.device) return this.device;
    throw this.reason;
  }

  private async tryOpen(): Promise<void> {
    try {
      const device = await this.openDevice();
      if (this.closed) return device.close();
      this.device = device;
      device.watch(() => this.notify());
    } catch (error) {
      this.reason = reasonOf(error);
      if (!this.closed) this.cancel = this.clock.after(RETRY_INTERVAL, () => void this.tryOpen());
    }
    this.notify();
  }

  private notify(): void {
    for (const watcher of this.watchers) watcher();
  }
}

/** The panel of an interlock, or of the wait for one. `plants` are those whose pumps and lights are behind it. */
export async function openInterlockPanel(
  plants: BoardConfig["plants"],
  clock: Clock,
  openLine: () => Promise<SerialLine>,
): Promise<InterlockPanel> {
  const device = await AwaitedInterlock.open(async () => Interlock.open(await openLine(), clock), clock);
  const needs = interlockNeeds(plants);
  return new InterlockPanel({ device, needs, plants: plants.map(({ id }) => id), clock });
}

const reasonOf = (error: unknown): DriverError =>
  error instanceof DriverError
    ? error
    : new DriverError("INTERLOCK_LOST", `the interlock could not be opened (${String(error)})`, {
        cause: error,
        facts: { reasons: [String(error)] },
      });
