import type { Test } from "tap";
import type { PulsedOutput } from "../../drivers/ports.js";
import { type Millis, millis } from "../../drivers/units.js";

export interface OutputUnderTest {
  readonly output: PulsedOutput;
  /** Lets time pass. */
  readonly pass: (time: Millis) => Promise<void>;
  /** A short while; pulses here last for some of them. The ceiling is at least six, and can be waited for. */
  readonly beat: Millis;
  /** How much later than asked an end may be: 0 where time is simulated. */
  readonly slack: Millis;
}

type Make = (t: Test) => OutputUnderTest | Promise<OutputUnderTest>;

/** What every output that switches a load on has to promise, whatever it is made of. */
export function pulsedOutputContract(t: Test, make: Make): void {
  const beats = ({ beat }: OutputUnderTest, count: number) => millis(beat * count);
  const lasted = (t: Test, { slack }: OutputUnderTest, onFor: Millis, asked: Millis) => {
    t.ok(onFor >= asked && onFor <= asked + slack, `${asked} ms asked, ${onFor} ms on`);
  };
  /** Starts a pulse; resolves when it is really on. */
  const begin = async ({ output }: OutputUnderTest, duration: Millis) => {
    let pulse = Promise.reject<Awaited<ReturnType<PulsedOutput["pulse"]>>>(new Error("never begun"));
    pulse.catch(() => undefined);
    const startedAt = await new Promise<Millis>((resolve, reject) => {
      pulse = output.pulse(duration, resolve);
      pulse.catch(reject);
    });
    return { pulse, startedAt };
  };

  t.test("a pulse ends by itself after its duration, and reports what the hardware did", async (t) => {
    const it = await make(t);
    const { pulse, startedAt } = await begin(it, beats(it, 5));
    t.equal(it.output.isOn(), true);
    await it.pass(beats(it, 4));
    t.equal(it.output.isOn(), true);
    await it.pass(millis(it.beat + it.slack));
    t.equal(it.output.isOn(), false);
    const report = await pulse;
    t.match(report, { startedAt, outcome: "elapsed" });
    lasted(t, it, report.onFor, beats(it, 5));
    t.ok(it.output.latestEnd(beats(it, 5)) >= beats(it, 5), "and the hardware alone ends it no sooner");
  });

  t.test("end() switches off at once and reports how long it was on", async (t) => {
    const it = await make(t);
    const { pulse } = await begin(it, beats(it, 5));
    await it.pass(beats(it, 2));
    await it.output.end();
    t.equal(it.output.isOn(), false);
    const report = await pulse;
    t.equal(report.outcome, "ended");
    lasted(t, it, report.onFor, beats(it, 2));
  });

  t.test("end() is always allowed, also when nothing is on", async (t) => {
    const { output } = await make(t);
    await output.end();
    await output.end();
    t.equal(output.isOn(), false);
  });

  t.test("the ceiling itself is accepted, a millisecond more is not and switches nothing", async (t) => {
    const it = await make(t);
    const { output, pass, slack } = it;
    await t.rejects(output.pulse(millis(output.ceiling + 1)), { code: "PULSE_TOO_LONG" });
    t.equal(output.isOn(), false);
    const { pulse } = await begin(it, output.ceiling);
    await pass(millis(output.ceiling + slack));
    const report = await pulse;
    t.equal(report.outcome, "elapsed");
    lasted(t, it, report.onFor, output.ceiling);
  });

  t.test("a pulse of nothing, of less, or of no number is refused and switches nothing", async (t) => {
    const { output } = await make(t);
    for (const duration of [0, -1, Number.NaN]) {
      await t.rejects(output.pulse(millis(duration)), { code: "PULSE_INVALID" }, String(duration));
      t.equal(output.isOn(), false);
    }
  });

  t.test("a second pulse is refused while one is running, and does not lengthen it", async (t) => {
    const it = await make(t);
    const { pulse } = await begin(it, beats(it, 5));
    await it.pass(beats(it, 4));
    await t.rejects(it.output.pulse(beats(it, 5)), { code: "PULSE_BUSY" });
    await it.pass(millis(it.beat + it.slack));
    t.equal(it.output.isOn(), false);
    lasted(t, it, (await pulse).onFor, beats(it, 5));
    const next = await begin(it, it.beat);
    await it.pass(millis(it.beat + it.slack));
    const report = await next.pulse;
    t.equal(report.outcome, "elapsed");
    lasted(t, it, report.onFor, it.beat);
  });
}
