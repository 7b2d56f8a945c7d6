import type { Edge } from "../../drivers/bench/bench-relay.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { isRefusedStatus } from "../cycle/completion.js";
import type { CycleLog, CycleOutcome } from "../cycle/cycle.js";
import type { ToolResult } from "../link/tools.js";
import { SILENT } from "../models/trial.js";
import { both } from "../run-log/run-log.js";
import type { CycleRecord, EventRecord, MessageRecord, PlantResult, RefusalRecord } from "./result.js";
import type { PlantSetup, World } from "./world.js";

/** Receives each cycle and all other events, for a person to read. */
export interface SimulationStory {
  cycle(number: number, plant: string | undefined): CycleLog;
  happened?(at: string, who: string, text: string): void;
}

/** Records what happens, by the true time. */
export class Recorder {
  readonly cycles: CycleRecord[] = [];
  readonly refusals: RefusalRecord[] = [];
  readonly messages: MessageRecord[] = [];
  readonly events: EventRecord[] = [];
  /** Texts of the agent's messages; all other messages to the person are the runtime's. */
  readonly sentByAgent = new Set<unknown>();
  readonly doses = new Map<string, { at: string; ml: number; arrived: number }[]>();

  constructor(
    private readonly world: World,
    private readonly plants: readonly string[],
    private readonly story: SimulationStory,
  ) {}

  /** The log of one cycle; `plant` is undefined if there is only one. */
  cycle(number: number, plant: string | undefined): CycleLog {
    const id = plant ?? this.plants[0] ?? "";
    const own: CycleLog = {
      ...SILENT,
      answered: (tool, { message }, result) => {
        this.answered(id, tool, result);
        if (tool === "send_message_to_human" && result.ok) this.sentByAgent.add(message);
      },
      ended: (outcome) => this.ended(id, outcome),
    };
    return both(own, this.story.cycle(number, plant));
  }

  event(by: EventRecord["by"], text: string): void {
    const at = this.at();
    this.events.push({ at, by, text });
    this.story.happened?.(at, by === "person" ? "the person" : "event", text);
  }

  message(from: MessageRecord["from"], text: string): void {
    const at = this.at();
    this.messages.push({ at, from, text });
    if (from !== "agent") this.story.happened?.(at, from === "person" ? "the person" : "runtime", text); // the agent's are in its cycle
  }

  poured(plant: string, ml: number, arrived: number): void {
    const doses = this.doses.get(plant) ?? [];
    this.doses.set(plant, doses);
    doses.push({ at: this.at(), ml, arrived: tenth(arrived) });
  }

  at(): string {
    return isoUtc(this.world.now());
  }

  private answered(plant: string, tool: string, result: ToolResult): void {
    const refusal = refusalOf(tool, result);
    if (refusal) this.refusals.push({ at: this.at(), plant, tool, ...refusal });
  }

  private ended(plant: string, { completed, reason, rounds, calls, tokens }: CycleOutcome): void {
    const sum = tokens.input + tokens.output;
    this.cycles.push({ at: this.at(), plant, completed, reason, rounds, calls, tokens: sum });
  }
}

function refusalOf(tool: string, result: ToolResult): Pick<RefusalRecord, "code" | "message"> | undefined {
  if (!result.ok && result.error.code === "LINK_BROKEN") return undefined; // a power cut is not the agent's mistake
  if (!result.ok) return { code: result.error.code, message: result.error.message };
  if (tool !== "write_plant_status" || !isRefusedStatus(result.value)) return undefined;
  return { code: "STATUS_REFUSED", message: String(result.value.reason ?? "") };
}

type Hourly = { -readonly [K in keyof PlantResult["hourly"]]: PlantResult["hourly"][K][number][] };

interface Observed {
  readonly hourly: Hourly;
  readonly light: { from: string; to: string }[];
  seen: number;
  litSince: string | undefined;
}

/** Records the true state of every plant once an hour. */
export class Observer {
  private readonly plants: ReadonlyMap<string, Observed>;

  constructor(
    private readonly world: World,
    setup: readonly PlantSetup[],
  ) {
    this.plants = new Map(setup.map(({ id }) => [id, nothingYet()]));
  }

  async look(): Promise<void> {
    for (const [id, observed] of this.plants) await this.lookAt(id, observed.hourly);
    this.collectLight();
  }

  latest(): readonly { id: string; hydration: number; vigour: number }[] {
    return [...this.plants].map(([id, { hourly }]) => {
      return { id, hydration: hourly.hydration.at(-1) ?? 0, vigour: hourly.vigour.at(-1) ?? 0 };
    });
  }

  of(id: string): Pick<PlantResult, "hourly" | "light"> {
    const observed = this.plants.get(id);
    if (!observed) throw new Error(`${id} was never looked at`);
    const open =
      observed.litSince === undefined ? [] : [{ from: observed.litSince, to: isoUtc(this.world.now()) }];
    return { hourly: observed.hourly, light: [...observed.light, ...open] };
  }

  /** Lamps go off with the power, and their edges are gone after the boot. */
  powerGoes(): void {
    this.collectLight();
    for (const observed of this.plants.values()) goesOut(observed, isoUtc(this.world.now()));
  }

  private collectLight(): void {
    const booted = this.world.now() - this.world.clock.monotonic();
    for (const [id, observed] of this.plants) {
      const edges = this.world.bench.lightEdges(id);
      for (const edge of edges.slice(edges.findLastIndex(({ at }) => at + booted <= observed.seen) + 1))
        this.take(edge, booted, observed);
    }
  }

  private take({ level, at }: Edge, booted: number, observed: Observed): void {
    const instant = booted + at;
    observed.seen = instant;
    if (level === 1) observed.litSince = isoUtc(instant);
    else goesOut(observed, isoUtc(instant));
  }

  private async lookAt(id: string, hourly: Hourly): Promise<void> {
    const { bench, core } = this.world;
    const now = this.world.now();
    const truth = bench.truth(id);
    const air = bench.room.at(now);
    const probe = core.board.plants.get(id)?.probe;
    const reading = await probe?.read().then(
      ({ percent }) => percent,
      () => null, // a faulty probe: the chart shows the gap
    );
    hourly.at.push(isoUtc(now));
    hourly.moisture.push(tenth(bench.moisture(id)));
    hourly.reading.push(reading ?? null);
    hourly.hydration.push(tenth(truth.hydration));
    hourly.health.push(tenth(truth.health));
    hourly.vigour.push(tenth(truth.vigour));
    hourly.temperature.push(tenth(air.temperature));
    hourly.daylight.push(tenth(air.daylight));
  }
}

function goesOut(observed: Observed, to: string): void {
  if (observed.litSince === undefined) return;
  observed.light.push({ from: observed.litSince, to });
  observed.litSince = undefined;
}

const nothingYet = (): Observed => ({
  hourly: {
    at: [],
    moisture: [],
    reading: [],
    hydration: [],
    health: [],
    vigour: [],
    temperature: [],
    daylight: [],
  },
  light: [],
  seen: Number.NEGATIVE_INFINITY,
  litSince: undefined,
});

/** Rounds to one decimal, as all figures of a report. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;
