import fc from "fast-check";
import t from "tap";
import { hours, type Millis, millis, minutes, seconds } from "../../drivers/units.js";
import { type Result, Rig } from "../rig.js";
import { broken, type Downtime, TrueTime } from "./true-time.js";

/** The pump's lock is another promise: here it would only keep water from flowing. */
const CONFIG = "{ server: { calls_per_second: 100000 }, water: { no_response: { ml: 500 } } }";
const SEED = 20261121;
const PLANT = "basil";

interface World {
  readonly rig: Rig;
  readonly time: TrueTime;
  readonly answers: Result[];
}

/** One thing that somebody does, or that happens. */
interface Step {
  readonly what: string;
  readonly run: (world: World) => Promise<unknown>;
}

const by = fc.constantFrom("agent" as const, "human" as const, "human" as const);
const ml = fc.integer({ min: 10, max: 25 });

const call = (tool: string, args: object, as: "agent" | "human" | "observer"): Step => ({
  what: `${as}: ${tool} ${JSON.stringify(args)}`,
  run: async ({ rig, answers }) => answers.push(await rig.call(tool, { ...args }, { as })),
});

const dispense = fc.record({ ml, as: by }).map(
  ({ ml, as }): Step => ({
    what: `${as}: dispense_water ${ml}`,
    run: async ({ rig, answers }) => answers.push(await rig.during("dispense_water", { ml }, { as })),
  }),
);

/** Up to the limit, or nearly. */
const spree = fc.record({ ml, times: fc.integer({ min: 5, max: 40 }) }).map(
  ({ ml, times }): Step => ({
    what: `human: up to ${times} × dispense_water ${ml}`,
    run: (world) => pour(world, ml, times),
  }),
);

async function pour({ rig, answers }: World, ml: number, times: number): Promise<void> {
  for (let n = 0, flows = true; n < times && flows; n += 1) {
    const answer = await rig.during("dispense_water", { ml }, { as: "human" });
    answers.push(answer);
    flows = answer.ok;
  }
}

/** Two at once, stopped on the way. */
const stopped = fc.record({ ml, after: fc.integer({ min: 0, max: 20_000 }) }).map(
  ({ ml, after }): Step => ({
    what: `human: 2 × dispense_water ${ml} at once, stop_all after ${after} ms`,
    run: async ({ rig, answers }) => {
      const doses = [1, 2].map(() => rig.call("dispense_water", { ml }, { as: "human" }));
      await rig.pass(millis(after));
      answers.push(await rig.call("stop_all", {}, { as: "observer" }));
      const over = Promise.all(doses);
      await settleWith(rig, over);
      answers.push(...(await over));
    },
  }),
);

/** A dose that was only just admitted when everything was stopped may still have to be waited for. */
async function settleWith(rig: Rig, over: Promise<unknown>): Promise<void> {
  let done = false;
  void over.finally(() => {
    done = true;
  });
  for (let second = 0; second < 60 && !done; second += 1) await rig.pass(seconds(1));
}

const plan = fc.array(
  fc.oneof(
    fc.record({ action: fc.constant("water"), value: ml }),
    fc.record({ action: fc.constant("light"), value: fc.integer({ min: 30, max: 120 }) }),
  ),
  { maxLength: 3 },
);
const status = plan.map(
  (steps): Step => ({
    what: `agent: write_plant_status ${JSON.stringify(steps)}`,
    run: ({ rig }) => rig.status(steps),
  }),
);

const lightOn = fc
  .record({ minutes: fc.integer({ min: 30, max: 120 }), as: by })
  .map(({ minutes, as }) => call("turn_on_light", { minutes }, as));
const lightOff = fc.constant(call("turn_off_light", {}, "observer"));
const stopAll = fc.constant(call("stop_all", {}, "observer"));
const hold = fc.constant(call("set_hold", { hold: true }, "human"));
const resume = fc.constant(call("set_hold", { hold: false }, "human"));

const waiting = fc
  .oneof(
    fc.integer({ min: 1, max: minutes(40) }),
    fc.integer({ min: minutes(29), max: minutes(31) }),
    fc.integer({ min: hours(1), max: hours(25) }),
  )
  .map((time): Step => ({ what: `${time} ms pass`, run: ({ rig }) => pass(rig, millis(time)) }));

/** The runtime's rounds go on meanwhile. */
async function pass(rig: Rig, time: Millis): Promise<void> {
  for (let left: number = time; left > 0; left -= hours(1)) {
    await rig.pass(millis(Math.min(left, hours(1))));
    await rig.core.mark();
  }
}

/** A lie that matters: hours in either direction. */
const jump = fc.oneof(
  fc.integer({ min: -hours(30), max: hours(30) }),
  fc.integer({ min: hours(20), max: hours(60) }),
);

const step = jump.map(
  (by): Step => ({
    what: `the wall clock is set by ${by} ms`,
    run: async ({ time }) => time.stepWall(by),
  }),
);

const restart = fc.constant<Step>({ what: "the runtime restarts", run: ({ time }) => time.restart() });

const reboot: fc.Arbitrary<Step> = fc
  .record({
    downtime: fc.oneof(
      fc.integer({ min: seconds(5), max: minutes(20) }),
      fc.integer({ min: seconds(5), max: hours(30) }),
    ),
    claimed: jump,
    synchronised: fc.boolean(),
  })
  .map((off: Downtime) => ({
    what: `the machine reboots ${JSON.stringify(off)}`,
    run: ({ time }: World) => time.reboot(off),
  }));

const anything = fc.oneof(
  { weight: 3, arbitrary: dispense },
  { weight: 3, arbitrary: spree },
  { weight: 1, arbitrary: stopped },
  { weight: 4, arbitrary: lightOn },
  { weight: 1, arbitrary: lightOff },
  { weight: 2, arbitrary: status },
  { weight: 1, arbitrary: stopAll },
  { weight: 1, arbitrary: hold },
  { weight: 3, arbitrary: resume },
  { weight: 5, arbitrary: waiting },
  { weight: 2, arbitrary: step },
  { weight: 1, arbitrary: restart },
  { weight: 2, arbitrary: reboot },
);

/** To the limit of water, and a stretch of light. */
const useUp: Step = {
  what: "everything is used up",
  run: async (world) => {
    await pour(world, 25, 20);
    await call("turn_on_light", { minutes: 30 }, "human").run(world);
    await pass(world.rig, minutes(30));
  },
};

/** Used up, lied to, used up again: where a rule that believes a lie gives itself away. */
const temptation = fc.array(fc.oneof(step, reboot, restart, waiting), { minLength: 1, maxLength: 2 }).map(
  (lies): Step => ({
    what: [useUp, ...lies, useUp].map(({ what }) => what).join("\n"),
    run: async (world) => {
      for (const { run } of [useUp, ...lies, useUp]) await run(world);
    },
  }),
);

async function live(steps: readonly Step[]): Promise<World> {
  const rig = await Rig.start({ config: CONFIG });
  const world = { rig, time: new TrueTime(rig, PLANT), answers: [] };
  try {
    for (const { run } of steps) await run(world);
  } finally {
    await world.time.end();
  }
  return world;
}

interface Seen {
  pulses: number;
  lit: number;
  readonly refusals: Set<string>;
}

/** Runs sequences of `steps` and fails with the first after which the relays had done what they must not. */
async function judge(steps: fc.Arbitrary<Step[]>, numRuns: number): Promise<Seen> {
  const seen: Seen = { pulses: 0, lit: 0, refusals: new Set() };
  const property = fc.asyncProperty(steps, async (sequence) => {
    const { time, answers } = await live(sequence);
    seen.pulses += time.pumped.length;
    seen.lit += time.lit.length;
    const refusals = answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
    for (const { code } of refusals) seen.refusals.add(code);
    const defects = refusals.filter(({ code }) => code === "INTERNAL").map(({ message }) => message);
    const problems = [...broken(time), ...defects];
    if (problems.length > 0) throw new Error([...problems, ...sequence.map(({ what }) => what)].join("\n"));
  });
  await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
  return seen;
}

t.test(
  "no pot gets more than 500 ml in any 24 hours, whatever is called, however often the machine restarts and whatever a clock says that nobody has set",
  async (t) => {
    const { pulses, lit, refusals } = await judge(
      fc.array(anything, { minLength: 10, maxLength: 40, size: "max" }),
      12,
    );
    for (const code of ["BUDGET_EXCEEDED", "LIGHT_COOLDOWN", "LIGHT_ALREADY_ON", "HOLD", "PUMP_BUSY"]) {
      t.ok(refusals.has(code), `the sequences came up against ${code}`);
    }
    t.ok(pulses > 150 && lit > 15, `${pulses} doses and ${lit} stretches of light were judged`);
  },
);

t.test("no clock that is set or lost gives water or light back that was used up", async (t) => {
  const { pulses, lit, refusals } = await judge(fc.tuple(temptation, temptation), 12);
  t.ok(refusals.has("BUDGET_EXCEEDED") && refusals.has("LIGHT_COOLDOWN"));
  t.ok(pulses >= 240 && lit > 15, `${pulses} doses and ${lit} stretches of light were judged`);
});
