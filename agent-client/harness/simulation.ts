import { speciesNamed } from "../../drivers/bench/species.js";
import { closedAfter } from "../../drivers/durable-file.js";
import { type EpochMillis, hours, type Millis, minutes, plus } from "../../drivers/units.js";
import type { Log } from "../../runtime/log.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { Agent } from "../agent.js";
import type { ModelChoice } from "../cycle/cycle.js";
import { compileTemplate, OPENING, PROMPT_TOKENS } from "../prompts/prompt.js";
import { InProcessRuntime } from "./in-process.js";
import { Observer, Recorder, type SimulationStory } from "./recorder.js";
import type { PlantResult, RunResult } from "./result.js";
import type { Run, Scenario, ScenarioEvent } from "./scenario.js";
import { scorePlant, scoreRun } from "./scoring.js";
import { nameOf, Person, Troubles } from "./troubles.js";
import { type PlantSetup, World } from "./world.js";

/** How often the runtime reads its probes. Every minute, as in reality, would make simulated months slow. */
const SAMPLE_EVERY = minutes(20);
const HOUR = hours(1);
const DAY = hours(24);

/** Runtime, bench and agent in one process, on simulated time. The same options give the same result, byte by byte. */
export async function simulate(options: SimulationOptions): Promise<RunResult> {
  const { looksAtPictures, scenario } = options;
  const { hydration } = scenario;
  const opened = await World.open({ ...options, hydration, coarsePictures: !looksAtPictures });
  return closedAfter(opened, (world) => new Simulation(world, options).run());
}

class Simulation {
  private readonly queue = new EventQueue();
  private readonly recorder: Recorder;
  private readonly observer: Observer;
  private readonly troubles: Troubles;
  private readonly person: Person;
  private readonly runtime: InProcessRuntime;
  private readonly agent: Agent | undefined;
  private readonly end: EpochMillis;
  private agentIsAway = false;
  /** Due tasks that have already started a cycle. */
  private tasksSeen: ReadonlySet<number> = new Set();
  private keys = 0;

  constructor(
    private readonly world: World,
    private readonly options: SimulationOptions,
  ) {
    const { plants, scenario, start, days, story } = options;
    const ids = plants.map(({ id }) => id);
    this.end = plus(start, days * DAY);
    this.recorder = new Recorder(world, ids, story);
    this.observer = new Observer(world, plants);
    world.onPowerCut = () => this.observer.powerGoes();
    this.troubles = new Troubles(ids);
    const runtime = new InProcessRuntime(world, "human");
    const { recorder, troubles } = this;
    const repairAfterHours = scenario.repair_after_hours;
    this.person = new Person({ world, runtime, troubles, recorder, repairAfterHours });
    this.runtime = runtime;
    this.agent = this.agentOf(options);
    this.plan(options);
  }

  async run(): Promise<RunResult> {
    const { world, end, options } = this;
    while (!options.signal.aborted) {
      const due = this.queue.take(world.now(), end);
      if (!due) break;
      await world.passTo(due.at);
      await due.run();
    }
    const finished = !options.signal.aborted;
    if (finished) await world.passTo(end);
    return this.result(finished);
  }

  private result(finished: boolean): RunResult {
    const { options, recorder, world, person } = this;
    const { scenario, start, days, every } = options;
    const { cycles, refusals, messages, events } = recorder;
    const plants = options.plants.map((plant) => this.plantResult(plant));
    const end = isoUtc(world.now());
    return {
      version: 1,
      scenario: { name: scenario.name, title: scenario.title, story: scenario.story },
      model: options.modelName,
      seed: options.seed,
      start: isoUtc(start),
      end,
      days,
      finished,
      ...notReached(scenario, days),
      everyMinutes: every / minutes(1),
      plants,
      cycles,
      refusals,
      messages,
      events,
      score: scoreRun({
        plants: plants.map(({ score }) => score),
        alarms: this.troubles.scores(),
        unanswered: person.unanswered,
        needless: Math.max(0, person.unasked - Math.ceil(days) * plants.length),
        cycles,
        refusals,
        end,
      }),
    };
  }

  private plantResult(plant: PlantSetup): PlantResult {
    const { hourly, light } = this.observer.of(plant.id);
    const doses = this.recorder.doses.get(plant.id) ?? [];
    const { good } = speciesNamed(plant.species);
    const { need, drained } = this.world.bench.truth(plant.id).water;
    const score = scorePlant({ good, hourly, doses, water: { need, drained } });
    return { ...plant, good, hourly, doses, light, score };
  }

  private agentOf({ models, maxRounds, signal }: SimulationOptions): Agent | undefined {
    if (!models) return undefined;
    const { recorder, world } = this;
    const onDose = recorder.poured.bind(recorder);
    return new Agent({
      runtime: new InProcessRuntime(world, "agent", onDose),
      models,
      template: compileTemplate(OPENING),
      promptTokens: PROMPT_TOKENS,
      maxRounds,
      clock: world.clock,
      log: recorder,
      signal,
      newKey: () => `simulated-${++this.keys}`,
    });
  }

  /** The order at the same instant: events, readings, the person, the agent. */
  private plan({ scenario, start, every }: SimulationOptions): void {
    for (const event of scenario.events) {
      const at = Math.round(start + event.day * DAY) as EpochMillis;
      this.queue.once({ at, run: () => this.happen(event) });
    }
    this.queue.regularly(start, SAMPLE_EVERY, () => this.world.core.sample());
    this.queue.regularly(start, HOUR, () => this.hourly());
    this.queue.regularly(start, every, () => this.care());
    // replaces the wire, which would wake the agent at once
    this.queue.regularly(start, SAMPLE_EVERY, () => this.careForNewTasks());
  }

  private async careForNewTasks(): Promise<void> {
    if ((await this.dueTasks()).some((id) => !this.tasksSeen.has(id))) await this.care();
  }

  private async dueTasks(): Promise<readonly number[]> {
    const { due } = await this.runtime.agenda();
    return due.map(({ id }) => id);
  }

  private async hourly(): Promise<void> {
    const { world, options, observer, troubles } = this;
    troubles.passHour(world.bench, world.now());
    await world.core.mark();
    await observer.look();
    await this.person.lookAfter();
    options.onHour?.({ hour: Math.round((world.now() - options.start) / HOUR), plants: observer.latest() });
  }

  private async care(): Promise<void> {
    if (!this.agent || this.agentIsAway || this.world.now() >= this.end) return;
    this.tasksSeen = new Set(await this.dueTasks());
    await this.agent.turn().catch((error: unknown) => {
      if (!this.options.signal.aborted) throw error;
    });
  }

  private async happen(event: ScenarioEvent): Promise<void> {
    const { world, recorder } = this;
    recorder.event("scenario", nameOf(event));
    this.troubles.begin(event, world.bench, world.now());
    await world.core.settled();
    if (event.what === "room") world.bench.room.change = event;
    else if (event.what === "agent") this.agentIsAway = event.is === "away";
    else if (event.what === "clock") world.clock.stepWall(hours(event.hours));
    else if (event.what === "message") await this.person.write(event.text);
    else if (event.what === "note") await this.leaveNote(event.text);
    else if (event.what === "power cut") await this.cutPower(event);
  }

  private async cutPower(event: Extract<ScenarioEvent, { what: "power cut" }>): Promise<void> {
    const { world } = this;
    if (event.during_dose) world.cutDuringNextDose(minutes(event.minutes), event.clock_set);
    else await world.powerCut(minutes(event.minutes), event.clock_set);
  }

  private async leaveNote(content: string): Promise<void> {
    const runtime = new InProcessRuntime(this.world, "agent");
    const result = await runtime.call("save_notes", { content, mode: "replace" });
    if (!result.ok) throw new Error(`the note cannot be left: ${result.error.message}`);
  }
}

function notReached({ events }: Scenario, days: number): Pick<RunResult, "notReached"> {
  const later = events.filter(({ day }) => day > days);
  if (later.length === 0) return {};
  return { notReached: later.map((event) => `${nameOf(event)} (day ${event.day})`) };
}

interface SimulationOptions extends Pick<Run, "scenario" | "days" | "seed" | "maxRounds" | "replay"> {
  readonly plants: readonly PlantSetup[];
  readonly start: EpochMillis;
  readonly every: Millis;
  /** Undefined: no agent. */
  readonly models: ModelChoice | undefined;
  /** For the report. */
  readonly modelName: string;
  /** Whether the model sees pictures; else coarse ones are drawn. */
  readonly looksAtPictures: boolean;
  /** An empty folder for the runtime's state. */
  readonly state: string;
  readonly story: SimulationStory;
  readonly log: Log;
  /** Stops the simulation between two cycles, and aborts a request to the model. */
  readonly signal: AbortSignal;
  readonly onHour?: (hour: HourReport) => void;
}

export interface HourReport {
  readonly hour: number;
  readonly plants: readonly { readonly id: string; readonly hydration: number; readonly vigour: number }[];
}

interface Due {
  readonly at: EpochMillis;
  run(): Promise<void>;
}

interface Recurring extends Pick<Due, "run"> {
  next: number;
  readonly every: Millis;
}

/**
 * The next events of a simulation. At the same instant single events come before recurring ones; else in the order in which
 * they were added.
 */
export class EventQueue {
  private readonly single: Due[] = [];
  private readonly recurring: Recurring[] = [];

  once(event: Due): void {
    const place = this.single.findIndex(({ at }) => at > event.at);
    this.single.splice(place < 0 ? this.single.length : place, 0, event);
  }

  /** Repeated every `every` from `first` on. Rounds in the past are skipped. */
  regularly(first: EpochMillis, every: Millis, run: () => Promise<void>): void {
    this.recurring.push({ next: first, every, run });
  }

  /** Takes the next event up to `until`. Rounds before `now` are skipped. */
  take(now: EpochMillis, until: EpochMillis): Due | undefined {
    for (const each of this.recurring) while (each.next < now) each.next += each.every;
    const [event] = this.single;
    const round = this.recurring.toSorted((a, b) => a.next - b.next)[0];
    if (event && event.at <= Math.min(until, round?.next ?? Infinity)) return this.single.shift();
    if (!round || round.next > until) return undefined;
    const { next, run } = round;
    round.next += round.every;
    return { at: next as EpochMillis, run };
  }
}
