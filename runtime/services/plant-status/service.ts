import type { Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { type CycleStatus, decideGate, type OnRequest, openCycle } from "../../safety/gate.js";
import { stampOf } from "../../safety/stamp.js";
import { checkStatus, type GroundTruth, plannedTotals } from "../../safety/status-check.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../iso-time.js";
import { type Call, mayActAs } from "../tool.js";
import { Care, type CareView } from "./care.js";
import { Gates } from "./gates.js";
import type { PlantStatus, StatusRecord } from "./table.js";

/** What the runtime itself knows, asked for at the moment of the check. */
export interface Witnesses {
  truth(plant: string): GroundTruth;
  spentIn(cycle: number): { readonly ml: number; readonly lightMinutes: number };
}

interface StatusLine {
  readonly id: number;
  readonly record: StatusRecord;
}

const NOT_WRITTEN_YET = 0;

/** Statuses older than the longest cycle open nothing: so many are looked through at start. */
const REMEMBERED = 500;

/**
 * The gate: kept per plant and agent (its token, and its own name where it gives one; never its connection), durable,
 * and over by itself after a while. One agent at a time holds a plant's care.
 */
export class PlantStatusService {
  private readonly gates: Gates;
  /** By plant, the last by anybody who was not turned away. */
  private readonly lasts = new Map<string, StatusLine>();
  private readonly carers: Care;

  private constructor(
    private readonly log: RecordLog<StatusRecord, StatusRecord>,
    private readonly witnesses: Witnesses,
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {
    this.gates = new Gates(clock, maxAge);
    this.carers = new Care(clock, maxAge);
  }

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

  /**
   * Checks a status against the runtime's own figures; a cleared one opens a cycle, a refused one ends the agent's last.
   * It takes the plant's care, unless another agent holds that: then it is turned away, and the other's cycle goes on.
   */
  async write(
    plant: string,
    status: PlantStatus,
    call: Call,
  ): Promise<{ proceed: true } | { proceed: false; reason: string }> {
    const { name: agent, role } = call.identity;
    const who = { agent, ...(call.instance !== undefined && { instance: call.instance }) };
    const isPerson = mayActAs(role, "human");
    const turnedAway = isPerson ? undefined : this.carers.turnsAway(plant, who);
    const problems = turnedAway ? [turnedAway] : checkStatus(status, this.witnesses.truth(plant));
    const reason = problems.length > 0 ? problems.join(" ") : null;
    const stamp = stampOf(this.clock);
    const { ml, lightMinutes } = plannedTotals(status.next_action_sequence);
    const verdict = {
      timestamp: isoUtc(stamp.wall_ms),
      plant,
      ...who,
      ...(!isPerson && { care: turnedAway ? ("turned_away" as const) : ("taken" as const) }),
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
  cycleFor(plant: string, request: OnRequest, { identity, instance }: Call): number | undefined {
    if (mayActAs(identity.role, "human")) return undefined;
    const status = this.gates.of(gateOf(plant, identity.name, instance));
    const decision = decideGate({
      status,
      spent: status ? this.witnesses.spentIn(status.id) : { ml: 0, lightMinutes: 0 },
      request,
      now: stampOf(this.clock),
      maxAge: this.maxAge,
    });
    if (decision.ok) return decision.cycle;
    const { code, what, details } = decision;
    throw new TendrilError(code, `${plant}: ${what}`, { ...(details && { details }) });
  }

  /** The agent's cleared cycle of the plant and the time that is left of it; undefined where none is open. */
  openCycle(plant: string, { identity, instance }: Call): { id: number; left: Millis } | undefined {
    const cycle = openCycle({
      status: this.gates.of(gateOf(plant, identity.name, instance)),
      now: stampOf(this.clock),
      maxAge: this.maxAge,
    });
    return "ok" in cycle ? undefined : { id: cycle.status.id, left: cycle.left };
  }

  /** The last status of the plant by anybody who was not turned away. */
  last(plant: string): StatusRecord | undefined {
    return this.lasts.get(plant)?.record;
  }

  /** Who holds the plant's care, and until when others are turned away. */
  care(plant: string): CareView | undefined {
    return this.carers.of(plant);
  }

  private keep(line: StatusLine): void {
    const { plant, agent, instance, care } = line.record;
    this.gates.keep(gateOf(plant, agent, instance), cycleOf(line));
    if (care !== "turned_away" && line.id > (this.lasts.get(plant)?.id ?? NOT_WRITTEN_YET))
      this.lasts.set(plant, line);
    this.carers.keep(line.record);
  }
}

const gateOf = (plant: string, agent: string, instance = "") => `${plant}/${agent}/${instance}`;

const cycleOf = ({ id, record }: StatusLine): CycleStatus => ({
  id,
  proceed: record.proceed,
  stamp: record.stamp,
  plannedMl: record.planned_ml,
  plannedLightMinutes: record.planned_light_minutes,
});
