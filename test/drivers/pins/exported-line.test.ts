import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { exportLine, retryUntilPermitted } from "../../../drivers/pins/sysfs-lines.js";
import { millis, seconds } from "../../../drivers/units.js";

/** What a file says that is another's. */
const forbidden = (code = "EACCES") => Object.assign(new Error(`${code}: permission denied`), { code });

/** A file that udev hands over after `time`; until then it says `code`. */
const handedOverAfter = (time: number, clock: SimulatedClock, code?: string) => () => {
  if (clock.monotonic() < time) throw forbidden(code);
  return "ours";
};

t.test("what is not ours yet is tried again until udev has handed it over", async (t) => {
  const clock = new SimulatedClock();
  const since = clock.monotonic();
  const opening = retryUntilPermitted(handedOverAfter(since + 2000, clock), clock);
  await clock.advance(seconds(3));
  t.equal(await opening, "ours");
});

t.test("what is never handed over is refused in the system's words, after five seconds", async (t) => {
  const clock = new SimulatedClock();
  const opening = retryUntilPermitted(handedOverAfter(Number.POSITIVE_INFINITY, clock), clock);
  let refused = false;
  opening.catch(() => {
    refused = true;
  });
  await clock.advance(millis(4900));
  t.equal(refused, false);
  await clock.advance(millis(200));
  await t.rejects(opening, { code: "EACCES" });
});

t.test("anything else that a file says is told at once", async (t) => {
  const clock = new SimulatedClock();
  await t.rejects(retryUntilPermitted(handedOverAfter(Number.POSITIVE_INFINITY, clock, "EBUSY"), clock), {
    code: "EBUSY",
  });
});

t.test("a line that nobody has exported is exported, by the kernel's own number", async (t) => {
  const root = t.testdir({ export: "" });
  await exportLine(534, new SimulatedClock(), root);
  t.equal(readFileSync(join(root, "export"), "utf8"), "534");
});

t.test("a line that is exported already is left as it is", async (t) => {
  const root = t.testdir({ export: "", gpio534: { direction: "out", value: "1" } });
  await exportLine(534, new SimulatedClock(), root);
  t.equal(readFileSync(join(root, "export"), "utf8"), "");
  t.equal(readFileSync(join(root, "gpio534/value"), "utf8"), "1");
});

t.test("a line that is taken or a kernel without sysfs pins, is told of in its own words", async (t) => {
  const root = t.testdir({});
  await t.rejects(exportLine(534, new SimulatedClock(), root), { code: "ENOENT" });
  mkdirSync(join(root, "export"));
  await t.rejects(exportLine(534, new SimulatedClock(), root), { code: "EISDIR" });
});
