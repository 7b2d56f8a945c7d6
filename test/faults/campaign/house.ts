import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BenchPulse } from "../../../drivers/bench/bench-relay.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Pump } from "../../../drivers/devices/pump.js";
import type { Cancel, PulsedOutput } from "../../../drivers/ports.js";
import { hours, type Millis, type MlPerSecond, millis, minutes, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../../runtime/errors.js";
import { PlantDevices } from "../../../runtime/plants.js";
import { afterLoss } from "../../../runtime/services/house.js";
import { LIGHT_LOG, LightLedger } from "../../../runtime/services/light/ledger.js";
import { LightService } from "../../../runtime/services/light/service.js";
import { Control } from "../../../runtime/services/people/control.js";
import { DOSE_LOG } from "../../../runtime/services/water/declarations.js";
import { carryOverTo } from "../../../runtime/services/water/index.js";
import { WaterLedger } from "../../../runtime/services/water/ledger.js";
import type { WiredPlant } from "../../../runtime/services/water/pots.js";
import { Refusals } from "../../../runtime/services/water/refusals.js";
import { WaterService } from "../../../runtime/services/water/service.js";
import type { Database } from "../../../runtime/store/database.js";
import { RecordIndex } from "../../../runtime/store/record-index.js";
import { RecordLog, type RecordLogParts } from "../../../runtime/store/record-log.js";
import { CallAge, Stops } from "../../../runtime/tools/late-calls.js";
import { UNTAINTED } from "../../../runtime/tools/taint.js";
import type { Call } from "../../../runtime/tools/tool.js";
import type { Closed } from "./judge.js";
import { MemoryDisk } from "./memory-disk.js";

/** A pot with its pump and lamp: what is watered, whatever its plant is called and however it is wired. */
export interface RealPot {
  readonly name: string;
  readonly flow: number;
  readonly pumped: Closed[];
  readonly lit: Closed[];
  /** Labels of its wires. */
  pump: string;
  probe: string;
}

/** A wall clock that lies until somebody sets it. It may be set wrong and still say that it is right. */
class HouseClock extends SimulatedClock {
  private right = true;
  private process = 0;

  /** Timers of the process that has ended fire no more. */
  endProcess(): void {
    this.process += 1;
    this.forgetReadings();
  }

  override after(duration: Millis, fn: () => void): Cancel {
    const { process } = this;
    return super.after(duration, () => {
      if (process === this.process) fn();
    });
  }

  override synchronised(): boolean {
    return this.right && super.synchronised();
  }

  override contradicts(): boolean {
    return this.right && super.contradicts();
  }

  lie(by: number): void {
    this.right = false;
    this.stepWall(millis(by));
  }

  set(): void {
    this.stepWall(millis(this.world() - this.now()));
    this.right = true;
  }
}

/** A relay whose pulse may go on when its process is dead: how long was asked is remembered. */
class Relay implements PulsedOutput {
  readonly ceiling: Millis;
  private readonly pulseOf: BenchPulse;
  private asked = { from: 0, to: 0 };

  constructor(
    name: string,
    ceiling: Millis,
    private readonly clock: SimulatedClock,
  ) {
    this.ceiling = ceiling;
    this.pulseOf = new BenchPulse({ name, ceiling }, clock);
  }

  pulse(duration: Millis, onEdge?: (at: Millis) => void) {
    this.asked = { from: this.clock.monotonic(), to: this.clock.monotonic() + duration };
    return this.pulseOf.pulse(duration, onEdge);
  }

  end(): Promise<void> {
    return this.pulseOf.end();
  }

  isOn(): boolean {
    return this.pulseOf.isOn();
  }

  latestEnd(duration: Millis): Millis {
    return this.pulseOf.latestEnd(duration);
  }

  /** All pulses, in true time; one that is open ends after this `share` of its time, or `within` milliseconds. */
  closed(bootedAt: number, share: number, within: number): Closed[] {
    const now = this.clock.monotonic();
    const edges = this.pulseOf.edges.map(({ at }) => at as number);
    if (edges.length % 2 === 1) edges.push(now + Math.min(within, Math.max(0, this.asked.to - now) * share));
    const pairs = Array.from({ length: edges.length / 2 }, (_, at) => edges.slice(2 * at, 2 * at + 2));
    return pairs.map(([from = 0, to = 0]) => ({ from: bootedAt + from, to: bootedAt + to }));
  }
}

interface Running {
  readonly water: WaterService;
  readonly light: LightService;
  readonly ledger: WaterLedger;
  readonly relays: ReadonlyMap<RealPot, { readonly pump: Relay; readonly lamp: Relay }>;
  readonly stops: Stops;
}

/** What refuses a call in the ordinary course of a bad life. */
const EXPECTED = new Set([
  ...["BUDGET_EXCEEDED", "PUMP_BUSY", "LEDGER_UNAVAILABLE", "STORE_FAILED", "DOSE_UNCERTAIN", "CANCELLED"],
  ...["LIGHT_COOLDOWN", "LIGHT_ALREADY_ON", "UNKNOWN_PLANT"],
]);

/** One house with its machine: real ledgers, services and logs over a disk, a clock and a mains supply that fail. */
export class House {
  readonly clock = new HouseClock();
  readonly disk = new MemoryDisk(() => {
    this.dead = true;
    this.onDeath();
  });
  readonly refusals = new Map<string, number>();
  readonly defects: string[] = [];
  /** The process has been ended by a fault, and nobody has noticed yet. */
  dead = false;
  private onDeath = (): void => undefined;
  private running: Running | undefined;
  private readonly controlLines: object[] = [];

  constructor(
    private readonly database: Database,
    private readonly folder: string,
    readonly pots: readonly RealPot[],
    public plants: readonly WiredPlant[],
    readonly limit: number,
  ) {}

  get isUp(): boolean {
    return this.running !== undefined && !this.dead;
  }

  /** Starts the runtime. Returns whether it could. */
  async start(): Promise<boolean> {
    this.dead = false;
    const relays = new Map(this.pots.map((pot) => [pot, this.relaysOf(pot)] as const));
    const opening = this.open(relays).then(
      (running) => {
        this.running = running;
        return true;
      },
      (error: unknown) => this.note(error),
    );
    const died = new Promise<void>((resolve) => {
      this.onDeath = resolve;
    });
    await Promise.race([opening, died]);
    return this.isUp;
  }

  /**
   * Ends the process, for so long. Its relays go off after a `share` of what their own timers have left, and at the latest
   * when the next process starts: it switches them off first.
   */
  async kill(share: number, downtime: Millis): Promise<void> {
    this.disk.kill();
    this.writeDown(share, downtime);
    await this.clock.advance(downtime);
  }

  /** Everything is off at once, and what was not flushed is cut off somewhere. */
  cutPower(share: number, zeros: boolean): void {
    this.disk.cutPower(share, zeros);
    this.writeDown(0, 0);
  }

  /** Asks for doses at once, and lets time pass until all are answered or the process is dead. */
  async dose(ids: readonly string[], ml: number): Promise<void> {
    const { running } = this;
    if (!running) return;
    const asked = ids.map((id) => running.water.dispense(id, ml, this.call(running)));
    await this.until(Promise.all(asked.map((each) => each.catch((error: unknown) => this.note(error)))));
  }

  /** Asks for a dose and stops it on the way. */
  async stopDose(id: string, ml: number, after: Millis): Promise<void> {
    const { running } = this;
    if (!running) return;
    const asked = running.water
      .dispense(id, ml, this.call(running))
      .catch((error: unknown) => this.note(error));
    await turn();
    await this.clock.advance(after);
    if (this.dead) return;
    await this.until(Promise.all([asked, running.water.stop(id)]));
  }

  async light(id: string, forMinutes: number): Promise<void> {
    const { running } = this;
    if (!running) return;
    const asked = running.light.turnOn(id, forMinutes, this.call(running));
    await this.until(asked.catch((error: unknown) => this.note(error)));
  }

  async lightOff(id: string): Promise<void> {
    if (this.running) await this.until(this.running.light.turnOff(id));
  }

  /** Time goes by, with an hourly mark where `marked` says so. */
  async wait(time: number, marked: boolean): Promise<void> {
    for (let left = time; left > 0 && !this.dead; left -= hours(1)) {
      await this.clock.advance(millis(Math.min(left, hours(1))));
      if (marked && this.running) {
        const marking = this.running.ledger.mark().catch((error: unknown) => this.note(error));
        await this.until(marking);
      }
    }
  }

  /** What the ledger counts, for the story. */
  used(id: string): number | undefined {
    return this.running?.ledger.used(id);
  }

  /** What an earlier house left in the folder and the database: marks of losses, and the index. */
  async sweep(): Promise<void> {
    for (const { name } of [DOSE_LOG, LIGHT_LOG])
      await rm(join(this.folder, `${name}.jsonl.lost`), { force: true });
    await this.loseIndex();
  }

  /** Forgets the index of the journals, as if the database were deleted. */
  async loseIndex(): Promise<void> {
    for (const { name } of [DOSE_LOG, LIGHT_LOG]) await new RecordIndex(this.database, name).clear();
  }

  private async open(relays: Running["relays"]): Promise<Running> {
    const { clock, plants } = this;
    const folder = {
      journals: this.folder,
      hasBegun: () => false,
      hasLossMark: () => true, // looks for its file
      markUsed: nothing,
      markEmpty: nothing,
    };
    const parts = { folder, database: this.database, openFile: this.disk.openFile, lazyIndex: true };
    const log = await RecordLog.open(DOSE_LOG, parts as unknown as RecordLogParts);
    const lightLog = await RecordLog.open(LIGHT_LOG, parts as unknown as RecordLogParts);
    const ledger = await WaterLedger.open(log, clock, { limit: this.limit, plants });
    const lightLedger = await LightLedger.open(lightLog, clock);
    await afterLoss(log, (reason) => ledger.chargeLostLedger(reason));
    await afterLoss(lightLog, async () => {
      for (const { id } of plants) await lightLedger.restAfterLoss(id);
    });
    const ids = plants.map(({ id }) => id);
    await carryOverTo(ids, { ledger, lightLedger, control: await this.control() }, clock);
    const board = { plants: new Map(plants.map((plant) => [plant.id, this.hardwareOf(plant, relays)])) };
    const stops = new Stops();
    const common = { clock, stops, onFailure: (error: unknown) => this.note(error) };
    const permits = {
      assertMayWater: nothing,
      assertMayLight: nothing,
      cycleFor: () => undefined,
      assertStill: () => undefined,
      inTheWay: () => undefined,
    };
    const pumps = new PlantDevices("pump", board as never, { ids });
    const lights = new PlantDevices("light", board as never, { ids });
    const refusals = new Refusals({ append: nothing as never }, (error) => this.note(error));
    const water = new WaterService({ ...common, pumps, ledger, log, permits, refusals });
    return {
      water,
      light: new LightService({ ...common, lights, ledger: lightLedger, permits }),
      ledger,
      relays,
      stops,
    };
  }

  private control(): Promise<Control> {
    const lines = this.controlLines;
    return Control.open({
      all: async function* () {
        yield* lines as never[];
      },
      append: async (entry) => ({ id: lines.push(entry), record: entry }),
    });
  }

  private relaysOf({ name }: RealPot) {
    return {
      pump: new Relay(`the pump of ${name}`, seconds(26), this.clock),
      lamp: new Relay(`the light of ${name}`, minutes(120), this.clock),
    };
  }

  /** A plant gets what its wires lead to. */
  private hardwareOf(plant: WiredPlant, relays: Running["relays"]) {
    const pot = this.pots.find(({ pump }) => pump === plant.pump);
    const outputs = pot && relays.get(pot);
    if (!outputs) throw new Error(`no pot has the pump ${plant.pump}`);
    return { pump: new Pump(outputs.pump, pot.flow as MlPerSecond), light: outputs.lamp };
  }

  /** Notes what the relays of the process that has ended did. */
  private writeDown(share: number, within: number): void {
    this.clock.endProcess();
    const bootedAt = this.clock.world() - this.clock.monotonic();
    for (const [pot, { pump, lamp }] of this.running?.relays ?? []) {
      pot.pumped.push(...pump.closed(bootedAt, share, within));
      pot.lit.push(...lamp.closed(bootedAt, share, within));
    }
    this.running = undefined;
    this.dead = false;
  }

  /** Lets time pass, a second at a time, until something is over or the process is dead. */
  private async until(over: Promise<unknown>): Promise<void> {
    let done = false;
    const end = () => {
      done = true;
    };
    over.then(end, end);
    for (let second = 0; !done && !this.dead; second += 1) {
      for (let n = 0; n < TURNS && !done && !this.dead; n += 1) await turn();
      if (!done && !this.dead) await this.clock.advance(seconds(1));
      if (second > LONGEST_WAIT) throw new Error("nothing happens any more");
    }
  }

  private call({ stops }: Running): Call {
    const identity = { name: "person", role: "human" } as const;
    const signal = () => new AbortController().signal;
    const freely = { age: new CallAge(this.clock), assertStands: () => undefined, progress: () => undefined };
    return { identity, signal, stopsBefore: stops.count, taint: UNTAINTED, ...freely };
  }

  private note(error: unknown): false {
    const code = error instanceof TendrilError ? error.code : String(error);
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    if (!EXPECTED.has(code)) this.defects.push(`${code}: ${error instanceof Error ? error.stack : ""}`);
    return false;
  }
}

/** Turns of the event loop in which everything in memory is answered. */
const TURNS = 2;
/** Seconds: a light that is switched off at once answers within two hours. */
const LONGEST_WAIT = 8000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const nothing = async (): Promise<void> => undefined;
