import type { DriverError, DriverErrorCode } from "../../../drivers/errors.js";
import type { Board, InputState } from "../../../drivers/open-board.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { hours } from "../../../drivers/units.js";
import type { Log } from "../../log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { cancelAll, defineModule, definePart, settleAll } from "../module.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { type Control, type ControlEntry, control } from "../people/control.js";
import { water } from "../water/service.js";
import { INPUT_ERRORS, inputs } from "./inputs.js";

/** Troubles that a person must know of: they may come again, or keep everything from being switched. */
const TOLD: ReadonlySet<DriverErrorCode> = new Set([
  "GUARD_LOST",
  "GUARD_BUSY",
  "PIN_FAILED",
  "RELAY_WELDED",
  "INTERLOCK_LOST",
  "INTERLOCK_LIMITS",
  "INTERLOCK_PORT",
  "PACKAGE_UNAVAILABLE",
]);
/** A relay may stay on. */
const HELD_FOR: ReadonlySet<DriverErrorCode> = new Set(["PIN_FAILED", "RELAY_WELDED"]);
/** A choice: a repeated trouble is told once in this time; the log has each. */
const TOLD_EVERY = hours(1);
/** Begins the reason of each hold for a relay. One such hold is enough, whatever else the relay reports. */
const MAY_BE_ON = "a relay may be on: ";

interface BoardWatchParts {
  readonly board: Pick<Board, "inputs" | "watchInputs" | "watchTroubles" | "explanation">;
  readonly plants: readonly string[];
  readonly control: Control;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  /** Logs an error if nobody waits for the result. */
  complain(error: unknown): void;
  stopEverything(by: string): Promise<void>;
  /** Ends the plant's dose, also one that is still being admitted. */
  stopWater(plant: string): Promise<void>;
}

/**
 * Records and tells what a button, a leak, an empty tank or a hardware failure means. The hardware itself has switched
 * off already; this adds what lasts. Stops and bans take effect before any wait for the disk.
 */
export class BoardWatch {
  private readonly underWay = new Set<Promise<void>>();
  private cancel: Cancel = () => undefined;

  constructor(private readonly parts: BoardWatchParts) {}

  /** Handles everything that is active already, then each change. Resolves when the former is done. */
  async begin(): Promise<void> {
    const { board, log, control } = this.parts;
    for (const line of board.explanation) log("info", line);
    this.cancel = cancelAll([
      board.watchTroubles((trouble) => this.seeTrouble(trouble)),
      board.watchInputs((input) => this.track(this.seeInput(input))),
      control.watchLifted(() => this.track(this.endNews())),
    ]);
    this.track(this.endNews());
    for (const input of board.inputs()) this.track(this.seeInput(input));
    await this.settled();
  }

  /** Resolves once everything seen so far is on the disk or logged as failed. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** Stops listening; the board itself still switches off. */
  end(): Promise<void> {
    this.cancel();
    return this.settled();
  }

  private track(consequence: Promise<void>): void {
    const tracked = consequence.catch(this.parts.complain);
    this.underWay.add(tracked);
    void tracked.finally(() => this.underWay.delete(tracked));
  }

  private async seeInput(input: InputState): Promise<void> {
    if (input.kind === "tank") await this.level(input);
    else if (input.active && input.kind === "leak") await this.wet(input);
    else if (input.active) await this.pressed(input);
  }

  /** As `tendril off`: everything off, then a hold. Releasing the button lifts nothing. */
  private async pressed({ name }: InputState): Promise<void> {
    const { control, outbox, stopEverything } = this.parts;
    const reason = `stop button "${name}" pressed`;
    const known = control.isHeldFor(reason);
    const off = stopEverything(reason);
    if (known) return off;
    const held = this.record({ kind: "hold", reason });
    const told = outbox.tell({ kind: "stop_pressed", severity: "warning", data: { input: name } });
    await settleAll([off, held, told]);
  }

  /** Tells the person once: until the fault is cleared, more water on the sensor is no news. */
  private async wet({ name, plants }: InputState): Promise<void> {
    const { control, outbox } = this.parts;
    const reason = `the leak sensor "${name}" was wet`;
    const fresh = plants.filter((plant) => !control.hasFault(plant, "LEAK"));
    const latched = fresh.map((plant) => this.record({ kind: "fault", code: "LEAK", plant, reason }));
    const data = { input: name, plants: fresh };
    const told = fresh.length > 0 && outbox.tell({ kind: "leak", severity: "urgent", data });
    await settleAll([...this.stopAll(plants), ...latched, Promise.resolve(told)]);
  }

  /** Tells the person when the tank runs empty, even across a restart, and not again until it was full. */
  private async level({ name, plants, active }: InputState): Promise<void> {
    const { control, outbox } = this.parts;
    const stopped = active ? this.stopAll(plants) : [];
    if (active === control.isKnownEmpty(name)) return settleAll(stopped);
    const reason = `the tank "${name}" is ${active ? "empty" : "filled"}`;
    const noted = this.record({ kind: active ? "tank_empty" : "tank_filled", input: name, reason });
    const data = { input: name, plants: [...plants] };
    const told = active ? outbox.tell({ kind: "tank_empty", severity: "warning", data }) : this.endNews();
    await settleAll([...stopped, noted, told]);
  }

  private stopAll(plants: readonly string[]): Promise<void>[] {
    return plants.map((plant) => this.parts.stopWater(plant));
  }

  /**
   * Logs every trouble, and notifies the person of those that need one. A relay that did not go off puts everything on
   * hold until a person lifts it. A latched interlock locks everything until a person clears it.
   */
  private seeTrouble(trouble: DriverError): void {
    this.parts.log("error", trouble.message);
    this.track(trouble.code === "INTERLOCK_FAULT" ? this.latch(trouble) : this.report(trouble));
  }

  /** Hold and fault take effect before the wait for the disk. A new one is always told. */
  private async report(trouble: DriverError): Promise<void> {
    const fresh = HELD_FOR.has(trouble.code) && !this.parts.control.isHeldFor(MAY_BE_ON);
    const held = fresh && this.record({ kind: "hold", reason: `${MAY_BE_ON}${trouble.what}` });
    const told = (fresh || TOLD.has(trouble.code)) && this.tell(trouble, fresh);
    await settleAll([Promise.resolve(held), Promise.resolve(told)]);
  }

  /** Tells the person once: until the fault is cleared, more of the same is no news. */
  private async latch({ code, what, facts }: DriverError): Promise<void> {
    const { control, outbox, plants } = this.parts;
    const fresh = plants.filter((plant) => !control.hasFault(plant, "INTERLOCK"));
    if (fresh.length === 0) return;
    const latched = fresh.map((plant) =>
      this.record({ kind: "fault", code: "INTERLOCK", plant, reason: what }),
    );
    const data = { code, faults: facts.reasons ?? [] };
    const told = outbox.tell({ kind: "interlock_fault", severity: "urgent", data });
    await settleAll([...latched, told]);
  }

  /** `held`: everything was put on hold for it. Then an earlier message without a hold is over. */
  private async tell({ code, facts, message }: DriverError, held: boolean): Promise<void> {
    const { outbox } = this.parts;
    const news = { kind: "hardware_trouble", key: message } as const;
    const severity = held ? "urgent" : "warning";
    // started at once, in this order: the same trouble, if seen again meanwhile, is no news
    const over = held && outbox.over(news);
    const data = { code, trouble: facts, held };
    const told = outbox.tell({ ...news, severity, data, standsFor: TOLD_EVERY });
    await settleAll([Promise.resolve(over), told]);
  }

  /** Ends news that is no longer true, so that nobody gets it. */
  private async endNews(): Promise<void> {
    const { control, outbox, plants } = this.parts;
    const isHeld = control.isHeldFor("");
    await settleAll([
      outbox.overWhere("stop_pressed", () => !isHeld),
      outbox.overWhere("hardware_trouble", ({ held }) => held && !isHeld),
      outbox.overWhere("leak", (leak) => !leak.plants.some((plant) => control.hasFault(plant, "LEAK"))),
      outbox.overWhere(
        "interlock_fault",
        () => !plants.some((plant) => control.hasFault(plant, "INTERLOCK")),
      ),
      outbox.overWhere("tank_empty", ({ input }) => !control.isKnownEmpty(input)),
    ]);
  }

  private record(entry: Omit<ControlEntry, "timestamp" | "by">): Promise<void> {
    const { control, clock } = this.parts;
    return control.record({ timestamp: isoUtc(clock.now()), by: "runtime", ...entry });
  }
}

export const boardWatch = definePart("board watch", async (house) => {
  const { board, clock, plants, log, complain } = house;
  const pumps = await house.use(water);
  const watch = new BoardWatch({
    board,
    plants: plants.ids,
    control: await house.use(control),
    outbox: await house.use(outbox),
    clock,
    log,
    complain,
    stopEverything: (by) => house.stopEverything(by),
    stopWater: (plant) => pumps.stop(plant),
  });
  house.onClose(() => watch.end());
  return watch;
});

/** Buttons, leak sensors and tank levels, and hardware troubles outside of calls. */
export const inputsModule = defineModule({
  name: "inputs",
  canBeOff: false,
  toolset: "plants",
  errors: INPUT_ERRORS,
  parts: [inputs, boardWatch],
  tools: [],
  overview: {
    view: (house) => ({
      inputs: house
        .get(inputs)
        .all()
        .map((input) => ({ ...input, plants: [...input.plants] })),
    }),
  },
  start: (house) => house.get(boardWatch).begin(),
});
