import type { BoardConfig, OutputWiring } from "../board.js";
import { DriverError } from "../errors.js";
import { GuardLink } from "../guard/guard-link.js";
import { GuardedOutput } from "../guard/guarded-output.js";
import type { GuardPlan, InputPlan, OutputPlan } from "../guard/protocol.js";
import { BoardInputs, type InputWiring, inhibits, type Load } from "../inputs.js";
import { globalNumber } from "../pins/sysfs-lines.js";
import type { Cancel, Clock, PulsedOutput } from "../ports.js";
import { type ChosenOutput, chooseOutput, KERNEL, type KernelFolders, latestEndBy } from "./outputs.js";

export interface SwitchOptions {
  readonly kernel?: KernelFolders;
  /** Called with what the guard will be told, before anything is opened. */
  readonly beforeStart?: (plan: GuardPlan) => Promise<void>;
}

/** Everything of a board that the guard owns: its relays, its buttons and sensors. */
export class Switches {
  readonly inputs: BoardInputs;
  private readonly outputs: ReadonlyMap<string, GuardedOutput>;
  /** Resident, of the guard, in bytes. */
  private memory = 0;

  private constructor(
    readonly plan: GuardPlan,
    private readonly sentences: readonly string[],
    wirings: NonNullable<BoardConfig["inputs"]>,
    private readonly link: GuardLink,
    clock: Clock,
  ) {
    this.inputs = guardedInputs(wirings, link);
    this.outputs = new Map(
      plan.outputs.map(({ name, ceiling, line }) => [
        name,
        new GuardedOutput(name, ceiling, link, clock, latestEndBy(line)),
      ]),
    );
    link.onReport((report) => {
      if (report.is === "ready") this.memory = report.rss;
    });
  }

  /** Everything is off when it resolves. Rejects with what makes a wiring unsafe or impossible, before anything is opened. */
  static async open(
    config: BoardConfig,
    clock: Clock,
    { kernel = KERNEL, beforeStart }: SwitchOptions = {},
  ): Promise<Switches> {
    const chosen = chooseAll(config, kernel);
    const wirings = config.inputs ?? [];
    const outputs = chosen.map(({ plan }) => plan);
    const plan = { outputs, inputs: wirings.map((each) => inputPlan(each, outputs, kernel.gpio)) };
    assertOnePigpio(plan);
    const link = new GuardLink(plan, clock);
    const switches = new Switches(
      plan,
      chosen.map(({ explanation }) => explanation),
      wirings,
      link,
      clock,
    );
    await beforeStart?.(plan);
    if (switches.needGuard()) await link.start();
    return switches;
  }

  /** A sentence for each output, and one for the guard. */
  get explanation(): readonly string[] {
    if (this.pid === undefined) return this.sentences;
    return [...this.sentences, `guard: process ${this.pid}, ${Math.round(this.memory / 1e6)} MB resident`];
  }

  output(plant: string, load: Load): PulsedOutput | undefined {
    return this.outputs.get(`${plant}-${load}`);
  }

  watchTroubles(listener: (trouble: DriverError) => void): Cancel {
    return this.link.onTrouble(listener);
  }

  /** Whether the guard takes orders, where there is anything to guard. */
  isGuarded(): boolean {
    return !this.needGuard() || this.link.isReady;
  }

  /** Switches all off at once, also where one of them fails. Rejects with PIN_FAILED. */
  async allOff(): Promise<void> {
    const ends = [...this.outputs.values()].map((output) => output.end());
    for (const outcome of await Promise.allSettled(ends))
      if (outcome.status === "rejected") throw outcome.reason;
  }

  close(): Promise<void> {
    return this.link.stop();
  }

  private needGuard(): boolean {
    return this.plan.outputs.length + this.plan.inputs.length > 0;
  }

  /** The guard's process, for tests that kill it. */
  get pid(): number | undefined {
    return this.link.pid;
  }
}

function chooseAll({ plants }: BoardConfig, kernel: KernelFolders): ChosenOutput[] {
  const choose = (plant: string, load: Load, wiring: OutputWiring | undefined) =>
    wiring ? [chooseOutput(plant, load, wiring, kernel)] : [];
  return plants.flatMap(({ id, pump, light }) => [
    ...choose(id, "pump", pump.output),
    ...choose(id, "light", light?.output),
  ]);
}

/** A second wave takes the place of the first, and with it the first one's end [abyz.me.uk, gpioWaveTxSend]. */
function assertOnePigpio({ outputs }: GuardPlan): void {
  const [, second] = outputs.filter(({ line }) => line.via === "pigpio");
  if (second)
    throw new DriverError("OUTPUT_UNSAFE", `${second.name}: pigpio times one pulse at once; use via: led`);
}

/** The inputs as the guard reports them: all at its start, then each change. */
export function guardedInputs(
  wirings: readonly InputWiring[],
  link: Pick<GuardLink, "onReport">,
): BoardInputs {
  const inputs = new BoardInputs(wirings);
  link.onReport((report) => {
    if (report.is === "ready") inputs.setAll(report.active);
    if (report.is === "input") inputs.set(report.name, report.active);
  });
  return inputs;
}

/** What the guard needs to know of an input: its line, and the outputs that it keeps off. Throws PIN_UNKNOWN or GPIO_MISSING. */
export function inputPlan(wiring: InputWiring, outputs: readonly OutputPlan[], gpioRoot?: string): InputPlan {
  const { name, kind, activeLow, gpio, plants } = wiring;
  const loads = (["pump", "light"] satisfies Load[]).filter((load) => inhibits(kind, load));
  const kept = new Set(plants.flatMap((plant) => loads.map((load) => `${plant}-${load}`)));
  const inhibited = outputs.map((output) => output.name).filter((output) => kept.has(output));
  return { name, kind, activeLow, number: globalNumber(gpio, gpioRoot), inhibits: inhibited };
}
