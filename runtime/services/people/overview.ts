import type { InterlockView } from "../../../drivers/devices/interlock/panel.js";
import type { Board, InputKind } from "../../../drivers/open-board.js";
import type { ApprovalView } from "../approvals/approvals.js";
import { type FittedParts, fittedParts } from "../fitted.js";
import type { LightService } from "../light/service.js";
import { type MoistureService, publicReading } from "../moisture/service.js";
import type { SoilWatch } from "../moisture/soil-watch.js";
import type { CareView } from "../plant-status/care.js";
import type { CareWatch, UncaredView } from "../plant-status/care-watch.js";
import type { PlantStatusService } from "../plant-status/service.js";
import type { StatusRecord } from "../plant-status/table.js";
import type { WaterService } from "../water/service.js";
import type { Control } from "./control.js";

/** The services that know something of a plant. */
export interface Witnesses {
  readonly moisture: MoistureService;
  readonly soil: Pick<SoilWatch, "limit">;
  readonly water: WaterService;
  readonly light: LightService;
  readonly control: Control;
  readonly status: PlantStatusService;
  readonly careWatch: CareWatch;
  readonly board: Pick<Board, "plants">;
}

export interface PlantOverview {
  readonly plant: string;
  readonly name: string;
  /** As configured; null where nobody said. */
  readonly species: string | null;
  readonly moisture: Record<string, unknown> | null;
  readonly probe_fault: Record<string, unknown> | null;
  readonly water: {
    used_ml: number;
    remaining_ml: number;
    events: number;
    pouring: boolean;
    /** Percent above which no water flows, and where that figure is from; null: there is no such limit. */
    not_above: { percent: number; from: "configured" | "fitted" | "default" } | null;
  };
  readonly light: Readonly<Record<string, unknown>>;
  readonly hold: Record<string, unknown> | null;
  /** The oldest of the faults. */
  readonly fault: Record<string, unknown> | null;
  readonly faults: Record<string, unknown>[];
  readonly fitted: FittedParts;
  /** Who holds the plant's care, and until when; null: nobody. */
  readonly care: CareView | null;
  /** Null while somebody completes a care of it often enough. */
  readonly uncared: UncaredView | null;
  readonly last_status: Record<string, unknown> | null;
}

/** A button, a leak sensor or a tank's level. */
export interface InputView {
  readonly kind: InputKind;
  readonly name: string;
  readonly plants: string[];
  readonly active: boolean;
}

export interface Overview {
  readonly timestamp: string;
  /** Time zone of the house. */
  readonly zone: string;
  readonly board: string;
  /** What a person should know of the machine itself: a journal that was damaged, a database made anew. */
  readonly warnings: string[];
  /** Null where none is wired. */
  readonly interlock: InterlockView | null;
  readonly inputs: InputView[];
  /** Calls of agents that wait for a person's yes. */
  readonly approvals: ApprovalView[];
  readonly plants: PlantOverview[];
}

/** What the configuration says of a plant. */
export interface PlantNamed {
  readonly id: string;
  readonly name?: string | undefined;
  readonly species?: string | undefined;
}

/** Everything at a glance, from what is in memory: nothing is read from a sensor. */
export function plantOverview(
  witnesses: Witnesses,
  { id: plant, name = plant, species }: PlantNamed,
): PlantOverview {
  const { moisture, soil, water, light, control, status, careWatch, board } = witnesses;
  const reading = moisture.last(plant);
  return {
    plant,
    name,
    species: species ?? null,
    moisture: reading ? publicReading(reading) : null,
    probe_fault: copy(moisture.fault(plant)),
    water: { ...water.usage(plant), pouring: water.isPouring(plant), not_above: notAbove(soil, plant) },
    light: { ...light.status(plant) },
    hold: copy(control.hold(plant)),
    fault: copy(control.faults(plant)[0]),
    faults: control.faults(plant).map((fault) => ({ ...fault })),
    fitted: fittedParts(board, plant),
    care: status.care(plant) ?? null,
    uncared: careWatch.uncared(plant),
    last_status: lastStatus(status.last(plant)),
  };
}

function notAbove(soil: Witnesses["soil"], plant: string): PlantOverview["water"]["not_above"] {
  const limit = soil.limit(plant);
  return limit ? { ...limit } : null;
}

const copy = (value: object | undefined): Record<string, unknown> | null => (value ? { ...value } : null);

function lastStatus(record: StatusRecord | undefined): Record<string, unknown> | null {
  if (!record) return null;
  const { timestamp, agent, proceed, reason, status } = record;
  const { plant_state, reasoning, next_action_sequence } = status;
  return { timestamp, agent, proceed, reason, plant_state, reasoning, next_action_sequence };
}
