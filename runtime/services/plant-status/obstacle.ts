import type { Board } from "../../../drivers/open-board.js";
import type { NotifiedObstacle } from "../../wire/notifications.js";
import { fittedParts } from "../fitted.js";
import type { Inputs } from "../inputs/inputs.js";
import type { MoistureService } from "../moisture/service.js";
import { type Control, locks } from "../people/control.js";

/** Something that keeps everybody from completing a care. */
export type Obstacle = NotifiedObstacle;

export interface ObstacleSources {
  readonly control: Pick<Control, "hold" | "faults">;
  readonly inputs: Pick<Inputs, "inTheWay">;
  readonly moisture: Pick<MoistureService, "fault">;
  readonly board: Pick<Board, "plants" | "interlock">;
}

/**
 * While there is one, the plant dries whatever a status says: so nothing counts as care. Only a hold concerns a plant
 * without a pump, which gets no water from here anyway.
 */
export function obstacleTo(plant: string, sources: ObstacleSources): Obstacle | undefined {
  const hold = sources.control.hold(plant);
  if (hold)
    return {
      kind: "hold",
      what: `${plant} is on hold since ${hold.since} (${hold.reason})`,
    };
  return fittedParts(sources.board, plant).pump ? waterObstacle(plant, sources) : undefined;
}

function waterObstacle(
  plant: string,
  { control, inputs, moisture, board }: ObstacleSources,
): Obstacle | undefined {
  const fault = control.faults(plant).find(({ code }) => locks(code).includes("water"));
  if (fault)
    return {
      kind: "fault",
      what: `its water is locked since ${fault.since} (${fault.code}): ${fault.reason}`,
    };
  const probe = moisture.fault(plant);
  if (probe)
    return {
      kind: "probe",
      what: `its moisture probe is faulty since ${probe.since}, and there is no water without it: ${probe.message}`,
    };
  const what = inputs.inTheWay(plant, "pump") ?? board.interlock?.trouble()?.what;
  return what === undefined ? undefined : { kind: "input", what };
}
