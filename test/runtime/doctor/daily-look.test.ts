import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours } from "../../../drivers/units.js";
import { lookDaily } from "../../../runtime/doctor/doctor-program.js";
import type { DoctorFinding, DoctorReport } from "../../../runtime/wire/owner-page.js";

const OLD: DoctorFinding = {
  name: "backups",
  verdict: "warning",
  found: "the newest of 14 in /var/backups/tendril is 9 days old",
  mend: "sudo tendril backup",
};
const GIVEN_UP: DoctorFinding = { name: "agent service", verdict: "failure", found: "has failed" };

/** A runtime with a warning of its own, whose doctor finds what `found` has when it looks. */
function house(t: Test, found: readonly DoctorFinding[] | Error) {
  const clock = new SimulatedClock();
  const warnings = ["a journal had lines that cannot be read"];
  const logged: string[] = [];
  const is = { found };
  const look = async (): Promise<DoctorReport> => {
    if (is.found instanceof Error) throw is.found;
    return { version: "1", checked_at: "2026-11-27T00:00:00.000Z", checks: [...is.found] };
  };
  const stop = lookDaily({ doctor: { look }, clock, warnings, log: (_, what) => void logged.push(what) });
  t.teardown(stop);
  const pass = async (time: number) => {
    await clock.advance(hours(time));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { is, warnings, logged, pass, stop };
}

t.test("an old backup, and what has failed, are among the warnings within an hour of a start", async (t) => {
  const { warnings, logged, pass } = house(t, [OLD, GIVEN_UP]);
  t.equal(warnings.length, 1);
  await pass(1);
  t.same(warnings, [
    "a journal had lines that cannot be read",
    "backups: the newest of 14 in /var/backups/tendril is 9 days old; sudo tendril backup (tendril doctor)",
    "agent service: has failed (tendril doctor)",
  ]);
  t.equal(logged.length, 2);
  await pass(24);
  t.equal(warnings.length, 3, "each once");
  t.equal(logged.length, 2, "and in the log once");
});

t.test("a warning ends with its cause; the runtime's own stay", async (t) => {
  const { is, warnings, pass } = house(t, [OLD]);
  await pass(1);
  is.found = new Error("the doctor was killed");
  await pass(24);
  t.equal(warnings.length, 2, "a look that fails changes nothing");
  is.found = [{ ...OLD, verdict: "ok" }];
  await pass(24);
  t.same(warnings, ["a journal had lines that cannot be read"]);
});

t.test("what only who asks wants to know, and what the runtime says itself, is not repeated", async (t) => {
  const { warnings, pass } = house(t, [
    { name: "clock", verdict: "warning", found: "not synchronised" },
    { name: "runtime", verdict: "failure", found: "the disk" },
    { name: "disk space", verdict: "failure", found: "0.0 GB free" },
  ]);
  await pass(1);
  t.equal(warnings.length, 1);
});

t.test("a runtime that has stopped does not look any more", async (t) => {
  const { warnings, pass, stop } = house(t, [OLD]);
  stop();
  await pass(48);
  t.equal(warnings.length, 1);
});
