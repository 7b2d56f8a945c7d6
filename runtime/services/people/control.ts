import type { Cancel } from "../../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { errorTable, final, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { asWritten } from "../../store/records.js";
import { isoNow } from "../../tools/iso-time.js";
import { definePart, type House, Listeners } from "../module.js";

export const CONTROL_ERRORS = errorTable({
  HOLD: final("a person has to lift the hold (`tendril resume`)", "nothing"),
  NO_RESPONSE: final(
    "a person has to look at tube, tank and probe, then clear the fault (`tendril clear`)",
    "nothing",
  ),
  LEAK: final(
    "a person has to stop the leak, dry the sensor, then clear the fault (`tendril clear`)",
    "nothing",
  ),
  INTERLOCK: final(
    "a person has to see to what the interlock names, then clear the fault (`tendril clear`)",
    "nothing",
  ),
});

/** Faults that only a person clears. */
type FaultCode = "NO_RESPONSE" | "LEAK" | "INTERLOCK";

export const LOCKS: Readonly<Record<FaultCode, readonly ("water" | "light")[]>> = {
  NO_RESPONSE: ["water"],
  LEAK: ["water"],
  INTERLOCK: ["water", "light"],
};

export interface ControlEntry {
  readonly timestamp: string;
  readonly kind:
    | "hold"
    | "resume"
    | "fault"
    | "clear"
    | "all_off"
    | "tank_empty"
    | "tank_filled"
    | "answered"
    | "doses_lost"
    | "wet_told"
    | "wet_over"
    | "care_released";
  /** Absent: all plants. */
  readonly plant?: string;
  readonly by: string;
  readonly reason: string;
  readonly code?: FaultCode;
  /** On `tank_empty` and `tank_filled`: the name of the tank's input. */
  readonly input?: string;
  /**
   * A line of the water ledger. On `clear`: the newest at that time; doses up to it need no answer any more. On
   * `answered`: the newest dose that the soil has answered. On `doses_lost`: the last line that is left.
   */
  readonly after_dose?: number;
  /** On `clear`: the plants that it unlocked; others had no fault. Absent from lines before 2026-11-27. */
  readonly unlocked?: readonly string[];
  /** On `care_released`: the time of the status with which the plant's care was last taken. */
  readonly status_at?: string;
}

interface Off extends Pick<ControlEntry, "timestamp" | "by" | "reason"> {
  /** The conversation in which it was said. */
  readonly turn?: string | undefined;
  /** Whether it ended a dose or a light. */
  readonly ended: boolean;
}

interface Fault {
  readonly code: FaultCode;
  readonly since: string;
  readonly reason: string;
}

export interface Hold {
  /** The first hold's, if it was set again before somebody ended it. */
  readonly since: string;
  readonly by: string;
  readonly reason: string;
}

export const CONTROL_LOG = { name: "control", keepsEnd: true, fold: asWritten<ControlEntry> };

/** The name for whoever uses `POST /off`, which asks for no name. No token has this name. */
export const SOMEBODY = "somebody";
/** The reason, if a person's own program switches everything off. */
export const BY_COMMAND = "by a button or a command";

const EVERY_PLANT = "*";

/**
 * A choice: `tendril off`, the page and a chat switch off in several ways one after the other, and repeated offs must
 * not fill the disk.
 */
const ONE_OFF = minutes(1);

/** A choice: as many as the statuses that a start reads (plant-status/service.ts); older ones open nothing. */
const RELEASES_KEPT = 500;

/** The methods that this needs; a journal alone has them too. */
type ControlLog = Pick<RecordLog<ControlEntry, ControlEntry>, "all" | "append">;

/**
 * Holds and latched faults: durable, read from their journal at the start. They refuse switching on, and never
 * switching off. Empty tanks are kept only to tell the person; they forbid nothing.
 */
export class Control {
  private readonly holds = new Map<string, Hold>();
  /** By plant, oldest first. */
  private readonly latched = new Map<string, ReadonlyMap<FaultCode, Fault>>();
  private readonly emptyTanks = new Set<string>();
  /**
   * Holds and faults that a person is lifting: in force until that is durable, but new if they come again meanwhile.
   */
  private readonly leaving = new Set<Hold | Fault>();
  private readonly cleared = new Map<string, number>();
  private readonly answered = new Map<string, number>();
  /** Plants whose soil stays wet, and the person was told so. */
  private readonly toldWet = new Set<string>();
  /** The cares that were given up, as plant and `status_at`, oldest first. */
  private readonly released = new Set<string>();
  private lastOff: { readonly at: Millis; readonly turn: string | undefined } | undefined;
  private readonly lifted = new Listeners();
  private readonly held = new Listeners();

  private constructor(private readonly log: ControlLog) {}

  static async open(log: ControlLog): Promise<Control> {
    const control = new Control(log);
    for await (const entry of log.all()) control.apply(entry);
    return control;
  }

  /** Calls the listener when a hold was lifted or a fault cleared, once that is in force. */
  watchLifted(listener: () => void): Cancel {
    return this.lifted.watch(listener);
  }

  /** Calls the listener when something was put on hold, once that is in force. */
  watchHeld(listener: () => void): Cancel {
    return this.held.watch(listener);
  }

  hold(plant: string): Hold | undefined {
    return this.holds.get(EVERY_PLANT) ?? this.holds.get(plant);
  }

  /** Whether all plants are held for a reason that begins like this, and nobody is lifting that. */
  isHeldFor(reason: string): boolean {
    const hold = this.holds.get(EVERY_PLANT);
    return hold ? hold.reason.startsWith(reason) && !this.leaving.has(hold) : false;
  }

  /** The plant's faults, oldest first. */
  faults(plant: string): readonly Fault[] {
    return [...(this.latched.get(plant)?.values() ?? [])];
  }

  /** Entries that would create every hold and fault in force. */
  inForce(): ControlEntry[] {
    const holds = [...this.holds].map(([at, { since, by, reason }]) => ({
      ...about(at, since),
      kind: "hold" as const,
      by,
      reason,
    }));
    const faults = [...this.latched].flatMap(([at, all]) =>
      [...all.values()].map(({ code, since, reason }) => ({
        ...about(at, since),
        kind: "fault" as const,
        by: "runtime",
        code,
        reason,
      })),
    );
    return [...holds, ...faults];
  }

  /** Whether the fault is latched, and nobody is clearing it. */
  hasFault(plant: string, code: FaultCode): boolean {
    const fault = this.latched.get(plant)?.get(code);
    return fault !== undefined && !this.leaving.has(fault);
  }

  /** Whether the tank was empty when last seen, by this run or an earlier one. */
  isKnownEmpty(tank: string): boolean {
    return this.emptyTanks.has(tank);
  }

  /** The ledger's newest line when a person last cleared this plant's faults; 0 if never. */
  clearedAfterDose(plant: string): number {
    return Math.max(this.cleared.get(EVERY_PLANT) ?? 0, this.cleared.get(plant) ?? 0);
  }

  /** The newest dose that needs no answer any more: the soil has answered it, or a person has cleared it. */
  settledDose(plant: string): number {
    return Math.max(this.clearedAfterDose(plant), this.answered.get(plant) ?? 0);
  }

  /** Whether the care that was taken at this time was given up, by its agent or a person. */
  isReleased(plant: string, status_at: string): boolean {
    return this.released.has(`${plant} ${status_at}`);
  }

  /** Whether the person was told that the plant's soil stays wet, and it has not fallen since. */
  wasToldWet(plant: string): boolean {
    return this.toldWet.has(plant);
  }

  /** Throws HOLD if the plant would stay held by the hold of all plants. */
  assertLiftable(plant: string | undefined): void {
    if (plant === undefined || !this.holds.has(EVERY_PLANT)) return;
    const what = `all plants are on hold, ${plant} among them`;
    throw new TendrilError(CONTROL_ERRORS.HOLD, what);
  }

  /** The holds or faults that the entry lifts. */
  standing({ kind, plant }: Pick<ControlEntry, "kind" | "plant">): readonly (Hold | Fault)[] {
    if (kind === "resume") return [...this.holds].flatMap(([at, hold]) => (isAbout(plant, at) ? [hold] : []));
    return [...this.latched].flatMap(([at, faults]) => (isAbout(plant, at) ? [...faults.values()] : []));
  }

  /** A ban takes effect before it is durable, so that it works on a full disk. A permission takes effect after that. */
  async record(entry: ControlEntry): Promise<void> {
    if (entry.kind === "resume" || entry.kind === "clear") return this.lift(entry);
    if (entry.kind === "answered" || entry.kind === "care_released") return this.recordFirst(entry);
    this.apply(entry);
    if (entry.kind !== "hold") return void (await this.log.append(entry));
    this.held.tell();
    await noted("hold", this.log.append(entry));
  }

  /**
   * Records that everything was switched off, which forbids nothing. An off that ended something is always recorded;
   * any other once a minute, whoever asked, and once in a turn, since a slow model repeats it. `now`: real time.
   */
  async noteOff({ by, reason, timestamp, turn, ended }: Off, now: Millis): Promise<void> {
    const { lastOff } = this;
    const isSame =
      lastOff && (now < plus(lastOff.at, ONE_OFF) || (turn !== undefined && turn === lastOff.turn));
    if (isSame && !ended) return;
    this.lastOff = { at: now, turn };
    await this.log.append({ timestamp, kind: "all_off", by, reason });
  }

  private async recordFirst(entry: ControlEntry): Promise<void> {
    await this.log.append(entry);
    this.apply(entry);
  }

  /** Lifts only what was in force when the person asked. What comes during the write stays. */
  private async lift(entry: ControlEntry): Promise<void> {
    const lifted = new Set(this.standing(entry));
    for (const each of lifted) this.leaving.add(each);
    try {
      await this.log.append(entry);
      this.apply(entry, (each) => lifted.has(each));
    } finally {
      for (const each of lifted) this.leaving.delete(each);
    }
    if (lifted.size > 0) this.lifted.tell();
  }

  /** For a lost journal: it is unknown what was forbidden, so everything is on hold until a person looks. */
  async holdAfterLoss(reason: string, timestamp: string): Promise<void> {
    await this.record({ timestamp, kind: "hold", by: "runtime", reason });
  }

  /** Copies holds and faults of former plants that may be this one. Each stays until a person lifts it. */
  async inherit(plant: string, formers: readonly string[], timestamp: string): Promise<void> {
    const known = new Set(this.inForce().flatMap((each) => (each.plant === plant ? [standing(each)] : [])));
    const inherited = this.inForce().filter(
      (each) => each.plant !== undefined && formers.includes(each.plant),
    );
    for (const entry of inherited) {
      if (known.has(standing(entry))) continue;
      known.add(standing(entry));
      const reason = `${entry.reason} (as ${entry.plant})`;
      await this.record({ ...entry, plant, timestamp, by: "runtime", reason });
    }
  }

  /**
   * Copies the newest answered dose of former plants. A plant without former ones has answered nothing yet, and needs
   * to answer no earlier water, which may have gone elsewhere; that only counts for the daily limit.
   */
  async settleInherited(plant: string, formers: readonly string[], newest: number, timestamp: string) {
    const settled = formers.map((former) => this.settledDose(former));
    const after_dose = formers.length > 0 ? Math.min(...settled) : newest;
    if (after_dose <= this.settledDose(plant)) return;
    const reason = formers.length > 0 ? `as ${formers.join(", ")}` : "newly configured";
    await this.record({ timestamp, kind: "answered", plant, by: "runtime", reason, after_dose });
  }

  /** Throws HOLD, or the code of a fault that locks the action. A fault of the water leaves the light free. */
  assertMayActivate(plant: string, action: "water" | "light"): void {
    const hold = this.hold(plant);
    if (hold)
      throw new TendrilError(CONTROL_ERRORS.HOLD, `${plant} is on hold since ${hold.since} (${hold.reason})`);
    const fault = this.faults(plant).find(({ code }) => LOCKS[code].includes(action));
    if (!fault) return;
    const what = `${plant} is locked since ${fault.since}: ${fault.reason}`;
    throw new TendrilError(CONTROL_ERRORS[fault.code], what);
  }

  private apply(entry: ControlEntry, isOver: (each: Hold | Fault) => boolean = () => true): void {
    const { kind, plant, timestamp, by, reason, code, input = "", after_dose = 0 } = entry;
    const where = plant ?? EVERY_PLANT;
    if (kind === "hold") this.holds.set(where, { since: this.heldSince(where) ?? timestamp, by, reason });
    if (kind === "resume") this.forgetHolds(plant, isOver);
    if (kind === "fault" && code) this.latch(where, { code, since: timestamp, reason });
    if (kind === "clear") this.forgetFaults(plant, isOver);
    if (kind === "clear") this.cleared.set(where, after_dose);
    if (kind === "tank_empty") this.emptyTanks.add(input);
    if (kind === "tank_filled") this.emptyTanks.delete(input);
    if (kind === "care_released") this.release(`${where} ${entry.status_at}`);
    this.applyToSoil(entry);
  }

  /** If a hold is set again, the last caller and reason count: nobody ended it in between. */
  private heldSince(where: string): string | undefined {
    const known = this.holds.get(where);
    return known && !this.leaving.has(known) ? known.since : undefined;
  }

  /** The soil and its answers. After a loss of the ledger the numbers behind its last line are given anew. */
  private applyToSoil({ kind, plant = EVERY_PLANT, after_dose = 0 }: ControlEntry): void {
    if (kind === "answered") this.answered.set(plant, after_dose);
    if (kind === "wet_told") this.toldWet.add(plant);
    if (kind === "wet_over") this.toldWet.delete(plant);
    if (kind !== "doses_lost") return;
    for (const settled of [this.answered, this.cleared])
      for (const [at, dose] of settled) settled.set(at, Math.min(dose, after_dose));
  }

  private release(care: string): void {
    this.released.add(care);
    const [oldest] = this.released;
    if (oldest !== undefined && this.released.size > RELEASES_KEPT) this.released.delete(oldest);
  }

  private forgetHolds(plant: string | undefined, isOver: (hold: Hold) => boolean): void {
    for (const [at, hold] of this.holds) if (isAbout(plant, at) && isOver(hold)) this.holds.delete(at);
  }

  private forgetFaults(plant: string | undefined, isOver: (fault: Fault) => boolean): void {
    for (const [at, faults] of this.latched)
      if (isAbout(plant, at))
        this.latched.set(at, new Map([...faults].filter(([, fault]) => !isOver(fault))));
  }

  private latch(plant: string, fault: Fault): void {
    this.latched.set(plant, new Map([...(this.latched.get(plant) ?? []), [fault.code, fault]]));
  }
}

/** Whoever orders a ban must know that it is in force, also where its line could not be written. */
export async function noted(ban: "hold" | "pause", write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof TendrilError)) throw error;
    const what = `the ${ban} is in force, but could not be written, so a restart may end it: ${error.what}`;
    throw new TendrilError(error.kind, what, { ...error.particulars, cause: error.cause });
  }
}

/** Whether it is about this plant; without a plant, it is about all. */
const isAbout = (plant: string | undefined, at: string): boolean => plant === undefined || plant === at;

const about = (at: string, timestamp: string) => ({ timestamp, ...(at !== EVERY_PLANT && { plant: at }) });

/** A plant has at most one hold, and one fault of each code. */
const standing = ({ kind, code }: ControlEntry): string => `${kind} ${code ?? ""}`;

/**
 * Switches everything off, then writes down by whom. Neither a disk that fails nor one that hangs may look like an off that failed.
 * `asked`: who did, for the log.
 */
export function stopNoted(
  house: House,
  asked: string,
  said: Omit<Off, "timestamp" | "ended">,
): Promise<void> {
  const timestamp = isoNow(house.clock);
  const before = house.stops.ended;
  const off = house.stopEverything(asked); // everything is stopped by now, if not off yet
  const ended = house.stops.ended > before;
  house
    .get(control)
    .noteOff({ timestamp, ...said, ended }, house.realClock.monotonic())
    .catch(house.complain);
  return off;
}

/** The holds and faults of the house. */
export const control = definePart("control", (house) => Control.open(house.journal(CONTROL_LOG)));
