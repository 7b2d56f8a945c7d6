import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { type CycleStatus, decideGate, type OnRequest, openCycle } from "../../safety/gate.js";
import { stampOf } from "../../safety/stamp.js";
import { checkStatus, type GroundTruth, plannedTotals } from "../../safety/status-check.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import { isoUtc } from "../../tools/iso-time.js";
import { taintOf } from "../../tools/taint.js";
import type { Call } from "../../tools/tool.js";
import type { Planned } from "../../wire/approval-words.js";
import { mayActAs } from "../../wire/identity.js";
import { type StatusProblem, statusProblemWords } from "../../wire/status-problems.js";
import { inputs } from "../inputs/inputs.js";
import { lightLedger } from "../light/ledger.js";
import { definePart } from "../module.js";
import { moisture } from "../moisture/service.js";
import { soilWatch } from "../moisture/soil-watch.js";
import { type Control, control } from "../people/control.js";
import { waterLedger } from "../water/ledger.js";
import {
  type AgentName,
  Care,
  type CareView,
  careTaken,
  Gates,
  isHeldBy,
  turnedAwayInWords,
} from "./care.js";
import {
  type PlantStatus,
  STATUS_ERRORS,
  STATUS_LOG,
  type StatusRecord,
  statusConfig,
} from "./declarations.js";
import { groundTruth } from "./ground-truth.js";

/** The runtime's own knowledge at the moment of a check. */
interface StatusSources {
  truth(plant: string): GroundTruth;
  spentIn(cycle: number): { readonly ml: number; readonly lightMinutes: number };
  isToken(name: string): boolean;
  /** The cares that were given up. */
  readonly releases: Pick<Control, "isReleased" | "record">;
}

interface ReleasedCare extends CareView {
  readonly plant: string;
}

/** An agent's cleared cycle. */
interface OpenCycle {
  readonly id: number;
  /** On the plant's clock. */
  readonly left: Millis;
  readonly planned: Planned;
}

type StatusLine = Stored<StatusRecord>;

const NOT_WRITTEN_YET = 0;

/** How many statuses a start reads; older ones than the longest cycle open nothing. */
export const STATUSES_REMEMBERED = 500;

/**
 * The gate. It is durable, and kept by plant and agent: by the token and the agent's own name, never by connection. It
 * closes by itself after a while. One agent at a time cares for a plant.
 */
export class PlantStatusService {
  private readonly gates: Gates;
  /** The last status of each plant that was not turned away. */
  private readonly lasts = new Map<string, StatusLine>();
  private readonly carers: Care;

  private constructor(
    private readonly log: RecordLog<StatusRecord, StatusRecord>,
    private readonly sources: StatusSources,
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {
    this.gates = new Gates(clock, maxAge);
    this.carers = new Care(clock, maxAge, (name) => sources.isToken(name));
  }

  static async open(
    log: RecordLog<StatusRecord, StatusRecord>,
    sources: StatusSources,
    clock: Clock,
    maxAge: Millis,
  ): Promise<PlantStatusService> {
    const service = new PlantStatusService(log, sources, clock, maxAge);
    for (const line of (await log.newestFirst(STATUSES_REMEMBERED, 0)).reverse()) service.remember(line);
    return service;
  }

  /**
   * Checks a status against the runtime's own figures. A cleared one opens a cycle; a refused one ends the agent's last
   * cycle. It takes the plant's care, unless another agent has it: then it is turned away, and that one's cycle goes
   * on.
   */
  async write(
    plant: string,
    status: PlantStatus,
    call: Call,
  ): Promise<{ proceed: true } | { proceed: false; reason: string }> {
    const who = agentOf(call);
    const isPerson = isPersons(call);
    const holder = isPerson ? undefined : this.carers.ofAnother(plant, who);
    const problems = holder ? [] : checkStatus(status, this.sources.truth(plant));
    const reason = holder ? turnedAwayInWords(plant, holder) : refusalWords(problems);
    const stamp = stampOf(this.clock);
    const { ml, lightMinutes } = plannedTotals(status.next_action_sequence);
    const verdict = {
      timestamp: isoUtc(stamp.wall_ms),
      plant,
      ...who,
      ...(!isPerson && { care: holder ? ("turned_away" as const) : ("taken" as const) }),
      proceed: reason === null,
      reason,
      ...(problems.length > 0 && { problems }),
      status,
      planned_ml: ml,
      planned_light_minutes: lightMinutes,
      stamp,
      ...taintOf(call),
    };
    // the last cycle ends now, before this status is on the disk
    this.keep({ id: NOT_WRITTEN_YET, record: { ...verdict, proceed: false } });
    this.keep(await this.log.append(verdict));
    return reason === null ? { proceed: true } : { proceed: false, reason };
  }

  /** The cleared cycle that covers the request; undefined for a person, who needs none. Throws the gate's refusal. */
  cycleFor(plant: string, request: OnRequest, call: Caring): number | undefined {
    if (isPersons(call)) return undefined;
    const status = this.gates.of(gateOf(plant, agentOf(call)));
    const decision = decideGate({
      status,
      spent: status ? this.sources.spentIn(status.id) : { ml: 0, lightMinutes: 0 },
      request,
      now: stampOf(this.clock),
      maxAge: this.maxAge,
    });
    if (decision.ok) return decision.cycle;
    const { code, what, details } = decision;
    const holder = code === "CYCLE_REFUSED" ? this.carers.ofAnother(plant, agentOf(call)) : undefined;
    if (holder) throw careTaken(plant, holder, this.clock.now());
    throw new TendrilError(STATUS_ERRORS[code], `${plant}: ${what}`, { ...(details && { details }) });
  }

  /** The agent's cleared cycle of the plant, its remaining time and its plan; undefined if none is open. */
  openCycle(plant: string, call: Caring): OpenCycle | undefined {
    const cycle = openCycle({
      status: this.gates.of(gateOf(plant, agentOf(call))),
      now: stampOf(this.clock),
      maxAge: this.maxAge,
    });
    if ("ok" in cycle) return undefined;
    const { id, plannedMl: ml, plannedLightMinutes: light_minutes } = cycle.status;
    return { id, left: cycle.left, planned: { ml, light_minutes } };
  }

  /** Throws CYCLE_EXPIRED if the cycle in which an order was admitted is over. */
  assertStillOpen(plant: string, cycle: number | undefined, call: Caring): void {
    if (cycle === undefined || this.openCycle(plant, call)?.id === cycle) return;
    const what = `${plant}: the cycle of this call ended before anything was switched on`;
    throw new TendrilError(STATUS_ERRORS.CYCLE_EXPIRED, what);
  }

  /** The plant's last status that was not turned away. */
  last(plant: string): StatusRecord | undefined {
    return this.lasts.get(plant)?.record;
  }

  /** Who cares for the plant, and until when other agents are refused. */
  care(plant: string): CareView | undefined {
    return this.carers.of(plant);
  }

  /**
   * Ends the care of these plants as far as the caller may: an agent its own, a person anybody's. The agent's cycle
   * ends at once, even if that cannot be written down; others may begin only once it is.
   */
  async release(plants: readonly string[], call: Call): Promise<ReleasedCare[]> {
    const released: ReleasedCare[] = [];
    for (const plant of plants) {
      const care = this.care(plant);
      if (!care || !(isPersons(call) || isHeldBy(care, agentOf(call)))) continue;
      await this.giveUp({ plant, ...care }, call.identity.name);
      released.push({ plant, ...care });
    }
    return released;
  }

  /** Throws CARE_TAKEN if another agent cares for the plant. */
  assertReleasable(plant: string, call: Call): void {
    const holder = isPersons(call) ? undefined : this.carers.ofAnother(plant, agentOf(call));
    if (holder) throw careTaken(plant, holder, this.clock.now());
  }

  private async giveUp({ plant, status_at, agent, instance }: ReleasedCare, by: string): Promise<void> {
    this.gates.end(gateOf(plant, { agent, instance }));
    const timestamp = isoUtc(this.clock.now());
    const reason = `the care of ${agent} was given up`;
    await this.sources.releases.record({ timestamp, kind: "care_released", plant, by, reason, status_at });
    this.carers.release(plant, status_at);
  }

  /** Takes in a line of an earlier run, whose care may have been given up since. */
  private remember(line: StatusLine): void {
    const { plant, timestamp, agent, instance, care } = line.record;
    this.keep(line);
    if (care !== "taken" || !this.sources.releases.isReleased(plant, timestamp)) return;
    this.gates.end(gateOf(plant, { agent, instance }));
    this.carers.release(plant, timestamp);
  }

  private keep(line: StatusLine): void {
    const { plant, agent, instance, care } = line.record;
    this.gates.keep(gateOf(plant, { agent, instance }), cycleOf(line));
    if (care !== "turned_away" && line.id > (this.lasts.get(plant)?.id ?? NOT_WRITTEN_YET))
      this.lasts.set(plant, line);
    this.carers.keep(line.record);
  }
}

/** Whose cycle it is. */
export type Caring = Pick<Call, "identity" | "instance">;

const isPersons = ({ identity }: Caring): boolean => mayActAs(identity.role, "human");

const agentOf = ({ identity, instance }: Caring) => ({
  agent: identity.name,
  ...(instance !== undefined && { instance }),
});

const gateOf = (plant: string, { agent, instance }: AgentName) => `${plant}/${agent}/${instance ?? ""}`;

const cycleOf = ({ id, record }: StatusLine): CycleStatus => ({
  id,
  proceed: record.proceed,
  stamp: record.stamp,
  plannedMl: record.planned_ml,
  plannedLightMinutes: record.planned_light_minutes,
});

/** The gate of the house. It checks statuses by the runtime's own knowledge. */
const refusalWords = (problems: readonly StatusProblem[]): string | null =>
  problems.length === 0 ? null : problems.map(statusProblemWords).join(" ");

export const plantStatus = definePart("plant status", async (house) => {
  const { clock, board } = house;
  const ledger = await house.use(waterLedger);
  const lights = await house.use(lightLedger);
  const releases = await house.use(control);
  const sources = {
    clock,
    board,
    ledger,
    lightLedger: lights,
    control: releases,
    inputs: await house.use(inputs),
    moisture: await house.use(moisture),
    soil: await house.use(soilWatch),
  };
  const statusSources = {
    truth: (plant: string) => groundTruth(plant, sources),
    spentIn: (cycle: number) => ({ ml: ledger.spentIn(cycle), lightMinutes: lights.spentIn(cycle) }),
    isToken: (name: string) => house.tokens.has(name),
    releases,
  };
  const maxAge = minutes(house.config(statusConfig).cycle.max_age_minutes);
  return PlantStatusService.open(house.journal(STATUS_LOG), statusSources, clock, maxAge);
});
