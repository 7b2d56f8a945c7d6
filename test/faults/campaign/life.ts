import { hours, millis, minutes, seconds } from "../../../drivers/units.js";
import type { WiredPlant } from "../../../runtime/services/water/pots.js";
import type { Database } from "../../../runtime/store/database.js";
import { Dice } from "./dice.js";
import { House, type RealPot } from "./house.js";
import { brokenLight, brokenWater } from "./judge.js";
import type { Fault } from "./memory-disk.js";

/** The limit of a life, ml: a choice, so small that a few doses fill it. The rule is the same for 500. */
const LIMIT = 60;
const EVENTS = { least: 6, most: 18 };
const FAULTS = ["full", "no flush", "kill", "killed after"] as const;

/** What a life was like, and what it broke. */
export interface Lived {
  readonly problems: readonly string[];
  /** What happened, an event a line. */
  readonly story: readonly string[];
  readonly doses: number;
  readonly stretches: number;
  readonly kills: number;
  readonly refusals: ReadonlyMap<string, number>;
}

/** One house from its first start to its last, by its number. */
export class Life {
  private readonly dice: Dice;
  private readonly house: House;
  private readonly story: string[] = [];
  private kills = 0;
  /** Ids and labels of wires are never used again. */
  private named = 0;

  constructor(
    seed: number,
    private readonly database: Database,
    folder: string,
  ) {
    this.dice = new Dice(seed);
    const pots = Array.from({ length: this.dice.between(1, 3) }, (_, n) => this.pot(n));
    const plants = pots.map((pot) => this.plantIn(pot, this.fresh("plant")));
    this.house = new House(database, folder, pots, plants, LIMIT);
  }

  async live(): Promise<Lived> {
    await this.house.sweep();
    await this.start();
    const events = this.dice.between(EVENTS.least, EVENTS.most);
    for (let n = 0; n < events; n += 1) await this.next();
    await this.house.kill(1, hours(2));
    return this.judged();
  }

  private judged(): Lived {
    const { pots, defects, refusals } = this.house;
    const broken = pots.flatMap(({ name, pumped, flow, lit }) => [
      ...brokenWater(name, pumped, flow, LIMIT),
      ...brokenLight(name, lit),
    ]);
    const doses = pots.reduce((sum, { pumped }) => sum + pumped.length, 0);
    const stretches = pots.reduce((sum, { lit }) => sum + lit.length, 0);
    const { kills, story } = this;
    return { problems: [...broken, ...defects], story, doses, stretches, kills, refusals };
  }

  /** Something happens; a process that a fault has ended is started again, sooner or later. */
  private async next(): Promise<void> {
    if (!this.house.isUp) return this.comeBack();
    const roll = this.dice.share();
    if (roll < 0.34) return this.pour();
    if (roll < 0.42) return this.shine();
    if (roll < 0.52) return this.wait();
    if (roll < 0.6) return this.lie();
    if (roll < 0.72) return this.faultAhead();
    if (roll < 0.78) return this.fillDisk();
    return this.fall();
  }

  private async pour(): Promise<void> {
    const ml = this.dice.between(10, 25);
    const { plants } = this.house;
    if (this.dice.chance(0.15)) {
      const { id } = this.dice.of(plants);
      const after = this.dice.between(0, 20_000);
      this.tell(`${id}: ${ml} ml, stopped after ${after} ms`);
      return this.house.stopDose(id, ml, millis(after));
    }
    const ids = this.dice.chance(0.4) ? plants.map(({ id }) => id) : [this.dice.of(plants).id];
    for (let n = this.dice.between(1, 5); n > 0 && this.house.isUp; n -= 1) {
      this.tell(`${ids.join(" and ")}: ${ml} ml each`);
      await this.house.dose(ids, ml);
    }
  }

  private async shine(): Promise<void> {
    const { id } = this.dice.of(this.house.plants);
    const forMinutes = this.dice.between(30, 120);
    this.tell(`${id}: light for ${forMinutes} min`);
    await this.house.light(id, forMinutes);
    if (this.house.isUp && this.dice.chance(0.3)) await this.house.lightOff(id);
  }

  private async wait(): Promise<void> {
    const longest = this.dice.of([minutes(20), minutes(40), hours(3), hours(25)]);
    const time = this.dice.between(seconds(1), longest);
    const marked = this.dice.chance(0.7);
    this.tell(`${(time / hours(1)).toFixed(2)} h pass${marked ? "" : ", without marks"}`);
    await this.house.wait(time, marked);
  }

  /** Somebody sets the wall clock, wrong or right. One that says it is right is set back, and says so still. */
  private lie(): void {
    const { clock } = this.house;
    if (clock.synchronised()) {
      const by = this.dice.between(minutes(1), hours(30));
      this.tell(`the clock is set back by ${(by / hours(1)).toFixed(2)} h and says that it is right`);
      clock.stepWall(millis(-by));
      return;
    }
    const right = this.dice.chance(0.5);
    this.tell(`the clock is set ${right ? "right" : "wrong"}`);
    if (right) clock.set();
    else clock.lie(this.dice.between(-hours(60), hours(60)));
  }

  private faultAhead(): void {
    const fault: Fault = {
      what: this.dice.of(FAULTS),
      after: this.dice.between(0, 14),
      share: this.dice.share(),
    };
    this.tell(`the disk will do wrong: ${JSON.stringify(fault)}`);
    this.house.disk.plan(fault);
  }

  private fillDisk(): void {
    const full = this.dice.chance(0.5);
    this.tell(full ? "the disk is full" : "the disk has room");
    this.house.disk.fill(full);
  }

  /** The process or the machine ends, in mid-dose where there is one. */
  private async fall(): Promise<void> {
    if (this.dice.chance(0.6)) {
      const { plants } = this.house;
      const ids = this.dice.chance(0.5) ? plants.map(({ id }) => id) : [this.dice.of(plants).id];
      this.tell(`${ids.join(" and ")}: a dose that is cut off`);
      this.house.disk.plan({
        what: this.dice.of(["kill", "killed after"]),
        after: this.dice.between(0, 9),
        share: 0,
      });
      await this.house.dose(ids, this.dice.between(10, 25));
    }
    return this.comeBack();
  }

  private async comeBack(): Promise<void> {
    this.kills += 1;
    if (this.dice.chance(0.5)) this.reboot();
    else await this.endProcess();
    await settled(this.database);
    if (this.dice.chance(0.2)) await this.loseIndex();
    if (this.dice.chance(0.25)) this.changeConfiguration();
    if (this.dice.chance(0.8)) this.house.disk.fill(false);
    await this.start();
  }

  private async endProcess(): Promise<void> {
    const share = this.dice.chance(0.5) ? 1 : this.dice.share();
    const downtime = this.dice.between(0, this.dice.of([0, seconds(40), minutes(40)]));
    this.tell(
      `the process is killed for ${downtime / 1000} s; its relays keep ${share.toFixed(2)} of their time`,
    );
    await this.house.kill(share, millis(downtime));
  }

  /** A power cut; the clock comes up right, or as wrong as it likes. */
  private reboot(): void {
    const { clock } = this.house;
    this.house.cutPower(this.dice.share(), this.dice.chance(0.3));
    const downtime = this.dice.between(seconds(5), this.dice.of([minutes(20), hours(13), hours(30)]));
    const right = this.dice.chance(0.5);
    clock.reboot({ downtime: millis(downtime) });
    if (right) clock.set();
    else clock.lie(this.dice.between(-hours(40), hours(40)));
    this.tell(
      `power off for ${(downtime / hours(1)).toFixed(2)} h; the clock is ${right ? "right" : "wrong"}`,
    );
  }

  private async loseIndex(): Promise<void> {
    this.tell("the database is deleted");
    await this.house.loseIndex();
  }

  private async start(): Promise<void> {
    const up = await this.house.start();
    this.tell(up ? "the runtime starts" : "the runtime cannot start");
  }

  /** What an owner does to the file and the wires. No label of a wire is used for another pot later. */
  private changeConfiguration(): void {
    const plants = [...this.house.plants];
    const at = this.dice.between(0, plants.length - 1);
    const plant = plants[at];
    const pot = this.house.pots.find(({ pump }) => pump === plant?.pump);
    if (!plant || !pot) return;
    const changes = {
      rename: () => this.rename(plants, at, plant),
      "new pin": () => this.newPin(plants, at, plant, pot),
      "new probe": () => this.newProbe(plants, at, plant, pot),
      "all new": () => this.allNew(plants, at, plant, pot),
      swap: () => this.swap(plants, at),
      remove: () => this.remove(plants, at),
      add: () => this.add(plants),
    };
    const [name, change] = this.dice.of(Object.entries(changes));
    this.tell(`configuration: ${name} ${plant.id}`);
    change();
    this.house.plants = plants;
  }

  private rename(plants: WiredPlant[], at: number, plant: WiredPlant): void {
    plants[at] = { ...plant, id: this.fresh("plant") };
  }

  private newPin(plants: WiredPlant[], at: number, { id }: WiredPlant, pot: RealPot): void {
    plants[at] = this.plantIn(this.rewire(pot, { pump: true }), id);
  }

  private newProbe(plants: WiredPlant[], at: number, { id }: WiredPlant, pot: RealPot): void {
    plants[at] = this.plantIn(this.rewire(pot, { probe: true }), id);
  }

  private allNew(plants: WiredPlant[], at: number, plant: WiredPlant, pot: RealPot): void {
    const formerly = this.dice.chance(0.5) ? [plant.id] : [];
    const id = this.dice.chance(0.3) ? plant.id : this.fresh("plant");
    plants[at] = { ...this.plantIn(this.rewire(pot, { pump: true, probe: true }), id), formerly };
  }

  private remove(plants: WiredPlant[], at: number): void {
    if (plants.length > 1) plants.splice(at, 1);
  }

  /** Two plants change their pumps, in the file alone. */
  private swap(plants: WiredPlant[], at: number): void {
    const other = (at + 1) % plants.length;
    const [a, b] = [plants[at], plants[other]];
    if (!a || !b || a === b) return;
    const probes = this.dice.chance(0.5);
    plants[at] = { ...a, pump: b.pump, light: b.light, ...(probes && { probe: b.probe }) };
    plants[other] = { ...b, pump: a.pump, light: a.light, ...(probes && { probe: a.probe }) };
  }

  /** A pot that had left the file is back, under another name and perhaps on other wires. */
  private add(plants: WiredPlant[]): void {
    const free = this.house.pots.find(({ pump }) => !plants.some((plant) => plant.pump === pump));
    if (!free) return;
    const wires = this.dice.chance(0.5) ? { pump: true, probe: true } : {};
    plants.push(this.plantIn(this.rewire(free, wires), this.fresh("plant")));
  }

  private rewire(pot: RealPot, { pump = false, probe = false }): RealPot {
    if (pump) pot.pump = this.fresh("gpio");
    if (probe) pot.probe = this.fresh("input");
    return pot;
  }

  private pot(n: number): RealPot {
    const flow = this.dice.of([0.97, 1.1, 1.5, 2.7, 7, 20]);
    return {
      name: `pot ${n}`,
      flow,
      pumped: [],
      lit: [],
      pump: this.fresh("gpio"),
      probe: this.fresh("input"),
    };
  }

  private plantIn({ pump, probe }: RealPot, id: string): WiredPlant {
    return { id, pump, probe, light: `${pump} light`, formerly: [] };
  }

  private fresh(what: string): string {
    this.named += 1;
    return `${what}${this.named}`;
  }

  private tell(what: string): void {
    const { house } = this;
    const used = house.plants.map(({ id }) => `${id} ${house.used(id) ?? "?"}`).join(", ");
    this.story.push(`${(house.clock.world() / 1000).toFixed(1)} s  ${what}   [${used}]`);
  }
}

/** Whatever a dead process had still asked of the database is over. */
async function settled(database: Database): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await database.get("SELECT 1");
  }
}
