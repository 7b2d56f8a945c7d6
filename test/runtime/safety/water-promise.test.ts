import fc from "fast-check";
import t from "tap";
import { hours, millis, minutes, seconds } from "../../../drivers/units.js";
import { type Stamp, stampOf } from "../../../runtime/safety/stamp.js";
import {
  admitDose,
  poured24h,
  pruneWaterEvents,
  type WaterEvent,
} from "../../../runtime/safety/water-window.js";
import { TrueTime } from "./true-time.js";

const DAY = hours(24);
const PULSE = seconds(26);

/** What may happen to a runtime, its machine and its clock. */
type Happening =
  | { readonly kind: "doses"; readonly n: number; readonly ml: number; readonly crash: boolean }
  | { readonly kind: "wait"; readonly for: number }
  | { readonly kind: "step"; readonly by: number }
  | { readonly kind: "reboot"; readonly downtime: number; readonly synchronised: boolean }
  | { readonly kind: "anchor" };

/** A rule under test: what it charges for a dose that it lets flow, or undefined if it refuses. */
type Rule = (ml: number, events: readonly WaterEvent[], now: Stamp) => number | undefined;

/** Water that really flowed, in true time. */
interface Flow {
  readonly from: number;
  readonly to: number;
  readonly ml: number;
}

/** The house: doses, clocks and power cuts happen to it, and the water that really flows is written down in true time. */
class House extends TrueTime {
  readonly flows: Flow[] = [];
  events: WaterEvent[] = [];

  constructor(private readonly rule: Rule) {
    super();
  }

  async live(happenings: readonly Happening[]): Promise<void> {
    for (const each of happenings) await this.meet(each);
  }

  private async meet(happening: Happening): Promise<void> {
    if (happening.kind === "doses") await this.doses(happening.n, happening.ml, happening.crash);
    if (happening.kind === "wait") await this.pass(happening.for);
    if (happening.kind === "step" && !this.clock.synchronised()) this.clock.stepWall(millis(happening.by));
    if (happening.kind === "reboot") this.reboot(happening.downtime, happening.synchronised);
    if (happening.kind === "anchor") this.events.push({ stamp: stampOf(this.clock), charged: 0, mark: true });
  }

  /** The most that flowed within any 24 hours: in one that begins as a flow ends, and holds what began by its end. */
  most(): number {
    const within = (first: Flow) =>
      this.flows.filter(({ from, to }) => to >= first.to && from < first.to + DAY);
    return Math.max(0, ...this.flows.map((first) => within(first).reduce((sum, { ml }) => sum + ml, 0)));
  }

  private async doses(n: number, ml: number, crash: boolean): Promise<void> {
    for (let i = 0; i < n; i += 1) await this.dose(ml, crash);
  }

  private async dose(ml: number, crash: boolean): Promise<void> {
    const intent = stampOf(this.clock);
    const charged = this.rule(ml, this.events, intent);
    if (charged === undefined) return;
    const from = this.truth;
    await this.pass(PULSE);
    this.flows.push({ from, to: this.truth, ml });
    this.events.push(
      crash ? { stamp: intent, charged, unfinished: true } : { stamp: stampOf(this.clock), charged },
    );
  }
}

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("doses" as const),
      n: fc.integer({ min: 1, max: 25 }),
      ml: fc.integer({ min: 10, max: 25 }),
      crash: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), for: fc.integer({ min: 0, max: hours(13) }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("step" as const),
      by: fc.integer({ min: -hours(40), max: hours(40) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reboot" as const),
      downtime: fc.integer({ min: 0, max: hours(20) }),
      synchronised: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("anchor" as const) }) },
);
const lives = fc.array(happening, { minLength: 5, maxLength: 25 });

const ours: Rule = (ml, events, now) => (admitDose({ ml, events, now }).admitted ? ml : undefined);

const promise = (rule: Rule) =>
  fc.asyncProperty(lives, async (happenings) => {
    const house = new House(rule);
    await house.live(happenings);
    return house.most() <= 500;
  });

t.test(
  "no sequence of doses, crashes, reboots and clock steps gets more than 500 ml into any true 24 hours",
  async (t) => {
    await fc.assert(promise(ours), { seed: 20261121, numRuns: 300 });
    t.pass("300 lives");
  },
);

t.test("the promise catches a window over the wall clock", async (t) => {
  const wallClock: Rule = (ml, events, now) => {
    const young = events.filter(({ stamp }) => now.wall_ms - stamp.wall_ms < DAY);
    return young.reduce((sum, { charged }) => sum + charged, ml) <= 500 ? ml : undefined;
  };
  t.ok((await fc.check(promise(wallClock), { seed: 1, numRuns: 300 })).failed);
});

t.test("the promise catches a dose that is clipped in the ledger and poured in full", async (t) => {
  const clipping: Rule = (ml, events, now) => {
    const left = 500 - poured24h(events, now);
    return left > 0 ? Math.min(ml, left) : undefined;
  };
  t.ok((await fc.check(promise(clipping), { seed: 1, numRuns: 300 })).failed);
});

t.test("the promise catches a reboot that is believed without a right clock", async (t) => {
  const trusting: Rule = (ml, events, now) => {
    const believed = events.map((event) => ({ ...event, stamp: { ...event.stamp, synced: true } }));
    return admitDose({ ml, events: believed, now: { ...now, synced: true } }).admitted ? ml : undefined;
  };
  t.ok((await fc.check(promise(trusting), { seed: 1, numRuns: 300 })).failed);
});

t.test("pruning changes no figure, at once or later", async (t) => {
  const property = fc.asyncProperty(
    lives,
    fc.integer({ min: 0, max: hours(30) }),
    async (happenings, later) => {
      const house = new House(ours);
      await house.live(happenings);
      const pruned = pruneWaterEvents(house.events, stampOf(house.clock));
      await house.clock.advance(millis(later));
      const now = stampOf(house.clock);
      return poured24h(pruned, now) === poured24h(house.events, now);
    },
  );
  await fc.assert(property, { seed: 7, numRuns: 200 });
  t.pass("200 lives");
});

t.test(
  "the budget comes back: a day after whatever happened 500 ml are free, if an anchor marks the boot",
  async (t) => {
    const property = fc.asyncProperty(lives, async (happenings) => {
      const house = new House(ours);
      await house.live([...happenings, { kind: "anchor" }]);
      await house.clock.advance(millis(DAY + minutes(1)));
      return poured24h(house.events, stampOf(house.clock)) === 0;
    });
    await fc.assert(property, { seed: 8, numRuns: 200 });
    t.pass("200 lives");
  },
);

t.test("what is refused fits after its retryAfter, and not a second earlier", async (t) => {
  const property = fc.asyncProperty(lives, fc.integer({ min: 10, max: 25 }), async (happenings, ml) => {
    const house = new House(ours);
    await house.live([...happenings, { kind: "anchor" }]);
    const { events, clock } = house;
    const refused = admitDose({ ml, events, now: stampOf(clock) });
    if (refused.admitted) return true;
    await clock.advance(millis((refused.retryAfter - 1) * 1000));
    const early = admitDose({ ml, events, now: stampOf(clock) });
    await clock.advance(seconds(1));
    return !early.admitted && admitDose({ ml, events, now: stampOf(clock) }).admitted;
  });
  await fc.assert(property, { seed: 9, numRuns: 200 });
  t.pass("200 lives");
});
