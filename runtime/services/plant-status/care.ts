import type { Clock } from "../../../drivers/ports.js";
import { type Millis, millis } from "../../../drivers/units.js";
import { elapsed, stampOf } from "../../safety/stamp.js";
import { isoUtc } from "../iso-time.js";
import type { StatusRecord } from "./table.js";

/** Who holds a plant's care. */
export interface CareView {
  /** The token's name. */
  readonly agent: string;
  /** Which of the agents that share it; null where the client does not say. */
  readonly instance: string | null;
  /** When it wrote its last status. */
  readonly status_at: string;
  /** Until then others are turned away, and longer if it writes another status. */
  readonly until: string;
}

/** An agent among others: its token, and its own name where several share that. */
export interface AgentName {
  readonly agent: string;
  readonly instance?: string | undefined;
}

/** By plant, the status with which an agent last took its care: it lasts as long as a cycle that the status may have opened. */
export class Care {
  private readonly holders = new Map<string, StatusRecord>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {}

  keep(record: StatusRecord): void {
    if (record.care === "taken") this.holders.set(record.plant, record);
  }

  /** Nobody's where the last status is too old, or its age cannot be proved. */
  of(plant: string): CareView | undefined {
    const record = this.holders.get(plant);
    if (!record) return undefined;
    const { atLeast, certain } = elapsed(record.stamp, stampOf(this.clock));
    if (!certain || atLeast > this.maxAge) return undefined;
    const until = isoUtc(this.clock.now() + millis(this.maxAge - atLeast));
    return { agent: record.agent, instance: record.instance ?? null, status_at: record.timestamp, until };
  }

  /** What an agent is told who comes while another one cares for the plant. */
  turnsAway(plant: string, { agent, instance }: AgentName): string | undefined {
    const holder = this.of(plant);
    if (!holder || (holder.agent === agent && holder.instance === (instance ?? null))) return undefined;
    const name = holder.instance === null ? holder.agent : `${holder.agent} (${holder.instance})`;
    return `${plant} is cared for by ${name} until ${holder.until}. Leave its care to that agent and end this cycle; reading and logging are free.`;
  }
}
