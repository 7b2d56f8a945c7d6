import fc from "fast-check";
import t, { type Test } from "tap";
import { BenchInterlock, passingMemory } from "../../../drivers/bench/bench-interlock.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Interlock } from "../../../drivers/devices/interlock/interlock.js";
import { switchedNothing } from "../../../drivers/errors.js";
import { type Bench, openBoard } from "../../../drivers/open-board.js";
import { type Millis, millilitres, millis, seconds } from "../../../drivers/units.js";
import { BASIL, hardware } from "../bench-rig.js";

/** One kind of trouble a run: two at once are more than one interlock can make good. */
const TROUBLES = ["unplugged", "emergency stop", "relay welded", "contact welded"] as const;

type Trouble = (typeof TROUBLES)[number];

const BEGIN_OR_END: Readonly<Record<Trouble, (bench: Bench, on: boolean) => void>> = {
  unplugged: ({ interlock }, unplugged) => void Object.assign(interlock?.faults ?? {}, { unplugged }),
  "emergency stop": ({ interlock }, stopPressed) =>
    void Object.assign(interlock?.faults ?? {}, { stopPressed }),
  "contact welded": ({ interlock }, on) =>
    void Object.assign(interlock?.faults ?? {}, { welded: on ? "pump" : undefined }),
  "relay welded": (bench, on) =>
    void Object.assign(bench.faults("basil"), { pump: on ? "relay welded" : undefined }),
};

const stories = fc.record({
  trouble: fc.constantFrom(...TROUBLES),
  acts: fc.array(
    fc.record({
      what: fc.constantFrom("dose", "dose", "begin", "end", "stop", "clear"),
      /** Of a dose. */
      ml: fc.integer({ min: 10, max: 25 }),
      /** Until the next, in tenths of a second. */
      wait: fc.integer({ min: 1, max: 120 }),
    }),
    { minLength: 3, maxLength: 8 },
  ),
});

type Story = typeof stories extends fc.Arbitrary<infer S> ? S : never;

async function pass(clock: SimulatedClock, time: Millis): Promise<void> {
  for (let left: number = time; left > 0; left -= 100) await clock.advance(millis(100));
}

/** Plays it; what was poured, and what was charged for it, in ml. */
async function play({ trouble, acts }: Story) {
  const clock = new SimulatedClock();
  const board = await openBoard(
    { kind: "bench", interlock: {}, plants: [BASIL] },
    { clock, speed: 1, seed: 1 },
  );
  const { bench } = board;
  const { pump } = hardware(board.plants, "basil");
  bench.tank("basil").left = millilitres(1000);
  let charged = 0;
  const charge = (ml: number) => {
    charged += ml;
  };
  const underWay: Promise<unknown>[] = [];
  const dose = (ml: number) =>
    underWay.push(
      pump.dispense(millilitres(ml)).then(
        (given) => charge(given.ml),
        (error) => charge(switchedNothing(error) ? 0 : ml),
      ),
    );
  await pass(clock, seconds(11));
  for (const { what, ml, wait } of acts) {
    if (what === "dose") dose(ml);
    if (what === "begin" || what === "end") BEGIN_OR_END[trouble](bench, what === "begin");
    if (what === "stop") await pump.stop();
    if (what === "clear") void board.interlock?.clear().catch(() => undefined);
    await pass(clock, millis(wait * 100));
  }
  await pass(clock, seconds(45));
  await Promise.all(underWay);
  const poured = 1000 - (bench.tank("basil").left ?? 0);
  await board.close();
  return { poured, charged };
}

t.test("whatever fails and whenever, never more is poured than is charged", async (t) => {
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const { poured, charged } = await play(story);
      if (poured > charged + 0.01) throw new Error(`${poured} ml were poured, ${charged} ml charged`);
    }),
    { seed: 7, numRuns: 15 },
  );
  t.pass();
});

/** The interlock's time goes on, the Pi's stands still with its relay closed. */
async function hungPi(t: Test) {
  const [pi, world] = [new SimulatedClock(), new SimulatedClock()];
  const relays = { settle: () => undefined, conducted: () => true, edgeAfter: () => undefined };
  const interlock = new BenchInterlock(world, relays, passingMemory());
  const device = await Interlock.open(interlock.line, pi);
  t.teardown(() => device.close());
  return { pi, world, interlock, device };
}

t.test(
  "a Pi that hangs with its relay closed: the pump is off two seconds after its last heartbeat",
  async (t) => {
    const { pi, world, interlock, device } = await hungPi(t);
    for (let time = 0; time < 11_000; time += 100) {
      await pi.advance(millis(100));
      await world.advance(millis(100));
    }
    await device.request("pump", seconds(20));
    t.equal(interlock.edges("pump").at(-1)?.level, 1);
    const begun = world.monotonic();
    await world.advance(seconds(15));
    t.match(interlock.edges("pump").at(-1), { level: 0 });
    t.ok((interlock.edges("pump").at(-1)?.at ?? 0) - begun <= 2000);
    t.match((await device.status()).faults, ["no heartbeat while the pump ran"]);
  },
);
