import { DriverError } from "./errors.js";
import type { EpochMillis, Millis } from "./units.js";

export type Cancel = () => void;

/**
 * The only source of time. `now` may jump in either direction; `monotonic` never goes back within
 * one boot and starts anew with the next. Nothing outside `drivers/clock` reads time in another way.
 */
export interface Clock {
  now(): EpochMillis;
  monotonic(): Millis;
  /** Names the stretch over which `monotonic` is comparable: the same after a restart of the process, another after a reboot. */
  readonly bootId: string;
  /**
   * Whether the wall clock is known to have been set from outside (NTP, RTC) and may be compared across boots. Once it was
   * set back, this is false until the next boot.
   */
  synchronised(): boolean;
  /**
   * Tells the clock what another process of this boot read while the wall clock was synchronised. With `monotonic` 0: what was
   * read in an earlier boot. Absent where nobody can set the clock.
   */
  witness?(wall: EpochMillis, monotonic: Millis): void;
  /**
   * Whether the system calls the wall clock synchronised and it was set back: it contradicts what was read before. Absent
   * where nobody can set the clock.
   */
  contradicts?(): boolean;
  /** How long the machine has slept since its boot: `monotonic` stands still meanwhile. Absent where nothing sleeps. */
  slept?(): Millis;
  /** Resolves after `duration`; rejects with the signal's reason if it is aborted first. */
  sleep(duration: Millis, signal?: AbortSignal): Promise<void>;
  /** Runs `fn` once after `duration`. Does not keep the process alive. */
  after(duration: Millis, fn: () => void): Cancel;
}

/**
 * A bus with chips at the addresses 0x08 to 0x77. Every transfer rejects with BUS_NACK where nothing answers, with
 * BUS_TIMEOUT where a transfer hangs, with BUS_FAILED for anything else.
 */
export interface I2cBus {
  /** For messages: "i2c-1", "bench". */
  readonly name: string;
  /** SMBus word access: the low byte travels first, as `i2c-bus` and the kernel have it. */
  readWord(address: number, register: number): Promise<number>;
  writeWord(address: number, register: number, word: number): Promise<void>;
  /** A plain transfer of 1 to 32 bytes; a RangeError for any other number. */
  write(address: number, bytes: readonly number[]): Promise<void>;
  /** 1 to 32 bytes; a RangeError for any other number. */
  read(address: number, length: number): Promise<number[]>;
}

/** An output that may stay on without harm, as a probe's supply. What carries water or mains is a {@link PulsedOutput}. */
export interface OutputPin {
  /** Rejects with PIN_FAILED. */
  set(on: boolean): Promise<void>;
  /** Off, then given back. */
  close(): Promise<void>;
}

/** A switch or sensor with two states, already debounced. */
export interface InputPin {
  isActive(): boolean;
  /** Calls `listener` after each change. */
  watch(listener: (active: boolean) => void): Cancel;
  close(): void;
}

export interface PulseReport {
  /** Monotonic instant of the rising edge. */
  readonly startedAt: Millis;
  /** How long the output really was on. */
  readonly onFor: Millis;
  /** `elapsed`: the hardware timer ended it; `ended`: somebody called `end()`; `unknown`: the hardware lost track. */
  readonly outcome: "elapsed" | "ended" | "unknown";
}

/**
 * The only way to switch a load on: on and its end are one request, and the end is timed outside
 * this process's event loop. There is no "on" without a duration.
 */
export interface PulsedOutput {
  /** Longest pulse the hardware accepts. */
  readonly ceiling: Millis;
  /**
   * Arms the end, then switches on; resolves when the output is off again. `onEdge` is called once the
   * output is really on. An output that waits before it goes on calls `assertStill` after that: what it throws refuses the
   * pulse. Rejects with PULSE_TOO_LONG above the ceiling, with PULSE_BUSY while one is running,
   * with PULSE_INHIBITED while an input keeps the output off.
   */
  pulse(duration: Millis, onEdge?: (at: Millis) => void, assertStill?: () => void): Promise<PulseReport>;
  /**
   * How long after its beginning the hardware has ended a pulse of `duration` at the latest although every process is
   * dead; infinite where nothing does.
   */
  latestEnd(duration: Millis): Millis;
  /** Switches off at once. Always allowed, also when nothing is on. */
  end(): Promise<void>;
  /** Whether the output is on now. */
  isOn(): boolean;
}

/** A serial line. Its other end may be absent: what is written may never arrive. */
export interface SerialLine {
  /** For messages: "/dev/ttyAMA0". */
  readonly name: string;
  /** Sends, without waiting. Dropped while the line is not open. */
  write(bytes: Uint8Array): void;
  /** Calls `listener` with the received bytes, in pieces of any size. There is one listener. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** What was written before is still sent. */
  close(): Promise<void>;
}

/** A picture as the camera delivers it. */
export interface Frame {
  readonly jpeg: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface FrameSource {
  /** Rejects with CAMERA_FAILED or CAMERA_PROGRAM_MISSING. */
  grab(): Promise<Frame>;
}

/** SMBus carries no more in one block (SMBus 2.0, 5.5.7), and no sensor here needs more. */
const MAX_BYTES = 32;

/** Throws a RangeError for a plain transfer of no bytes, or of more than 32. */
export function assertTransferable(length: number): void {
  if (Number.isInteger(length) && length >= 1 && length <= MAX_BYTES) return;
  throw new RangeError(`a transfer has 1 to ${MAX_BYTES} bytes, not ${length}`);
}

/** Throws PULSE_INVALID or PULSE_TOO_LONG. `duration` may come from outside. `name` is for messages. */
export function assertPulse(name: string, duration: Millis, ceiling: Millis): void {
  if (typeof duration !== "number" || !(duration > 0))
    throw new DriverError("PULSE_INVALID", `${name} was asked for a pulse of ${duration} ms`);
  if (duration <= ceiling) return;
  throw new DriverError(
    "PULSE_TOO_LONG",
    `${name} was asked for ${duration / 1000} s, its longest pulse is ${ceiling / 1000} s`,
  );
}
