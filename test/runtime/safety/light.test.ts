import fc from "fast-check";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, millis, minutes } from "../../../drivers/units.js";
import {
  type LightState,
  lightAvailability,
  litMinutesToday,
  startOfUtcDay,
} from "../../../runtime/safety/light.js";
import { elapsed, type Stamp, stampOf } from "../../../runtime/safety/stamp.js";
import { TrueTime } from "./true-time.js";

t.test("a light that was never lit is available at once", async (t) => {
  const now = stampOf(new SimulatedClock());
  t.same(lightAvailability({ state: "never lit" }, now), {
    on: false,
    canActivate: true,
    minutesUntilAvailable: 0,
  });
});

t.test("while on, the light is available 30 minutes after the rest of its period, rounded up", async (t) => {
  const clock = new SimulatedClock();
  const light = { state: "on", since: stampOf(clock), minutes: 60 } as const;
  t.match(lightAvailability(light, stampOf(clock)), {
    on: true,
    canActivate: false,
    minutesUntilAvailable: 90,
  });
  await clock.advance(millis(1));
  t.equal(lightAvailability(light, stampOf(clock)).minutesUntilAvailable, 90);
  await clock.advance(minutes(59));
  t.equal(lightAvailability(light, stampOf(clock)).minutesUntilAvailable, 31);
});

t.test("off, the light rests 30 minutes to the millisecond", async (t) => {
  const clock = new SimulatedClock();
  const light = { state: "off", since: stampOf(clock) } as const;
  t.same(lightAvailability(light, stampOf(clock)), {
    on: false,
    canActivate: false,
    minutesUntilAvailable: 30,
  });
  await clock.advance(millis(minutes(30) - 1));
  t.same(lightAvailability(light, stampOf(clock)), {
    on: false,
    canActivate: false,
    minutesUntilAvailable: 1,
  });
  await clock.advance(millis(1));
  t.same(lightAvailability(light, stampOf(clock)), {
    on: false,
    canActivate: true,
    minutesUntilAvailable: 0,
  });
});

t.test("a step of the wall clock does not shorten the rest", async (t) => {
  const clock = new SimulatedClock();
  const light = { state: "off", since: stampOf(clock) } as const;
  clock.stepWall(hours(5));
  t.equal(lightAvailability(light, stampOf(clock)).minutesUntilAvailable, 30);
});

type Event =
  | { readonly kind: "light"; readonly minutes: number; readonly endAfter: number }
  | { readonly kind: "wait"; readonly for: number }
  | { readonly kind: "step"; readonly by: number }
  | { readonly kind: "reboot"; readonly downtime: number; readonly synchronised: boolean };

type Rule = (light: LightState, now: Stamp) => boolean;

/** A lamp in a house whose clock may lie; a rest that cannot be proved counts from the run's start, as in the ledger. */
class House extends TrueTime {
  private offAt = Number.NEGATIVE_INFINITY;
  private opened = stampOf(this.clock);
  private light: LightState = { state: "never lit" };
  /** The shortest true rest between two periods of light. */
  shortestRest = Number.POSITIVE_INFINITY;

  constructor(private readonly rule: Rule) {
    super();
  }

  async meet(event: Event): Promise<void> {
    if (event.kind === "wait") await this.pass(event.for);
    if (event.kind === "step" && !this.clock.synchronised()) this.clock.stepWall(millis(event.by));
    if (event.kind === "reboot") this.reboot(event.downtime, event.synchronised);
    if (event.kind === "light" && this.rule(this.state(), stampOf(this.clock))) await this.shine(event);
  }

  private state(): LightState {
    const proved = this.light.state !== "off" || elapsed(this.light.since, stampOf(this.clock)).certain;
    return proved ? this.light : { state: "off", since: this.opened };
  }

  private async shine(period: { minutes: number; endAfter: number }): Promise<void> {
    this.shortestRest = Math.min(this.shortestRest, this.truth - this.offAt);
    await this.pass(Math.min(period.endAfter, minutes(period.minutes)));
    this.offAt = this.truth;
    this.light = { state: "off", since: stampOf(this.clock) };
  }

  protected override reboot(downtime: number, synchronised: boolean): void {
    super.reboot(downtime, synchronised);
    this.opened = stampOf(this.clock);
  }
}

async function shortestRest(rule: Rule, life: readonly Event[]): Promise<number> {
  const house = new House(rule);
  for (const event of life) await house.meet(event);
  return house.shortestRest;
}

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("light" as const),
      minutes: fc.integer({ min: 30, max: 120 }),
      endAfter: fc.integer({ min: 0, max: hours(3) }),
    }),
    fc.record({ kind: fc.constant("wait" as const), for: fc.integer({ min: 0, max: minutes(40) }) }),
    fc.record({ kind: fc.constant("step" as const), by: fc.integer({ min: -hours(4), max: hours(4) }) }),
    fc.record({
      kind: fc.constant("reboot" as const),
      downtime: fc.integer({ min: 0, max: minutes(40) }),
      synchronised: fc.boolean(),
    }),
  ),
  { minLength: 2, maxLength: 40 },
);

const promise = (rule: Rule) =>
  fc.asyncProperty(events, async (life) => (await shortestRest(rule, life)) >= minutes(30));

t.test("no sequence of periods, reboots and clock steps lights within 30 true minutes of off", async (t) => {
  await fc.assert(
    promise((light, now) => lightAvailability(light, now).canActivate),
    { seed: 3, numRuns: 400 },
  );
  t.pass("400 lives");
});

t.test("the promise catches a rest by the wall clock", async (t) => {
  const wallClock: Rule = (light, now) =>
    light.state !== "off" || now.wall_ms - light.since.wall_ms >= minutes(30);
  t.ok((await fc.check(promise(wallClock), { seed: 3, numRuns: 400 })).failed);
});

const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);

t.test("the light of today is counted from 00:00 UTC, in whole minutes", async (t) => {
  const intervals = [
    { from: at("00:00:00") - minutes(90), to: at("00:30:30") },
    { from: at("08:00:00"), to: at("09:00:00") },
  ];
  t.equal(
    litMinutesToday(intervals, at("12:00:00")),
    90,
    "30 of the period over midnight, 60 of the morning",
  );
  t.equal(litMinutesToday(intervals, at("08:10:00")), 40, "a period that goes on counts up to now");
  t.equal(litMinutesToday(intervals, at("08:10:00") + hours(24)), 0, "yesterday's light is yesterday's");
  t.equal(litMinutesToday([], at("08:10:00")), 0);
});

t.test("the midnight that counts is that of UTC", async (t) => {
  t.equal(startOfUtcDay(at("23:59:59.999")), at("00:00:00"));
  t.equal(startOfUtcDay(at("00:00:00")), at("00:00:00"));
});

t.test("where the clock was set back a minute of the day counts once", async (t) => {
  const intervals = [
    { from: at("08:00:00"), to: at("09:00:00") },
    { from: at("08:30:00"), to: at("09:30:00") },
    { from: at("08:40:00"), to: at("08:50:00") },
    { from: at("10:00:00"), to: at("09:00:00") },
  ];
  t.equal(litMinutesToday(intervals, at("12:00:00")), 90);
  t.equal(litMinutesToday(intervals.toReversed(), at("12:00:00")), 90, "in whatever order they were written");
});
