import { switchedNothing } from "../../drivers/errors.js";
import type { Board } from "../../drivers/open-board.js";
import { TendrilError } from "../errors.js";
import type { WetLimit } from "../safety/wet-soil.js";
import type { Call } from "../tools/tool.js";
import type { Inputs } from "./inputs/inputs.js";
import type { MoistureService } from "./moisture/service.js";
import type { SoilWatch } from "./moisture/soil-watch.js";
import type { Control } from "./people/control.js";
import type { Caring, PlantStatusService } from "./plant-status/service.js";
import { WATER_ERRORS } from "./water/declarations.js";
import type { ResponseWatch } from "./water/response-watch.js";

/** Everything that must agree before water flows. Each check throws its own error. */
export interface WaterPermits {
  /** Hold, latched faults, leak sensors and tanks, the interlock, a probe that answers, dry soil that has answered earlier doses. */
  assertMayWater(plant: string, ml: number, call: Pick<Call, "confirmed">): Promise<void>;
  /** The cycle of this dose; undefined for a person. Throws the gate's refusal. */
  cycleFor(plant: string, ml: number, call: Caring): number | undefined;
  /**
   * Checks again, synchronously, right before the pulse, what may have changed since the order was admitted. An interlock lets
   * a pump rest first: then once more after that.
   */
  assertStill(order: Admitted, call: Call): void;
  /** The button or sensor that keeps the pump off now, as a clause. */
  inTheWay(plant: string): string | undefined;
}

/** Whether a pump or light that was never on has refused the order: by the driver, or by the check before it. */
export const isRefusal = (error: unknown): boolean => error instanceof TendrilError || switchedNothing(error);

/** An order that is on the disk. */
interface Admitted {
  readonly plant: string;
  readonly cycle?: number;
}

export interface LightPermits {
  /** The state folder is still ours; no hold, no stop button. */
  assertMayLight(plant: string): Promise<void>;
  /** The cycle of this light; undefined for a person. Throws the gate's refusal. */
  cycleFor(plant: string, minutes: number, call: Caring): number | undefined;
  /** Checks again, synchronously, right before the light goes on, what may have changed since the order was admitted. */
  assertStill(order: Admitted, call: Call): void;
}

interface Authorities {
  /** Throws if another runtime may own the ledger. */
  readonly assertOwned: () => Promise<void>;
  readonly board: Pick<Board, "interlock">;
  readonly control: Control;
  readonly inputs: Inputs;
  readonly status: PlantStatusService;
}

export function waterPermits({
  assertOwned,
  board,
  control,
  inputs,
  status,
  moisture,
  watch,
  soil,
}: Authorities & {
  readonly moisture: MoistureService;
  readonly watch: ResponseWatch;
  readonly soil: SoilWatch;
}): WaterPermits {
  const assertNotHeld = (plant: string) => {
    control.assertMayActivate(plant, "water");
    inputs.assertMayActivate(plant, "pump");
    board.interlock?.assertReady();
  };
  return {
    assertStill: stillWith(assertNotHeld, status),
    inTheWay: (plant) => inputs.inTheWay(plant, "pump") ?? board.interlock?.trouble()?.what,
    assertMayWater: async (plant, ml, { confirmed }) => {
      await assertOwned();
      assertNotHeld(plant);
      // a new reading for each dose: without it, several doses within a minute would all use the one before the first
      const { percent } = await moisture.readForDose(plant);
      const limit = confirmed === "SOIL_WET" ? undefined : soil.limit(plant);
      if (limit) assertNotWet(plant, percent, limit);
      await watch.assertMayPour(plant, ml, limit?.percent);
      assertNotHeld(plant);
    },
    cycleFor: (plant, ml, call) => status.cycleFor(plant, { ml }, call),
  };
}

/** The order may have waited, for the disk or for the interlock. Whatever was forbidden meanwhile stops it. */
const stillWith =
  (assertNotHeld: (plant: string) => void, status: PlantStatusService) =>
  ({ plant, cycle }: Admitted, call: Call): void => {
    assertNotHeld(plant);
    call.assertStands();
    status.assertStillOpen(plant, cycle, call);
  };

function assertNotWet(plant: string, percent: number, { percent: limit, from }: WetLimit): void {
  if (percent <= limit) return;
  const details = { percent, limit_percent: limit, limit_from: from };
  const what = `the soil of ${plant} reads ${percent} %, and above ${limit} % (${from}) no water flows`;
  throw new TendrilError(WATER_ERRORS.SOIL_WET, what, { details });
}

/** What must agree before a light goes on: ownership of the state folder, holds, stop button, interlock and gate. */
export function lightPermits({ assertOwned, board, control, inputs, status }: Authorities): LightPermits {
  const assertNotHeld = (plant: string) => {
    control.assertMayActivate(plant, "light");
    inputs.assertMayActivate(plant, "light");
    board.interlock?.assertReady();
  };
  return {
    assertStill: stillWith(assertNotHeld, status),
    assertMayLight: async (plant) => {
      await assertOwned();
      assertNotHeld(plant);
    },
    cycleFor: (plant, lightMinutes, call) => status.cycleFor(plant, { lightMinutes }, call),
  };
}
