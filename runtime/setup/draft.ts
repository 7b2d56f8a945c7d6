import type { Level } from "../../drivers/pi/inspect/pins.js";

/** A relay as it will be configured. */
export interface DraftRelay {
  readonly gpio: number;
  readonly onWhen: Level;
}

export interface DraftPlant {
  readonly id: string;
  readonly name?: string;
  readonly species?: string;
  readonly probe: { readonly address: number; readonly channel?: number };
  readonly pump?: DraftRelay & { readonly flow?: number };
  readonly light?: DraftRelay;
  readonly camera?: DraftCamera;
}

export type DraftCamera =
  | { readonly program: "rpicam-still" | "libcamera-still"; readonly index: number }
  | { readonly program: "fswebcam"; readonly device: string };

export interface DraftInput {
  readonly kind: "stop" | "leak" | "tank";
  readonly name: string;
  readonly gpio: number;
  readonly activeWhen: Level;
}

/** Everything that the configuration will say, settled. */
export interface Draft {
  readonly board: "pi" | "bench";
  readonly plants: readonly DraftPlant[];
  readonly inputs: readonly DraftInput[];
  /** Sensors of the air. */
  readonly climate?: readonly { readonly place: string; readonly address: number }[];
  /** The serial port of an interlock. */
  readonly interlock?: string;
  /** The name by which the house reaches this computer; without it, only this computer itself does. */
  readonly houseName?: string;
}

/** An answer that is missing or cannot be. `key`: where it belongs in a file of answers. */
export interface Problem {
  readonly key: string;
  readonly what: string;
}
