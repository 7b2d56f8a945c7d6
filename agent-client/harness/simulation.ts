import { type EpochMillis, hours, minutes, plus } from "../../drivers/units.js";
import { Agent } from "../agent.js";
import { OPENING } from "../prompts/opening.js";
import { compileTemplate } from "../prompts/template.js";
import { PROMPT_TOKENS } from "../tokens.js";
import { Agenda } from "./agenda.js";
import { InProcessRuntime } from "./in-process.js";
import { Observer } from "./observer.js";
import { Person } from "./person.js";
import { Recorder } from "./recorder.js";
import type { RunResult } from "./result.js";
import { resultOf } from "./run-result.js";
import type { ScenarioEvent } from "./scenario.js";
import type { SimulationOptions } from "./simulation-options.js";
import { nameOf, Troubles } from "./troubles.js";
import { World } from "./world.js";

/** How often the runtime reads its probes here: real ones are read every minute, at a cost that simulated months feel. */
const SAMPLE_EVERY = minutes(20);
const HOUR = hours(1);
const DAY = hours(24);

/** Runtime, bench and agent in one process, on simulated time. The same options give the same result, byte by byte. */
export async function simulate(options: SimulationOptions): Promise<RunResult> {
  const { looksAtPictures, scenario } = options;
  const world = await World.open({
    ...options,
    hydration: scenario.hydration,
    coarsePictures: !looksAtPictures,
  });
  try {
    return await new Simulation(world, options).run();
  } finally {
    await world.close();
  }
}

class Simulation {
  private readonly agenda = new Agenda();
  private readonly recorder: Recorder;
  private readonly observer: Observer;
  private readonly troubles: Troubles;
  private readonly person: Person;
  private readonly runtime: InProcessRuntime;
  private readonly agent: Agent | undefined;
  private readonly end: EpochMillis;
  private agentIsAway = false;
  /** Due tasks that a cycle has begun for. */
  private settled: ReadonlySet<number> = new Set();
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
      const due = this.agenda.take(world.now(), end);
      if (!due) break;
      await world.passTo(due.at);
      await due.run();
    }
    const finished = !options.signal.aborted;
    if (finished) await world.passTo(end);
    const { recorder, observer, troubles } = this;
    return resultOf({
      options,
      world,
      recorder,
      observer,
      troubles,
      finished,
      unanswered: this.person.unanswered,
      unasked: this.person.unasked,
    });
  }

  private agentOf({ models, story: _, scenario: __, ...options }: SimulationOptions): Agent | undefined {
    if (!models) return undefined;
    const { recorder, world } = this;
    const onDose = recorder.poured.bind(recorder);
    return new Agent({
      runtime: new InProcessRuntime(world, "agent", onDose),
      models,
      template: compileTemplate(OPENING),
      promptTokens: PROMPT_TOKENS,
      maxRounds: options.maxRounds,
      clock: world.clock,
      log: recorder,
      signal: options.signal,
      newKey: () => `simulated-${++this.keys}`,
    });
  }

  /** At the same instant: what happens, what the probes read of it, what the person does, what the agent does. */
  private plan({ scenario, start, every }: SimulationOptions): void {
    for (const event of scenario.events) {
      const at = Math.round(start + event.day * DAY) as EpochMillis;
      this.agenda.once({ at, run: () => this.happen(event) });
    }
    this.agenda.regularly(start, SAMPLE_EVERY, () => this.world.core.sample());
    this.agenda.regularly(start, HOUR, () => this.passHour());
    this.agenda.regularly(start, every, () => this.care());
    // the wire, which would wake the agent at once, is left out
    this.agenda.regularly(start, SAMPLE_EVERY, () => this.heedTasks());
  }

  private async heedTasks(): Promise<void> {
    if ((await this.dueTasks()).some((id) => !this.settled.has(id))) await this.care();
  }

  private async dueTasks(): Promise<readonly number[]> {
    const { due } = await this.runtime.agenda();
    return due.map(({ id }) => id);
  }

  private async passHour(): Promise<void> {
    const { world, options, observer, troubles } = this;
    troubles.passHour(world.bench, world.now());
    await world.core.mark();
    await observer.look();
    await this.person.lookAfter();
    options.onHour?.({ hour: Math.round((world.now() - options.start) / HOUR), plants: observer.latest() });
  }

  private async care(): Promise<void> {
    if (!this.agent || this.agentIsAway || this.world.now() >= this.end) return;
    this.settled = new Set(await this.dueTasks());
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
