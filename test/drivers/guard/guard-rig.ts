import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Guard, type GuardParts } from "../../../drivers/guard/guard.js";
import type { Order, Report } from "../../../drivers/guard/protocol.js";
import type { InputPin } from "../../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { ScriptedLine } from "./scripted-line.js";

/** An input that the test switches. */
export class ScriptedInput implements InputPin {
  private active = false;
  private listener: (active: boolean) => void = () => undefined;

  isActive(): boolean {
    return this.active;
  }

  watch(listener: (active: boolean) => void) {
    this.listener = listener;
    return () => undefined;
  }

  close(): void {
    this.listener = () => undefined;
  }

  set(active: boolean): void {
    this.active = active;
    this.listener(active);
  }
}

/** A guard over a pump, a second pump and a light, with a stop button and a leak sensor; time moves when told to. */
export class GuardRig {
  readonly clock = new SimulatedClock();
  readonly told: Report[] = [];
  readonly pump = new ScriptedLine();
  readonly other = new ScriptedLine();
  readonly light = new ScriptedLine();
  readonly stop = new ScriptedInput();
  readonly leak = new ScriptedInput();
  readonly guard: Guard;
  private orders = 0;

  constructor(parts: Partial<GuardParts> = {}) {
    this.guard = new Guard({
      outputs: [
        { name: "basil-pump", ceiling: seconds(26), line: this.pump },
        { name: "fern-pump", ceiling: seconds(26), line: this.other },
        { name: "basil-light", ceiling: seconds(7200), line: this.light },
      ],
      inputs: [
        { name: "stop button", pin: this.stop, inhibits: ["basil-pump", "fern-pump", "basil-light"] },
        { name: "leak sensor", pin: this.leak, inhibits: ["basil-pump"] },
      ],
      clock: this.clock,
      tell: (report) => this.told.push(report),
      ...parts,
    });
  }

  /** Asks for a pulse; the reports that follow at once. */
  on(output: string, duration: Millis, sent = this.clock.monotonic()): Report[] {
    return this.send({ do: "on", id: ++this.orders, output, for: duration, sent });
  }

  off(output?: string): Report[] {
    return this.send({ do: "off", id: ++this.orders, ...(output !== undefined && { output }) });
  }

  /** Lets time pass with a parent that gives signs of life. */
  async live(duration: Millis): Promise<void> {
    const end = this.clock.monotonic() + duration;
    while (this.clock.monotonic() < end) {
      this.send({ do: "beat", id: ++this.orders });
      await this.clock.advance(millis(Math.min(400, end - this.clock.monotonic())));
    }
  }

  /** What was told since, without the answers to signs of life. */
  since(mark: number): Report[] {
    return this.told.slice(mark).filter(({ is }) => is !== "beat");
  }

  private send(order: Order): Report[] {
    const mark = this.told.length;
    this.guard.receive(order);
    return this.since(mark);
  }
}
