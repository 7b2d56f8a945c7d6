import type { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";

/**
 * A model of the pins and the DMA engine of a Pi 0 to 4, and of pigpio's C library over them: as much as pigpio-line.ts
 * uses, and as its source says (pigpio.c of version 77; functions named). It is no Pi: memory, buses and clocks are left out.
 */

/** Of control blocks that switch a pin, at microseconds from the start. */
interface Step {
  readonly at: number;
  readonly gpio: number;
  readonly level: 0 | 1;
}

export interface PinEdge {
  readonly gpio: number;
  readonly level: 0 | 1;
  /** Milliseconds. */
  readonly at: number;
}

/** What stays when a process dies: levels, modes, the wave that is being played, the lock file. */
export class PiPins {
  readonly edges: PinEdge[] = [];
  /** pid of the process in /var/run/pigpio.pid; `initGrabLockFile`. */
  lock: Pigpiolib | undefined;
  private readonly outputs = new Set<number>();
  private readonly latches = new Map<number, 0 | 1>();
  private wave: Step[] = [];
  private waveStart = 0;
  private busy = 0;

  constructor(private readonly clock: SimulatedClock) {}

  /** As an input, a pin follows its pull: up for GPIO 0 to 8, down for the others (BCM2835 ARM Peripherals, table 6-31). */
  level(gpio: number): 0 | 1 {
    this.settle();
    return this.electrical(gpio);
  }

  /** GPSET or GPCLR: takes effect on the pin once that is an output. */
  latch(gpio: number, level: 0 | 1): void {
    this.settle();
    this.change(gpio, this.micros(), () => this.latches.set(gpio, level));
  }

  makeOutput(gpio: number): void {
    this.settle();
    this.change(gpio, this.micros(), () => this.outputs.add(gpio));
  }

  play(wave: readonly Step[]): void {
    this.settle();
    this.wave = [...wave];
    this.waveStart = this.micros();
  }

  /** `initKillDMA`: the pin stays as it is. */
  stop(): void {
    this.settle();
    this.wave = [];
  }

  /** A call of a microsecond, while the clock stands still. */
  spend(): void {
    this.busy += 1;
  }

  private micros(): number {
    return this.clock.monotonic() * 1000 + this.busy;
  }

  private electrical(gpio: number): 0 | 1 {
    if (this.outputs.has(gpio)) return this.latches.get(gpio) ?? 0;
    return gpio <= 8 ? 1 : 0;
  }

  private settle(): void {
    const now = this.micros();
    for (let step = this.wave[0]; step && this.waveStart + step.at <= now; step = this.wave[0]) {
      const { gpio, level, at } = step;
      this.wave.shift();
      this.change(gpio, this.waveStart + at, () => this.latches.set(gpio, level));
    }
  }

  private change(gpio: number, micros: number, act: () => void): void {
    const before = this.electrical(gpio);
    act();
    const level = this.electrical(gpio);
    if (level !== before) this.edges.push({ gpio, level, at: micros / 1000 });
  }
}

interface Pulse {
  readonly gpioOn: number;
  readonly gpioOff: number;
  readonly usDelay: number;
}

/** `wave2Cbs`: the delay before the first step. */
const LEAD = 20;
/** `wfStats.maxCbs` less the pages for counters: 4 blocks of 53 pages, less 10 pages, of 118. */
const CONTROL_BLOCKS = (4 * 53 - 10) * 118;

/** What the package's addon exports, over the library in one process. */
export class Pigpiolib {
  /** What was asked for before the start. */
  readonly configuration: number[][] = [];
  private initialised = false;
  private alive = true;
  private added: readonly Pulse[] = [];
  private readonly waves: (readonly Pulse[])[] = [];
  private blocks = 0;
  /** DMA that never starts, as where another program has its channel. */
  stuck = false;

  constructor(private readonly pins: PiPins) {}

  /** The end by SIGKILL: nothing is called any more, and nothing is undone. */
  sigkill(): void {
    this.alive = false;
  }

  gpioCfgInterfaces = (flags: number): void => this.configure(flags);
  gpioCfgClock = (micros: number, peripheral: number): void => this.configure(micros, peripheral);

  gpioInitialise = (): void => {
    if (this.pins.lock?.alive) throw new Error("pigpio error -1 in gpioInitialise");
    this.pins.lock = this;
    this.initialised = true;
  };

  /** `initReleaseResources`: DMA stops, no pin changes. */
  gpioTerminate = (): void => {
    if (!this.initialised) return;
    this.pins.stop();
    this.pins.lock = undefined;
    this.initialised = false;
  };

  /** The level before the mode, at the first write. */
  gpioWrite = (gpio: number, level: 0 | 1): void => {
    this.check("gpioWrite");
    this.pins.latch(gpio, level);
    this.pins.makeOutput(gpio);
  };

  gpioRead = (gpio: number): 0 | 1 => {
    this.check("gpioRead");
    return this.pins.level(gpio);
  };

  gpioWaveClear = (): void => {
    this.check("gpioWaveClear");
    this.waves.length = 0;
    this.blocks = 0;
    this.added = [];
  };

  gpioWaveAddGeneric = (pulses: readonly Pulse[]): number => {
    this.check("gpioWaveAddGeneric");
    for (const { usDelay } of pulses) {
      if (!Number.isInteger(usDelay)) throw new Error("EINVAL, gpioWaveAddGeneric");
      if (usDelay * 4 >= 2 ** 30) throw new RangeError("no DMA transfer is that long");
    }
    this.added = pulses;
    return pulses.length;
  };

  gpioWaveCreate = (): number => {
    this.check("gpioWaveCreate");
    if (this.added.length === 0) throw new Error("pigpio error -69 in gpioWaveCreate");
    this.blocks += 1 + this.added.length + this.added.filter(({ usDelay }) => usDelay > 0).length;
    if (this.blocks > CONTROL_BLOCKS) throw new Error("pigpio error -67 in gpioWaveCreate");
    this.waves.push(this.added);
    this.added = [];
    return this.waves.length - 1;
  };

  /** Only the one-shot mode, which stops what is running first. */
  gpioWaveTxSend = (id: number, mode: number): number => {
    this.check("gpioWaveTxSend");
    const wave = this.waves[id];
    if (!wave) throw new Error("pigpio error -66 in gpioWaveTxSend");
    if (mode !== 0) throw new RangeError(`wave mode ${mode} is not modelled`);
    this.pins.play(this.stuck ? [] : stepsOf(wave));
    return 1 + wave.length;
  };

  gpioWaveTxStop = (): void => {
    this.check("gpioWaveTxStop");
    this.pins.stop();
  };

  private configure(...values: number[]): void {
    if (this.initialised) throw new Error("pigpio error -32 in gpioCfg");
    this.configuration.push(values);
  }

  private check(call: string): void {
    if (!this.alive) throw new Error(`${call} of a dead process`);
    if (!this.initialised) throw new Error(`pigpio error -31 in ${call}`);
    this.pins.spend();
  }
}

/** The addon takes a number of 0 as "no pin" (src/pigpio.cc). */
function stepsOf(wave: readonly Pulse[]): Step[] {
  let at = LEAD;
  return wave.flatMap(({ gpioOn, gpioOff, usDelay }) => {
    const steps: Step[] = [];
    if (gpioOn > 0) steps.push({ at, gpio: gpioOn, level: 1 });
    if (gpioOff > 0) steps.push({ at, gpio: gpioOff, level: 0 });
    at += usDelay;
    return steps;
  });
}
