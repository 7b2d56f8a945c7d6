import t from "tap";
import { ABSURD_SPREAD } from "../../../../drivers/devices/soil-probe.js";
import { probeInWords, spanProblem } from "../../../../runtime/cli/calibrate/moisture.js";
import { flowInWords, flowOf, flowProblem, spreadOf } from "../../../../runtime/cli/calibrate/pump.js";
import type { MeasuredProbe } from "../../../../runtime/wire/plants.js";
import { inWords, MAX_NOISE, type Steady, steadyOf } from "../../../../runtime/wire/probe-levels.js";

const doses = (...grams: number[]) => grams.map((each) => ({ grams: each, seconds: 10 }));

t.test(
  "a flow is all the water over all the time, rounded up: the ledger never counts less than flows",
  async (t) => {
    t.equal(flowOf(doses(14, 15, 16)), 1.5);
    t.equal(flowOf(doses(14.1, 14.2, 14.3)), 1.42);
    t.equal(flowOf([{ grams: 10, seconds: 7 }]), 1.43);
    t.equal(
      flowOf([
        { grams: 30, seconds: 10 },
        { grams: 10, seconds: 10 },
      ]),
      2,
    );
  },
);

t.test("doses may differ by a kitchen scale's step, and by a tenth beyond it", async (t) => {
  t.equal(spreadOf(doses(14, 15, 15)), 0);
  t.equal(flowProblem(doses(14, 15, 16)), undefined);
  t.equal(flowProblem(doses(141, 150, 155)), undefined);
  t.match(flowProblem(doses(9, 15, 15)), /^the doses differ too much \(9 g, 15 g, 15 g\): air in the tube/);
});

t.test("a flow that no dose could be timed with is refused, with what it would take", async (t) => {
  t.match(
    flowProblem(doses(9.6, 9.6, 9.6)),
    /^0\.96 ml\/s is too slow: 25 ml would take 26\.1 s.*after 26 s/,
  );
  t.equal(flowProblem(doses(9.7, 9.7, 9.7)), undefined);
  t.match(flowProblem(doses(201, 201, 201)), /^20\.1 ml\/s is more than 20 ml\/s/);
  t.match(flowInWords(1.45), /^1\.45 ml\/s: 25 ml, the largest dose, take 17\.3 s/);
});

const VOLTS = {
  unit: "V",
  dry: 2.75,
  wet: 1.2,
  resembles: null,
  timestamp: "2026-06-01T00:00:00.000Z",
} as const;
const measured = (level: number, spread = 0.001): MeasuredProbe => ({ ...VOLTS, level, spread });

t.test("a level is steady once six in a row agree within 15 mV", async (t) => {
  const still = [2.7, 2.701, 2.702, 2.703, 2.704, 2.715].map((level) => measured(level));
  t.match(steadyOf(still), { unit: "V", inForce: { dry: 2.75, wet: 1.2 } });
  t.ok(Math.abs((steadyOf(still)?.level ?? 0) - 2.7025) < 1e-9);
  t.ok(Math.abs((steadyOf(still)?.spread ?? 0) - 0.015) < 1e-9);
  t.equal(steadyOf(still.slice(1)), undefined, "five are too few");
  t.equal(steadyOf([...still, measured(2.717)]), undefined, "one that wanders off begins it anew");
  t.ok(steadyOf([measured(1), ...still]), "what was before does not count");
  t.match(
    steadyOf(still.map((each) => ({ ...each, spread: 0.04 }))),
    { spread: 0.04 },
    "hum within a measurement is noise too",
  );
  const humming = still.map((each) => ({ ...each, spread: 0.06 }));
  t.equal(steadyOf(humming), undefined, "and much of it is no level at all");
});

const steady = (level: number, { spread = 0.002, unit = "V" as Steady["unit"] } = {}): Steady => ({
  level,
  unit,
  spread,
  resembles: null,
  inForce: { dry: 2.75, wet: 1.2 },
});

t.test("two levels that are no calibration say why", async (t) => {
  const problem = (dry: Steady, wet: Steady) => spanProblem({ dry, wet }, "channel 0");
  t.equal(problem(steady(2.7), steady(1.2)), undefined);
  t.equal(problem(steady(1.2), steady(2.7)), undefined, "either may be the higher");
  t.match(problem(steady(2.7), steady(2.7)), /the same .*not the one on channel 0/);
  t.match(problem(steady(2.7), steady(2.66)), /are the same/);
  t.match(problem(steady(2.7), steady(2.62)), /too close .*0\.100 V or more/);
  t.match(problem(steady(2.7, { spread: 0.2 }), steady(1.2)), /noise \(0\.200 V\)/);
  const counts = { unit: "counts", spread: 3 } as const;
  t.match(problem(steady(320, counts), steady(400, counts)), /too close .*100 counts or more/);
  t.equal(problem(steady(320, counts), steady(1020, counts)), undefined);
});

t.test(
  "what was found is told: polarity, noise as a share of the span, and a pot outside of it",
  async (t) => {
    const before = { dry: 2.75, wet: 1.2 };
    const told = (dry: number, wet: number, pot: number) =>
      probeInWords({ dry: steady(dry), wet: steady(wet), pot: steady(pot) }, before).join("\n");
    t.match(told(2.7, 1.2, 1.95), /falls as the soil gets wetter\n.*noise is 0\.1 %.*\n.*1\.950 V: 50 %$/);
    t.match(told(1.2, 2.7, 1.5), /rises as the soil gets wetter; the file had it the other way round/);
    t.match(told(2.7, 1.2, 2.8), /-7 % \(! drier than dry: [^;]*\)$/);
    t.match(
      told(2.7, 1.2, 0.7),
      /133 % \(! wetter than wet: .*; the runtime will call such a reading implausible\)$/,
    );
    t.equal(inWords(812.4, "counts"), "812 counts");
  },
);

t.test("a calibration takes no more noise than the probe's driver takes of a reading", async (t) => {
  t.equal(MAX_NOISE, ABSURD_SPREAD);
});
