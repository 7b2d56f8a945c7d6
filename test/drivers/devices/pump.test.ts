import t from "tap";
import { longestDose, MAX_PULSE, Pump } from "../../../drivers/devices/pump.js";
import type { PulsedOutput, PulseReport } from "../../../drivers/ports.js";
import { type Millis, type MlPerSecond, millilitres, millis, plus, seconds } from "../../../drivers/units.js";

/** An output that notes what it was asked for and reports what it is told to. */
class ScriptedOutput implements PulsedOutput {
  readonly ceiling = seconds(30);
  readonly asked: number[] = [];
  ended = 0;

  constructor(
    private readonly report: Partial<PulseReport> = {},
    readonly latestEnd = (duration: Millis): Millis => duration,
  ) {}

  async pulse(duration: ReturnType<typeof seconds>, onEdge?: (at: ReturnType<typeof seconds>) => void) {
    this.asked.push(duration);
    onEdge?.(millis(0));
    return { startedAt: millis(0), onFor: duration, outcome: "elapsed" as const, ...this.report };
  }

  async end() {
    this.ended++;
  }

  isOn() {
    return false;
  }
}

const flow = (n: number) => n as MlPerSecond;
const ml = millilitres;

t.test("a dose is time: ml / flow in whole milliseconds, and never more than was asked", async (t) => {
  const output = new ScriptedOutput();
  const pump = new Pump(output, flow(1.5));
  t.same(await pump.dispense(ml(10)), { ml: 10, onFor: 6666, outcome: "elapsed" });
  t.same(output.asked, [6666]);
  t.equal(pump.durationOf(ml(15)), 10_000);
  t.equal(
    new Pump(output, flow(1.4)).durationOf(ml(21)),
    15_000,
    "where binary fractions give 15000.000000000002",
  );
  t.equal(new Pump(output, flow(1.1)).durationOf(ml(11)), 10_000, "or 9999.999999999998");
});

t.test("a flow of 25/26 ml/s gives the largest dose in exactly 26 s; a slower pump is refused", async (t) => {
  const output = new ScriptedOutput();
  await new Pump(output, flow(25 / 26)).dispense(ml(25));
  t.same(output.asked, [26_000]);
  t.equal(MAX_PULSE, 26_000);
  t.equal(longestDose(flow(25 / 26)), 26_000);
  t.equal(longestDose(flow(1.5)), 16_667, "rounded up");
  for (const slow of [0.96, 0, -1, Number.NaN]) {
    t.throws(
      () => new Pump(output, flow(slow)),
      { code: "FLOW_TOO_LOW", message: /more than 26 s for 25 ml.* 0\.962 ml\/s/ },
      String(slow),
    );
  }
});

t.test("a dose that would take longer than 26 s is refused before anything moves", async (t) => {
  const output = new ScriptedOutput();
  await t.rejects(new Pump(output, flow(1)).dispense(ml(26.001)), {
    code: "PULSE_TOO_LONG",
    message: /26\.001 s/,
  });
  t.same(output.asked, []);
});

t.test("a dose that was ended in time reports what the time gave, rounded up", async (t) => {
  const ended = (onFor: number) =>
    new Pump(new ScriptedOutput({ onFor: millis(onFor), outcome: "ended" }), flow(1.5));
  t.same(await ended(2000).dispense(ml(20)), { ml: 3, onFor: 2000, outcome: "ended" });
  t.match(
    await new Pump(new ScriptedOutput({ onFor: millis(2500), outcome: "ended" }), flow(0.98)).dispense(
      ml(20),
    ),
    {
      ml: 2.45,
    },
  );
  t.match(await ended(2001).dispense(ml(20)), { ml: 3.01 });
  t.match(await ended(0).dispense(ml(20)), { ml: 0 });
  t.match(await ended(6666.9).dispense(ml(10)), { ml: 10.01 });
});

const OUTCOMES = ["elapsed", "ended", "unknown"] as const;

/** What 10 ml at 20 ml/s, asked for as 500 ms, are reported as. */
const reported = async (onFor: number, outcome: PulseReport["outcome"]) =>
  (await new Pump(new ScriptedOutput({ onFor: millis(onFor), outcome }), flow(20)).dispense(ml(10))).ml;

t.test("a line that stuck gave what its time on gives, however the pulse came to its end", async (t) => {
  for (const outcome of OUTCOMES) t.equal(await reported(1315.1, outcome), 26.31, outcome);
});

t.test("what an end that is late has let flow counts, to the hundredth of a millilitre", async (t) => {
  for (const outcome of OUTCOMES) {
    t.equal(await reported(500, outcome), 10, outcome);
    t.equal(await reported(500.4, outcome), 10.01, outcome);
    t.equal(await reported(512.5, outcome), 10.25, outcome);
  }
});

t.test("an unknown outcome is reported as such, with the most it can have been", async (t) => {
  const pump = new Pump(new ScriptedOutput({ onFor: millis(1), outcome: "unknown" }), flow(1.5));
  t.same(await pump.dispense(ml(20)), { ml: 20, onFor: 1, outcome: "unknown" });
});

t.test("the most that can flow goes by what ends a pulse when every process is dead", async (t) => {
  const most = (latestEnd: (duration: Millis) => Millis) =>
    new Pump(new ScriptedOutput({}, latestEnd), flow(1.5)).most(ml(20));
  t.equal(
    most((duration) => duration),
    20,
    "rounding a pulse to milliseconds makes no more of it",
  );
  t.equal(
    most((duration) => plus(duration, 1000)),
    21.5,
  );
  t.equal(
    most(() => millis(Number.POSITIVE_INFINITY)),
    Number.POSITIVE_INFINITY,
  );
});

t.test("onStart is called once the pump runs, stop() ends it", async (t) => {
  const output = new ScriptedOutput();
  const pump = new Pump(output, flow(2));
  let started = 0;
  await pump.dispense(ml(10), () => started++);
  t.equal(started, 1);
  await pump.stop();
  t.equal(output.ended, 1);
});
