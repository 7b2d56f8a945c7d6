import type { Board } from "../../../drivers/open-board.js";
import type { Clock } from "../../../drivers/ports.js";
import { devicesOf } from "../../plants.js";
import type { ActiveFault, GroundTruth } from "../../safety/status-check.js";
import type { NotifiedObstacle } from "../../wire/notifications.js";
import type { Inputs } from "../inputs/inputs.js";
import type { LightLedger } from "../light/ledger.js";
import type { MoistureService, Observed } from "../moisture/service.js";
import type { SoilWatch } from "../moisture/soil-watch.js";
import { type Control, LOCKS } from "../people/control.js";
import type { WaterLedger } from "../water/ledger.js";

interface Sources {
  readonly clock: Clock;
  readonly board: Pick<Board, "plants" | "interlock">;
  readonly inputs: Inputs;
  readonly moisture: MoistureService;
  readonly ledger: WaterLedger;
  readonly lightLedger: LightLedger;
  readonly control: Control;
  readonly soil: SoilWatch;
}

/** The runtime's own knowledge of a plant, for the check of a status. */
export function groundTruth(
  plant: string,
  { clock, board, moisture, ledger, lightLedger, control, inputs, soil }: Sources,
): GroundTruth {
  const { pump: canWater, light: canLight } = devicesOf(board, plant);
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
    faults: activeFaults(plant, control, inputs, board),
    lacks: [...(canWater ? [] : (["water"] as const)), ...(canLight ? [] : (["light"] as const))],
  };
}

const rawOf = ({ value: raw, noise, at }: Observed) => ({ raw, noise, at });

/** Latched faults, and what an input or the interlock forbids now. A wet sensor with a latched fault is named once. */
function activeFaults(
  plant: string,
  control: Control,
  inputs: Inputs,
  { interlock }: Pick<Board, "interlock">,
): ActiveFault[] {
  const latched = control
    .faults(plant)
    .map(({ code, reason }): ActiveFault => ({ code, what: reason, forbids: LOCKS[code] }));
  const known = new Set(latched.map(({ code }) => code));
  const trouble = known.has("INTERLOCK") ? undefined : interlock?.trouble();
  return [
    ...latched,
    ...inputs.standing(plant).filter(({ code }) => !known.has(code)),
    ...(trouble ? [{ code: trouble.code, what: trouble.what, forbids: ["water", "light"] as const }] : []),
  ];
}

interface ObstacleSources {
  readonly control: Pick<Control, "hold" | "faults">;
  readonly inputs: Pick<Inputs, "against">;
  readonly moisture: Pick<MoistureService, "fault">;
  readonly board: Pick<Board, "plants" | "interlock">;
}

/**
 * While there is an obstacle, the plant dries whatever a status says, so nothing counts as care. A plant without a pump
 * gets no water from here, so only a hold counts for it.
 */
export function obstacleTo(plant: string, sources: ObstacleSources): NotifiedObstacle | undefined {
  const hold = sources.control.hold(plant);
  if (hold) return { kind: "hold", since: hold.since, reason: hold.reason };
  return devicesOf(sources.board, plant).pump ? waterObstacle(plant, sources) : undefined;
}

function waterObstacle(
  plant: string,
  { control, inputs, moisture, board }: ObstacleSources,
): NotifiedObstacle | undefined {
  const fault = control.faults(plant).find(({ code }) => LOCKS[code].includes("water"));
  if (fault) return { kind: "fault", since: fault.since, code: fault.code };
  const probe = moisture.fault(plant);
  if (probe) return { kind: "probe", since: probe.since, code: probe.code };
  const input = inputs.against(plant, "pump");
  if (input) return { kind: "input", input: input.name, is: input.kind };
  const trouble = board.interlock?.trouble();
  return trouble && { kind: "interlock", code: trouble.code };
}
