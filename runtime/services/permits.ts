import type { Board } from "../../drivers/open-board.js";
import type { Clock } from "../../drivers/ports.js";
import { TendrilError } from "../errors.js";
import type { GroundTruth, StandingFault } from "../safety/status-check.js";
import type { WetLimit } from "../safety/wet-soil.js";
import { fittedParts } from "./fitted.js";
import type { Inputs } from "./inputs/inputs.js";
import type { LightLedger } from "./light/ledger.js";
import type { LightPermits } from "./light/service.js";
import type { MoistureService, Observed } from "./moisture/service.js";
import type { SoilWatch } from "./moisture/soil-watch.js";
import { type Control, locks } from "./people/control.js";
import type { PlantStatusService } from "./plant-status/service.js";
import type { WaterLedger } from "./water/ledger.js";
import type { ResponseWatch } from "./water/response-watch.js";
import type { WaterPermits } from "./water/service.js";

interface Authorities {
  /** Throws where another runtime may own the ledger. */
  readonly assertOwned: () => Promise<void>;
  readonly board: Pick<Board, "interlock">;
  readonly control: Control;
  readonly inputs: Inputs;
  readonly status: PlantStatusService;
}

/**
 * What must agree before water flows: holds, faults, leak sensors and tanks, the interlock, a probe that answers, soil that
 * is not wet and has answered earlier doses, and the gate.
 */
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
    assertNotHeld,
    inTheWay: (plant) => inputs.inTheWay(plant, "pump") ?? board.interlock?.trouble()?.what,
    assertMayWater: async (plant, ml, { confirmed }) => {
      await assertOwned();
      assertNotHeld(plant);
      // of this very dose: several within a minute would all go by the reading before the first of them
      const { percent } = await moisture.read(plant);
      const limit = confirmed === "SOIL_WET" ? undefined : soil.limit(plant);
      if (limit) assertNotWet(plant, percent, limit);
      await watch.assertMayPour(plant, ml, limit?.percent);
      assertNotHeld(plant);
    },
    cycleFor: (plant, ml, call) => status.cycleFor(plant, { ml }, call),
  };
}

function assertNotWet(plant: string, percent: number, { percent: limit, from }: WetLimit): void {
  if (percent <= limit) return;
  const details = { percent, limit_percent: limit, limit_from: from };
  const what = `the soil of ${plant} reads ${percent} %, and above ${limit} % (${from}) no water flows`;
  throw new TendrilError("SOIL_WET", what, { details });
}

/** What must agree before a light goes on: the state folder is ours; holds, a stop button, the interlock and the gate. */
export function lightPermits({ assertOwned, board, control, inputs, status }: Authorities): LightPermits {
  const assertNotHeld = (plant: string) => {
    control.assertMayActivate(plant, "light");
    inputs.assertMayActivate(plant, "light");
    board.interlock?.assertReady();
  };
  return {
    assertNotHeld,
    assertMayLight: async (plant) => {
      await assertOwned();
      assertNotHeld(plant);
    },
    cycleFor: (plant, lightMinutes, call) => status.cycleFor(plant, { lightMinutes }, call),
  };
}

export interface Sources {
  readonly clock: Clock;
  readonly board: Pick<Board, "plants" | "interlock">;
  readonly inputs: Inputs;
  readonly moisture: MoistureService;
  readonly ledger: WaterLedger;
  readonly lightLedger: LightLedger;
  readonly control: Control;
  readonly soil: SoilWatch;
}

/** What the runtime itself knows of a plant, for the check of a status. */
export function groundTruth(
  plant: string,
  { clock, board, moisture, ledger, lightLedger, control, inputs, soil }: Sources,
): GroundTruth {
  const { pump: canWater, light: canLight } = fittedParts(board, plant);
  const light = lightLedger.status(plant);
  const last = moisture.last(plant);
  return {
    nowWall: clock.now(),
    recentReadings: moisture.recent(plant).map(rawOf),
    lastGoodReading: last && rawOf(last),
    probeFaulty: moisture.fault(plant) !== undefined,
    soilPercent: last?.percent,
    wetLimit: soil.limit(plant),
    waterUsed24h: ledger.used(plant),
    lightToday: light.light_today,
    remainingMl: ledger.remaining(plant),
    lightMinutesUntilAvailable: light.minutes_until_available,
    lightOn: light.status === "on",
    hold: control.hold(plant)?.reason,
    faults: standingFaults(plant, control, inputs, board),
    lacks: [...(canWater ? [] : (["water"] as const)), ...(canLight ? [] : (["light"] as const))],
  };
}

const rawOf = ({ value: raw, noise, at }: Observed) => ({ raw, noise, at });

/** What is latched, and what an input or the interlock forbids now; a sensor that is still wet is not named beside its own fault. */
function standingFaults(
  plant: string,
  control: Control,
  inputs: Inputs,
  { interlock }: Pick<Board, "interlock">,
): StandingFault[] {
  const latched = control
    .faults(plant)
    .map(({ code, reason }): StandingFault => ({ code, what: reason, forbids: locks(code) }));
  const known = new Set(latched.map(({ code }) => code));
  const trouble = known.has("INTERLOCK") ? undefined : interlock?.trouble();
  return [
    ...latched,
    ...inputs.standing(plant).filter(({ code }) => !known.has(code)),
    ...(trouble ? [{ code: trouble.code, what: trouble.what, forbids: ["water", "light"] as const }] : []),
  ];
}
