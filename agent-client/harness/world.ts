import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SPECIES_NAMES } from "../../drivers/bench/species.js";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type Bench, benchOf } from "../../drivers/open-board.js";
import { type EpochMillis, type Millis, millis, minutes } from "../../drivers/units.js";
import { MAX_PLANTS } from "../../runtime/config/schema.js";
import { type Config, configSchema } from "../../runtime/configuration.js";
import { type Core, openCore } from "../../runtime/core.js";
import type { Log } from "../../runtime/log.js";
import { KEY_BYTES, LINK_KEY_FILE } from "../../runtime/services/camera/service.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import { UsageError } from "../errors.js";
import type { Run } from "./scenario.js";

export interface PlantSetup {
  readonly id: string;
  readonly name: string;
  readonly species: string;
}

/** `cactus,basil,basil` → Cactus1, Basil1 and Basil2. Throws a UsageError for an unknown species. */
export function plantsFrom(species: readonly string[]): readonly PlantSetup[] {
  if (species.length > MAX_PLANTS)
    throw new UsageError(`${species.length} plants; the bench has room for ${MAX_PLANTS}`);
  return species.map((each, index) => {
    assertKnown(each);
    const number = species.slice(0, index).filter((other) => other === each).length + 1;
    const id = number === 1 ? each : `${each}-${number}`;
    return { id, name: `${each[0]?.toUpperCase()}${each.slice(1)}${number}`, species: each };
  });
}

function assertKnown(species: string): void {
  if (SPECIES_NAMES.includes(species)) return;
  throw new UsageError(`there is no species "${species}"; known: ${SPECIES_NAMES.join(", ")}`);
}

interface WorldOptions extends Pick<Run, "seed" | "replay"> {
  readonly plants: readonly PlantSetup[];
  readonly start: EpochMillis;
  /** Hydration of the plants at the start, 0 to 100. */
  readonly hydration: number;
  /** Draws coarse pictures, where no model looks at them. */
  readonly coarsePictures: boolean;
  /** Folder of the runtime's state. */
  readonly state: string;
  readonly log: Log;
}

/** Name of the leak sensor next to a plant's pot. */
export const leakSensorOf = (plant: string): string => `leak sensor of ${plant}`;

/** The first GPIO that is free for an input. */
const FIRST_GPIO = 4;

/** Inputs of an ADS1115, and its possible addresses. */
const [CHANNELS, ADDRESSES] = [4, [0x48, 0x49, 0x4a, 0x4b]];

/**
 * An answer that takes more turns of the event loop waits for the disk: to look for it without a pause would keep the processor from the
 * threads that it waits for. Choices: an idle computer needs about 20 turns for a dose.
 */
const [TURNS, A_MOMENT] = [50, millis(1)];

/** A runtime on its bench with a simulated clock. Time moves only when told to. */
export class World {
  readonly clock: SimulatedClock;
  /** Called just before a power cut, which deletes the history of the bench's relays. */
  onPowerCut: () => void = () => undefined;
  private readonly config: Config;
  private current: Core | undefined;
  private readonly real = new SystemClock();
  private closers: Array<() => unknown> = [];
  private cutDuringDose: (() => Promise<void>) | undefined;

  private constructor(private readonly options: WorldOptions) {
    this.clock = new SimulatedClock(isoUtc(options.start));
    this.config = configFor(options.plants);
  }

  /** The key of photo links comes from the seed, so that the same simulation gives the same links. */
  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options);
    await writeFile(join(options.state, LINK_KEY_FILE), Buffer.alloc(KEY_BYTES, options.seed % 256));
    await world.boot();
    return world;
  }

  get core(): Core {
    if (!this.current) throw new Error("the power is off");
    return this.current;
  }

  get bench(): Bench {
    return benchOf(this.core.board);
  }

  /** The plant of a call; the first if the call names none. */
  plantNamed(named: unknown): string {
    const { plants } = this.options;
    const found = plants.find(({ id, name }) => id === named || name === named) ?? plants[0];
    if (!found) throw new Error("a world without plants");
    return found.id;
  }

  now(): EpochMillis {
    return this.clock.world();
  }

  /** Lets time pass up to an instant of true time; returns at once if that is in the past. */
  async passTo(instant: EpochMillis): Promise<void> {
    const left = instant - this.now();
    if (left > 0) await this.clock.advance(left as Millis);
  }

  /** Waits for an answer, and lets time pass while a pump runs. Undefined: the power failed meanwhile. */
  async during<T>(answer: Promise<T>): Promise<T | undefined> {
    const core = this.core;
    let done = false;
    const over = () => {
      done = true;
    };
    const answered = answer.then(over, over);
    for (let turns = 0; !done; turns += 1) {
      if (this.isPouring()) await this.pourOn();
      else if (turns < TURNS) await this.clock.stand();
      else await Promise.race([answered, this.real.sleep(A_MOMENT)]);
      if (this.current !== core) return undefined;
    }
    return answer;
  }

  /** A power cut: open calls get no answer, relays go off, files stay. */
  async powerCut(downtime: Millis, clockSet: boolean): Promise<void> {
    const { store, board } = this.core;
    this.onPowerCut();
    const restore = this.hardwareAsItIs();
    this.current = undefined;
    this.closers = [];
    await store.close();
    await board.close();
    this.clock.reboot({ downtime, synchronised: clockSet });
    if (!clockSet) this.clock.stepWall((-downtime - minutes(1)) as Millis); // a clock without a battery continues from its saved time
    await this.boot();
    restore();
  }

  cutDuringNextDose(downtime: Millis, clockSet: boolean): void {
    this.cutDuringDose = () => this.powerCut(downtime, clockSet);
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
    this.current = undefined;
  }

  /** Saves faults, inputs and tanks; returns a function that restores them on the bench of the next boot. */
  private hardwareAsItIs(): () => void {
    const { bench } = this;
    const { change } = bench.room;
    const inputs = this.core.board.inputs();
    const parts = this.options.plants.map(({ id }) => {
      return { id, faults: { ...bench.faults(id) }, left: bench.tank(id).left };
    });
    return () => {
      this.bench.room.change = change;
      for (const { name, active } of inputs) this.bench.setInput(name, active);
      for (const { id, faults, left } of parts) {
        Object.assign(this.bench.faults(id), faults);
        this.bench.tank(id).left = left;
      }
    };
  }

  private isPouring(): boolean {
    return this.options.plants.some(({ id }) => this.bench.pumpEdges(id).at(-1)?.level === 1);
  }

  /** Advances to the next timer, at the latest the end of the pump's run. */
  private async pourOn(): Promise<void> {
    await this.clock.advanceToNextTimer();
    const cut = this.cutDuringDose;
    if (!cut || !this.isPouring()) return;
    this.cutDuringDose = undefined;
    await cut();
  }

  private async boot(): Promise<void> {
    const { seed, hydration: startHydration, coarsePictures, replay, state, log } = this.options;
    const bench = { clock: this.clock, speed: 1, seed, startHydration, coarsePictures };
    this.current = await openCore(
      {
        config: this.config,
        state,
        relaxed: true,
        realClock: this.clock,
        board: { ...bench, ...(replay && { replay }) },
        log,
        publicUrl: () => "http://127.0.0.1",
      },
      (close) => this.closers.push(close),
    );
  }
}

/** Each plant with its own ADC input and leak sensor; the runtime's defaults for everything else. */
function configFor(plants: readonly PlantSetup[]): Config {
  const configured = plants.map((plant, index) => ({
    ...plant,
    probe: { address: ADDRESSES[Math.floor(index / CHANNELS)], channel: index % CHANNELS },
  }));
  const inputs = plants.map(({ id }, index) => ({
    kind: "leak",
    name: leakSensorOf(id),
    gpio: FIRST_GPIO + index,
    plants: [id],
  }));
  // the limit on calls per second counts real time, which hardly passes in a simulation
  return configSchema.parse({ plants: configured, inputs, server: { calls_per_second: 100_000 } });
}
