import { DriverError, type DriverErrorCode } from "../../errors.js";
import type { Cancel, Clock, PulsedOutput } from "../../ports.js";
import {
  assertFits,
  type Channel,
  type InterlockDevice,
  type InterlockLimits,
  type InterlockNeeds,
  type InterlockStatus,
} from "./device.js";
import { InterlockChannel, InterlockedOutput } from "./interlocked-output.js";

/** How messages and the overview call the button that is wired to the interlock. */
export const EMERGENCY_STOP = "emergency stop of the interlock";

/** What people are shown. */
interface InterlockView {
  readonly state: "ok" | "lost" | "unfit" | "fault";
  readonly problem: string | null;
  readonly firmware: number | null;
  /** Pump time left of the day's, in seconds. */
  readonly pump_seconds_left: number | null;
}

interface StopInput {
  readonly kind: "stop";
  readonly name: string;
  readonly plants: readonly string[];
  readonly active: boolean;
}

/** The interlock as the runtime sees it: its state, its reset, and the outputs that are wired through it. */
export class InterlockPanel {
  private readonly channels: Readonly<Record<Channel, InterlockChannel>>;
  private readonly outputs = new Set<InterlockedOutput>();
  private readonly troubles = new Set<(trouble: DriverError) => void>();
  private readonly inputs = new Set<(input: StopInput) => void>();
  private lastTrouble: DriverError | undefined;
  private stopPressed = false;

  constructor(
    private readonly parts: {
      readonly device: InterlockDevice;
      readonly needs: InterlockNeeds;
      /** Ids of the plants whose pumps and lights are behind it. */
      readonly plants: readonly string[];
      readonly clock: Clock;
    },
  ) {
    const { device, clock } = parts;
    const common = {
      device,
      clock,
      assertReady: () => this.assertReady(),
      reportTrouble: this.reportTrouble.bind(this),
    };
    this.channels = {
      pump: new InterlockChannel("pump", common),
      light: new InterlockChannel("light", common),
    };
    device.watch(() => this.update());
    this.update();
  }

  /** The output with the interlock's contact in series. */
  interlocked(name: string, channel: Channel, inner: PulsedOutput): PulsedOutput {
    const output = new InterlockedOutput(name, inner, this.channels[channel], this.parts.clock);
    this.outputs.add(output);
    return output;
  }

  /**
   * What keeps it from letting anything on: INTERLOCK_LOST, INTERLOCK_LIMITS, INTERLOCK_FAULT, INTERLOCK_PORT or
   * PACKAGE_UNAVAILABLE.
   */
  trouble(): DriverError | undefined {
    const { latest, absence } = this.parts.device;
    if (!latest) return absence ?? new DriverError("INTERLOCK_LOST", "the interlock does not answer");
    try {
      assertFits(latest.limits, this.parts.needs);
      assertHealthy(latest.status);
      return undefined;
    } catch (error) {
      if (error instanceof DriverError) return error;
      throw error;
    }
  }

  assertReady(): void {
    const trouble = this.trouble();
    if (trouble) throw trouble;
  }

  /** Clears what is latched. Rejects with INTERLOCK_FAULT while the cause stands, with what keeps it from being asked. */
  async clear(): Promise<void> {
    const { latest } = this.parts.device;
    if (latest?.status.stopPressed) assertHealthy(latest.status);
    assertHealthy(await this.parts.device.clear());
  }

  allOff(): void {
    this.parts.device.allOff().catch(() => undefined); // one that is lost opens by itself
  }

  /** The emergency stop, which only the interlock reads, as one more stop button of all plants. */
  input(): StopInput {
    return { kind: "stop", name: EMERGENCY_STOP, plants: this.parts.plants, active: this.stopPressed };
  }

  watchInput(listener: (input: StopInput) => void): Cancel {
    this.inputs.add(listener);
    return () => this.inputs.delete(listener);
  }

  /** Calls `listener` with the present problem, if any, and with each later one. */
  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    this.troubles.add(listener);
    if (this.lastTrouble) listener(this.lastTrouble);
    return () => this.troubles.delete(listener);
  }

  view(): InterlockView {
    const trouble = this.trouble();
    const { status, limits } = this.parts.device.latest ?? {};
    return {
      state: trouble ? (STATES[trouble.code] ?? "lost") : "ok",
      problem: trouble?.what ?? null,
      firmware: limits?.firmware ?? null,
      pump_seconds_left: status ? Math.floor(status.budgetLeft / 1000) : null,
    };
  }

  get explanation(): string {
    const { limits } = this.parts.device.latest ?? {};
    const problem = this.trouble();
    if (problem) return `interlock: ${problem.message}; no pump and no light goes on until this is solved`;
    return `interlock: ${limits ? inWords(limits) : ""}`;
  }

  close(): Promise<void> {
    return this.parts.device.close();
  }

  /** What is on goes off by the guard too, where the interlock is out: it counts as long as it was on, no longer. */
  private update(): void {
    const trouble = this.trouble();
    const { status } = this.parts.device.latest ?? {};
    this.setStop(status?.stopPressed ?? false);
    if (status) for (const channel of Object.values(this.channels)) channel.openIfForgotten(status);
    if (trouble) for (const output of this.outputs) output.interrupt();
    if (trouble && trouble.message !== this.lastTrouble?.message) this.reportTrouble(trouble);
    this.lastTrouble = trouble;
  }

  private setStop(active: boolean): void {
    if (this.stopPressed === active) return;
    this.stopPressed = active;
    for (const listener of this.inputs) listener(this.input());
  }

  private reportTrouble(trouble: DriverError): void {
    for (const listener of this.troubles) listener(trouble);
  }
}

const STATES: Partial<Record<DriverErrorCode, InterlockView["state"]>> = {
  INTERLOCK_LIMITS: "unfit",
  INTERLOCK_FAULT: "fault",
};

function assertHealthy({ faults, stopPressed }: InterlockStatus): void {
  const wrong = [...faults, ...(stopPressed ? ["its emergency stop is pressed"] : [])];
  if (wrong.length > 0)
    throw new DriverError("INTERLOCK_FAULT", `the interlock has switched off: ${wrong.join(", ")}`, {
      facts: { reasons: wrong },
    });
}

function inWords({ firmware, pumpCut, lightCut, budget }: InterlockLimits): string {
  const [cut, light, day] = [pumpCut / 1000, Math.floor(lightCut / 60_000), budget / 1000];
  return `firmware ${firmware}; it cuts a pump after ${cut} s, a light after ${light} min, all pumps after ${day} s in 24 h`;
}
