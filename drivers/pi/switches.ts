import type { BoardConfig, OutputWiring } from "../board.js";
import { openInterlockPanel } from "../devices/interlock/awaited-interlock.js";
import type { InterlockPanel } from "../devices/interlock/panel.js";
import { openSerialLine } from "../devices/interlock/serial-line.js";
import { DriverError } from "../errors.js";
import { GuardLink } from "../guard/guard-link.js";
import { GuardedOutput } from "../guard/guarded-output.js";
import { replaceOffList } from "../guard/off-list.js";
import type { GuardPlan, InputPlan, OutputPlan } from "../guard/protocol.js";
import { BoardInputs, type InputWiring, inhibits, type Load } from "../inputs.js";
import { globalNumber } from "../pins/sysfs-lines.js";
import type { Cancel, Clock, PulsedOutput } from "../ports.js";
import { messageOf } from "../system-error.js";
import { type ChosenOutput, chooseOutput, KERNEL, type KernelFolders, latestEndBy } from "./outputs.js";

interface SwitchOptions {
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

/** The relays of a board, with the guard and, if one is configured, the interlock or the wait for it. */
export interface Relays {
  readonly switches: Switches;
  readonly interlock: InterlockPanel | undefined;
  /** One of the guard's relays. If there is an interlock, its contact is in series. */
  output(plant: string, load: Load): PulsedOutput | undefined;
  /** What has to be closed, the last one first. Who opens more adds to it. */
  readonly closers: Closer[];
}

interface RelayOptions {
  /** Where the list is kept of what to switch off. Only for the owner of the folder. */
  readonly stateFolder?: string | undefined;
  readonly kernel?: KernelFolders;
}

/** Everything is off when it resolves. Rejects as {@link Switches.open} and the interlock do. */
export async function openRelays(
  config: BoardConfig,
  clock: Clock,
  { stateFolder, ...options }: RelayOptions,
): Promise<Relays> {
  const beforeStart: SwitchOptions["beforeStart"] = async (plan) => {
    if (stateFolder !== undefined) await replaceOffList(stateFolder, plan);
  };
  const switches = await Switches.open(config, clock, { ...options, beforeStart });
  const closers: Closer[] = [() => switches.close()];
  try {
    const port = config.interlock?.port;
    const openLine = port === undefined ? undefined : () => openSerialLine(port, clock);
    const interlock = openLine && (await openInterlockPanel(config.plants, clock, openLine));
    if (interlock) closers.unshift(() => interlock.close());
    const output = (plant: string, load: Load) => {
      const relay = switches.output(plant, load);
      return relay && interlock ? interlock.interlocked(`${plant}-${load}`, load, relay) : relay;
    };
    return { switches, interlock, output, closers };
  } catch (error) {
    throw await afterClosing(error, closers);
  }
}

type Closer = () => Promise<void>;

/** Closes in reverse order, all of them even where one fails. Rejects with the first failure. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Closes after `error`. Returns the error to throw: that one, with what failed in closing appended. */
export async function afterClosing(error: unknown, closers: Closer[]): Promise<unknown> {
  try {
    await closeAll(closers);
    return error;
  } catch (second) {
    return withSecond(error, second);
  }
}

function withSecond(error: unknown, second: unknown): Error {
  const told = `and closing what was open failed too: ${messageOf(second)}`;
  if (error instanceof DriverError)
    return new DriverError(error.code, `${error.what}, ${told}`, { cause: error });
  return new AggregateError([error, second], `${messageOf(error)}, ${told}`);
}
