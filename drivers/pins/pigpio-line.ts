import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { DriverError } from "../errors.js";
import type { RelayLine } from "../guard/relay.js";
import { isMissing, messageOf } from "../system-error.js";
import { type Millis, millis } from "../units.js";

/**
 * What is said of pigpio here was read in its source (github.com/joan2937/pigpio, pigpio.c of version 77 and pigpio.h,
 * functions named) and in the package's src/pigpio.cc. Nothing of it was tried on a Pi.
 */

interface PigpioWiring {
  /** BCM number, 1 to 27: the package's waves cannot name GPIO 0 (`gpioWaveAddGeneric` in src/pigpio.cc). */
  readonly gpio: number;
  /** Whether the relay is on while the pin is low. */
  readonly activeLow: boolean;
}

/**
 * How long after the asked end the wave ends. A choice: later than a guard on a busy Pi Zero is, so that the end is the
 * guard's own, and at 1.5 ml/s no more than 0.15 ml.
 */
export const DMA_MARGIN = millis(100);

/**
 * Longest pulse. A delay is one transfer of 4 bytes a microsecond (`waveDelayCBs`, `wave2Cbs`; DMA channel 6, no lite one),
 * and a transfer has less than 2^30 bytes (BCM2835 ARM Peripherals, 4.2.1.2, TXFR_LEN): 268.4 s, margin included.
 */
export const LONGEST_DMA_PULSE = millis(268_000);

/**
 * How often the pin is read for the edge before it counts as failed. A choice: the edge comes 20 µs after the wave was
 * sent (`wave2Cbs`), and so many readings take 3 ms on the fastest board (3.5 million a second on a Pi 4, README).
 */
const READINGS = 10_000;

/** The slowest: waves have a clock of their own, of 1 µs (`PI_WF_MICROS`), and nothing else is sampled. */
const SAMPLE_MICROSECONDS = 10;

/** Which pin has the wave; `gpioWaveTxSend` aborts what is running. */
const owners = new WeakMap<Pigpio, number>();

/**
 * Opens the one relay of this board whose pulses DMA ends, off. Needs root. Whoever listens to signals may do so before
 * or after. Throws PIN_FAILED where pigpio does not start, OUTPUT_UNSAFE for a second one.
 */
export function openPigpioLine(pigpio: Pigpio, wiring: PigpioWiring): RelayLine {
  const owner = owners.get(pigpio);
  if (owner !== undefined)
    throw new DriverError(
      "OUTPUT_UNSAFE",
      `pigpio has one wave, and GPIO ${owner} uses it; use via: led for GPIO ${wiring.gpio}`,
    );
  start(pigpio);
  const line = new PigpioLine(pigpio, wiring);
  owners.set(pigpio, wiring.gpio);
  return line;
}

/**
 * By default pigpio listens on port 8888 of every interface, makes a FIFO that anybody may write to, and sets a handler for
 * every signal, which stops DMA and leaves the pin as it is: a crash in mid-pulse would leave the relay on for good.
 */
function start(pigpio: Pigpio): void {
  try {
    pigpio.configureInterfaces(pigpio.DISABLE_FIFO_IF | pigpio.DISABLE_SOCK_IF | pigpio.DISABLE_ALERT);
    pigpio.configureClock(SAMPLE_MICROSECONDS, pigpio.CLOCK_PCM);
    pigpio.initialize();
  } catch (cause) {
    const what = "pigpio did not start; it needs root, no pigpiod beside it, and memory of the GPU";
    const facts = { part: "pigpio", during: "opening", reasons: [messageOf(cause)] } as const;
    throw new DriverError("PIN_FAILED", what, { cause, facts });
  }
  takeBackSignals();
}

/**
 * A pulse is one wave: on, wait, off. The DMA engine plays it from memory of the GPU that the kernel does not free with the
 * process (`initMboxBlock`), so that SIGKILL does not stop it; `gpioTerminate` does, at every ordinary exit.
 */
class PigpioLine implements RelayLine {
  readonly cutoff = "DMA";
  private readonly pin: InstanceType<Pigpio["Gpio"]>;
  /** For an exit without `close`: the library ends after this, and then stops the wave, but not the relay. */
  private readonly atExit = () => this.switchOff();

  constructor(
    private readonly pigpio: Pigpio,
    private readonly wiring: PigpioWiring,
  ) {
    this.pin = new pigpio.Gpio(wiring.gpio); // without a mode: the first write sets the level before the mode (`gpioWrite`)
    process.on("exit", this.atExit);
    this.switchOff();
  }

  /** Throws PULSE_INVALID, PULSE_TOO_LONG above {@link LONGEST_DMA_PULSE}, PIN_FAILED where the pin does not go on. */
  switchOn(duration: Millis): void {
    this.assertPlayable(duration);
    this.switchOff();
    this.pigpio.waveClear();
    this.pigpio.waveAddGeneric([this.edge(true, duration + DMA_MARGIN), this.edge(false, 0)]);
    this.pigpio.waveTxSend(this.pigpio.waveCreate(), this.pigpio.WAVE_MODE_ONE_SHOT);
    if (!this.soFar()) this.fail();
  }

  /** The pin first, because a wave that is stopped leaves it on. And again, because a wave that was just sent switches on 20 µs later. */
  switchOff(): void {
    this.pin.digitalWrite(this.level(false));
    this.pigpio.waveTxStop();
    this.pin.digitalWrite(this.level(false));
  }

  isOn(): boolean {
    return this.pin.digitalRead() === this.level(true);
  }

  /** The pin stays an output: as an input it would follow its pull, which may be the relay's "on". */
  close(): void {
    if (!owners.delete(this.pigpio)) return;
    process.off("exit", this.atExit);
    this.switchOff();
    this.pigpio.terminate();
  }

  private assertPlayable(duration: Millis): void {
    const what = `GPIO ${this.wiring.gpio} was asked for a pulse of ${duration} ms`;
    if (!(duration > 0)) throw new DriverError("PULSE_INVALID", what);
    if (duration > LONGEST_DMA_PULSE)
      throw new DriverError("PULSE_TOO_LONG", `${what}, a wave lasts ${LONGEST_DMA_PULSE} ms at most`);
  }

  /** Only the wave switches on: a pin that is on is one that DMA will switch off. */
  private soFar(): boolean {
    for (let reading = 0; reading < READINGS; reading++) if (this.isOn()) return true;
    return false;
  }

  private fail(): never {
    this.switchOff();
    throw new DriverError(
      "PIN_FAILED",
      `GPIO ${this.wiring.gpio} did not go on, DMA does not run or it is shorted`,
    );
  }

  /** `then`: milliseconds until the next edge. */
  private edge(on: boolean, then: number): { gpioOn: number; gpioOff: number; usDelay: number } {
    const { gpio } = this.wiring;
    const high = this.level(on) === 1;
    return { gpioOn: high ? gpio : 0, gpioOff: high ? 0 : gpio, usDelay: Math.ceil(then * 1000) };
  }

  private level(on: boolean): 0 | 1 {
    return on === this.wiring.activeLow ? 0 : 1;
  }
}

export type Pigpio = typeof import("pigpio");

const require = createRequire(import.meta.url);

const PIGPIO = { facts: { part: "pigpio" } };

/**
 * The package `pigpio`, loaded only where it can work: requiring it without its C library prints a page of warnings, and
 * the first call then fails. Throws OUTPUT_UNSAFE on a Pi 5, PACKAGE_UNAVAILABLE where the package or its addon is missing.
 * `compatible` is what the device tree calls the board, of this one by default.
 */
export function loadPigpio(compatible = boardNames()): Pigpio {
  refusePi5(compatible);
  const manifest = find("pigpio/package.json");
  if (manifest === undefined)
    throw new DriverError("PACKAGE_UNAVAILABLE", "the package pigpio is not installed", PIGPIO);
  const why = addonTrouble(manifest);
  if (why !== undefined)
    throw new DriverError("PACKAGE_UNAVAILABLE", "the package pigpio has no C library behind it", {
      cause: why,
      ...PIGPIO,
    });
  return require("pigpio");
}

/** The pins of a Pi 5 are on another chip, RP1; pigpio refuses its revision code (`gpioHardwareRevision` in pigpio.c, issue 589). */
function refusePi5(compatible: string): void {
  if (compatible.includes("bcm2712"))
    throw new DriverError("OUTPUT_UNSAFE", "pigpio cannot reach the pins of a Raspberry Pi 5; use via: led");
}

/** As in `raspberrypi,4-model-b\0brcm,bcm2711\0`; nothing where there is no device tree. */
function boardNames(): string {
  try {
    return readFileSync("/proc/device-tree/compatible", "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

function find(module: string): string | undefined {
  try {
    return require.resolve(module);
  } catch {
    return undefined;
  }
}

/** Loads the addon as the package itself would, by its `bindings`. Without the C library, npm builds one that is empty. */
function addonTrouble(manifest: string): unknown {
  try {
    const bindings = createRequire(manifest)("bindings");
    const addon = bindings({ bindings: "pigpio.node", module_root: dirname(manifest) });
    if (typeof addon.gpioInitialise !== "function") throw new Error("the addon exports no gpioInitialise");
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * What ends a process by default, or as a crash, and may be listened to. SIGPIPE, SIGCHLD, SIGWINCH, SIGUSR1 and
 * SIGUSR2 are left as they are: pigpio ignores them, or counts its debug level with them (`sigHandler` in pigpio.c).
 */
const SIGNALS = (
  "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGSEGV SIGALRM SIGTERM SIGSTKFLT SIGCONT SIGTSTP " +
  "SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGIO SIGPWR SIGSYS"
).split(" ") as NodeJS.Signals[];

/**
 * Undoes what a native library has set for signals: those with listeners come back to them, the others get the system's
 * default. Node has no call for that, but libuv sets the default when the last listener of a signal goes (`uv_signal_stop`,
 * src/unix/signal.c), and its own handler when the first one comes.
 */
export function takeBackSignals(): void {
  for (const signal of SIGNALS) takeBack(signal);
}

function takeBack(signal: NodeJS.Signals): void {
  const listeners = process.rawListeners(signal) as NodeJS.SignalsListener[];
  process.on(signal, nothing);
  process.removeAllListeners(signal);
  for (const listener of listeners) process.on(signal, listener);
}

function nothing(): void {}
