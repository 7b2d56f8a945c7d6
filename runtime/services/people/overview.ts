import { publicReading } from "../moisture/service.js";
import type { Services } from "../services.js";

export interface PlantOverview {
  readonly plant: string;
  readonly name: string;
  readonly moisture: Record<string, unknown> | null;
  readonly probe_fault: Record<string, unknown> | null;
  readonly water: { used_ml: number; remaining_ml: number; events: number; pouring: boolean };
  readonly light: Readonly<Record<string, unknown>>;
  readonly hold: Record<string, unknown> | null;
  readonly fault: Record<string, unknown> | null;
  readonly last_status: Record<string, unknown> | null;
}

export interface Overview {
  readonly timestamp: string;
  readonly board: string;
  /** What a person should know of the machine itself: a journal that was damaged, a database made anew. */
  readonly warnings: string[];
  readonly plants: PlantOverview[];
}

/** Everything at a glance, from what is in memory: nothing is read from a sensor. */
export function plantOverview(services: Services, plant: string, name: string): PlantOverview {
  const { moisture, water, light, control, status } = services;
  const reading = moisture.last(plant);
  return {
    plant,
    name,
    moisture: reading ? publicReading(reading) : null,
    probe_fault: copy(moisture.fault(plant)),
    water: { ...water.usage(plant), pouring: water.isPouring(plant) },
    light: { ...light.status(plant) },
    hold: copy(control.hold(plant)),
    fault: copy(control.fault(plant)),
    last_status: lastStatus(status.last(plant)),
  };
}

const copy = (value: object | undefined): Record<string, unknown> | null => (value ? { ...value } : null);

function lastStatus(record: ReturnType<Services["status"]["last"]>): Record<string, unknown> | null {
  if (!record) return null;
  const { timestamp, agent, proceed, reason, status } = record;
  const { plant_state, reasoning, next_action_sequence } = status;
  return { timestamp, agent, proceed, reason, plant_state, reasoning, next_action_sequence };
}
