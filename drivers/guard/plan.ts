import type { InputKind } from "../board.js";
import type { Millis } from "../units.js";

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

/** All that a guard needs to know; it is handed over on its command line and holds no secret. */
export interface GuardPlan {
  readonly outputs: readonly OutputPlan[];
  readonly inputs: readonly InputPlan[];
}

/** A parent that has been silent for so long gets its outputs switched off. */
export const LEASE = 2000 as Millis;
/** So often the parent gives a sign of life. */
export const BEAT = 400 as Millis;
/** An order to switch on that is older than this is not carried out: who asked may have given up on it. */
export const FRESH = 500 as Millis;
