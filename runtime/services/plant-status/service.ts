import type { Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { type CycleStatus, decideGate, type OnRequest } from "../../safety/gate.js";
import { stampOf } from "../../safety/stamp.js";
import { checkStatus, type GroundTruth, plannedTotals } from "../../safety/status-check.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../iso-time.js";
import { type Call, mayActAs } from "../tool.js";
import type { PlantStatus, StatusRecord } from "./table.js";

/** What the runtime itself knows, asked for at the moment of the check. */
export interface Witnesses {
  truth(plant: string): GroundTruth;
  spentIn(cycle: number): { readonly ml: number; readonly lightMinutes: number };
}

/** Who holds a plant's care. */
export interface CareView {
  /** The token's name. */
  readonly agent: string;
  /** Which of the agents that share it; null where the client does not say. */
  readonly instance: string | null;
  readonly since: string;
  /** Until then others are turned away, and longer if it writes another status. */
  readonly until: string;
}

interface StatusLine {
  readonly id: number;
  readonly record: StatusRecord;
}

const NOT_WRITTEN_YET = 0;

/** Statuses older than the longest cycle open nothing: so many are looked through at start. */
const REMEMBERED = 500;

/** The gate: kept per plant and agent (its token, never its connection), durable, and over by itself after a while. */
export class PlantStatusService {
  private readonly latest = new Map<string, StatusLine>();

  private constructor(
    private readonly log: RecordLog<StatusRecord, StatusRecord>,
    private readonly witnesses: Witnesses,
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {}

  static async open(
    log: RecordLog<StatusRecord, StatusRecord>,
    witnesses: Witnesses,
    clock: Clock,
    maxAge: Millis,
  ): Promise<PlantStatusService> {
    const service = new PlantStatusService(log, witnesses, clock, maxAge);
    for (const line of (await log.newestFirst(REMEMBERED, 0)).reverse()) service.keep(line);
    return service;
  }

  /** Checks a status against the runtime's own figures; a cleared one opens a cycle, a refused one ends the last. */
  async write(
    plant: string,
    status: PlantStatus,
    call: Call,
  ): Promise<{ proceed: true } | { proceed: false; reason: string }> {
    const problems = checkStatus(status, this.witnesses.truth(plant));
    const reason = problems.length > 0 ? problems.join(" ") : null;
    const stamp = stampOf(this.clock);
    const { ml, lightMinutes } = plannedTotals(status.next_action_sequence);
    const verdict = {
      timestamp: isoUtc(stamp.wall_ms),
      plant,
      agent: call.identity.name,
      proceed: reason === null,
      reason,
      status,
      planned_ml: ml,
      planned_light_minutes: lightMinutes,
      stamp,
    };
    // the last cycle ends with this status, not with its reaching the disk
    this.keep({ id: NOT_WRITTEN_YET, record: { ...verdict, proceed: false } });
    this.keep(await this.log.append(verdict));
    return reason === null ? { proceed: true } : { proceed: false, reason };
  }

  /** The cleared cycle that has room for the request; undefined for a person, who needs none. Throws the gate's refusal. */
  cycleFor(plant: string, request: OnRequest, { identity }: Call): number | undefined {
    if (mayActAs(identity.role, "human")) return undefined;
    const latest = this.latest.get(gateOf(plant, identity.name));
    const decision = decideGate({
      status: latest && cycleOf(latest),
      spent: latest ? this.witnesses.spentIn(latest.id) : { ml: 0, lightMinutes: 0 },
      request,
      now: stampOf(this.clock),
      maxAge: this.maxAge,
    });
    if (decision.ok) return decision.cycle;
    const { code, what, details } = decision;
    throw new TendrilError(code, `${plant}: ${what}`, { ...(details && { details }) });
  }

  /** The last status anybody wrote of the plant. */
  last(plant: string): StatusRecord | undefined {
    const ofPlant = [...this.latest.values()].filter(({ record }) => record.plant === plant);
    return ofPlant.sort((a, b) => a.id - b.id).at(-1)?.record;
  }

  /** Who holds the plant's care, and until when others are turned away. */
  care(_plant: string): CareView | undefined {
    return undefined;
  }

  private keep(line: StatusLine): void {
    this.latest.set(gateOf(line.record.plant, line.record.agent), line);
  }
}

const gateOf = (plant: string, agent: string) => `${plant}/${agent}`;

const cycleOf = ({ id, record }: StatusLine): CycleStatus => ({
  id,
  proceed: record.proceed,
  stamp: record.stamp,
  plannedMl: record.planned_ml,
  plannedLightMinutes: record.planned_light_minutes,
});
