import type { Test } from "tap";
import type { PulsedOutput } from "../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";

export interface OutputUnderTest {
  readonly output: PulsedOutput;
  /** Lets time pass. */
  readonly pass: (time: Millis) => Promise<void>;
}

/** What every output that switches a load on has to promise, whatever it is made of. */
export function pulsedOutputContract(t: Test, make: () => OutputUnderTest): void {
  t.test("a pulse ends by itself after its duration, and reports what the hardware did", async (t) => {
    const { output, pass } = make();
    const edges: number[] = [];
    const pulse = output.pulse(seconds(5), (at) => edges.push(at));
    t.equal(output.isOn(), true);
    await pass(seconds(4));
    t.equal(output.isOn(), true);
    await pass(seconds(1));
    t.equal(output.isOn(), false);
    t.match(await pulse, { startedAt: edges[0], onFor: 5000, outcome: "elapsed" });
    t.equal(edges.length, 1);
  });

  t.test("end() switches off at once and reports how long it was on", async (t) => {
    const { output, pass } = make();
    const pulse = output.pulse(seconds(5));
    await pass(seconds(2));
    await output.end();
    t.equal(output.isOn(), false);
    t.match(await pulse, { onFor: 2000, outcome: "ended" });
  });

  t.test("end() is always allowed, also when nothing is on", async (t) => {
    const { output } = make();
    await output.end();
    await output.end();
    t.equal(output.isOn(), false);
  });

  t.test("the ceiling itself is accepted, a millisecond more is not and switches nothing", async (t) => {
    const { output, pass } = make();
    await t.rejects(output.pulse(millis(output.ceiling + 1)), { code: "PULSE_TOO_LONG" });
    t.equal(output.isOn(), false);
    const pulse = output.pulse(output.ceiling);
    await pass(output.ceiling);
    t.match(await pulse, { onFor: output.ceiling, outcome: "elapsed" });
  });

  t.test("a pulse of nothing, of less, or of no number is refused and switches nothing", async (t) => {
    const { output } = make();
    for (const duration of [0, -1, Number.NaN]) {
      await t.rejects(output.pulse(millis(duration)), { code: "PULSE_INVALID" }, String(duration));
      t.equal(output.isOn(), false);
    }
  });

  t.test("a second pulse is refused while one is running, and does not lengthen it", async (t) => {
    const { output, pass } = make();
    const pulse = output.pulse(seconds(5));
    await pass(seconds(4));
    await t.rejects(output.pulse(seconds(5)), { code: "PULSE_BUSY" });
    await pass(seconds(1));
    t.equal(output.isOn(), false);
    t.match(await pulse, { onFor: 5000 });
    const next = output.pulse(seconds(1));
    await pass(seconds(1));
    t.match(await next, { onFor: 1000, outcome: "elapsed" });
  });
}
