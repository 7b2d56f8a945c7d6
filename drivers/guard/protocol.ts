import type { DriverErrorCode, TroubleFacts } from "../errors.js";
import type { InputKind } from "../inputs.js";
import type { Millis } from "../units.js";

/** What the parent asks of the guard: one JSON object a line. `id` comes back in the answer. */
export type Order =
  | {
      readonly do: "on";
      readonly id: number;
      readonly output: string;
      readonly for: Millis;
      /** Monotonic instant at which it was asked: an order that lay in the pipe for too long is not carried out. */
      readonly sent: Millis;
    }
  /** Without an output: everything. */
  | { readonly do: "off"; readonly id: number; readonly output?: string }
  | { readonly do: "beat"; readonly id: number };

/** `lease`: the parent fell silent. `input`: a button or sensor. */
export type EndedBy = "elapsed" | "order" | "lease" | "input";

/** What the guard tells its parent. All instants are CLOCK_MONOTONIC in milliseconds, the same for all processes. */
export type Report =
  /** `rss`: resident memory in bytes. */
  | { readonly is: "ready"; readonly active: readonly string[]; readonly rss: number }
  | { readonly is: "on"; readonly id: number; readonly output: string; readonly at: Millis }
  | {
      readonly is: "off";
      /** Of the order that switched it on. */
      readonly id: number;
      readonly output: string;
      readonly at: Millis;
      readonly onFor: Millis;
      readonly by: EndedBy;
    }
  | {
      readonly is: "refused";
      readonly id: number;
      readonly code: DriverErrorCode;
      readonly what: string;
    }
  /** Everything that the order "off" named is off. */
  | { readonly is: "done"; readonly id: number }
  | { readonly is: "beat"; readonly id: number }
  | { readonly is: "input"; readonly name: string; readonly active: boolean }
  | {
      readonly is: "trouble";
      readonly code: DriverErrorCode;
      readonly what: string;
      readonly facts?: TroubleFacts;
    };

export const encode = (message: Order | Report): string => `${JSON.stringify(message)}\n`;

/** Longer than any message: more without a line's end is garbage. */
const LONGEST_LINE = 65_536;

/** Cuts what comes out of a pipe into messages. Throws a SyntaxError on garbage. */
export class Lines {
  private rest = "";

  *take<T extends Order | Report>(chunk: string): Generator<T> {
    const parts = (this.rest + chunk).split("\n");
    this.rest = parts.pop() ?? "";
    if (this.rest.length > LONGEST_LINE) throw new SyntaxError("a line without an end");
    for (const line of parts) yield parse(line) as T;
  }
}

function parse(line: string): object {
  const message: unknown = JSON.parse(line);
  if (typeof message === "object" && message !== null && !Array.isArray(message)) return message;
  throw new SyntaxError("a line that is no message");
}

/** How the guard reaches a relay. */
export type LinePlan =
  | {
      readonly via: "led";
      /** Folder of the LED-class device: /sys/class/leds/NAME. */
      readonly path: string;
    }
  | {
      readonly via: "sysfs";
      /** The kernel's own number of the line, not the BCM number. */
      readonly number: number;
      readonly activeLow: boolean;
    }
  | { readonly via: "pigpio"; readonly gpio: number; readonly activeLow: boolean };

export interface OutputPlan {
  /** "basil-pump"; also what messages call it. */
  readonly name: string;
  /** Longer pulses are refused. */
  readonly ceiling: Millis;
  readonly line: LinePlan;
}

export interface InputPlan {
  readonly name: string;
  readonly kind: InputKind;
  /** The kernel's own number of the line. */
  readonly number: number;
  readonly activeLow: boolean;
  /** Names of the outputs that are kept off while the input is active. */
  readonly inhibits: readonly string[];
}

/** All that a guard needs to know. It is passed on the command line and holds no secret. */
export interface GuardPlan {
  readonly outputs: readonly OutputPlan[];
  readonly inputs: readonly InputPlan[];
}

/** The guard switches everything off after this long without a sign of life of its parent. */
export const LEASE = 2000 as Millis;
/** How often the parent gives a sign of life. */
export const BEAT = 400 as Millis;
/** An order to switch on that is older than this is refused: the caller may have given up on it. */
export const FRESH = 500 as Millis;
