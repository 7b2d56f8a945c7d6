import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, millis, minutes } from "../../../drivers/units.js";
import { type CycleStatus, decideGate, type GateQuestion } from "../../../runtime/safety/gate.js";
import { stampOf } from "../../../runtime/safety/stamp.js";

const NOTHING = { ml: 0, lightMinutes: 0 };

function rig(status: Partial<CycleStatus> = {}) {
  const clock = new SimulatedClock();
  const written = {
    id: 7,
    proceed: true,
    stamp: stampOf(clock),
    plannedMl: 40,
    plannedLightMinutes: 60,
    ...status,
  };
  const ask = (question: Partial<GateQuestion>) =>
    decideGate({ status: written, spent: NOTHING, request: { ml: 20 }, now: stampOf(clock), ...question });
  return { clock, ask };
}

t.test("without a status nothing is switched on", async (t) => {
  t.match(rig().ask({ status: undefined }), { ok: false, code: "NO_CYCLE" });
});

t.test("after a refused status nothing is switched on", async (t) => {
  t.match(rig({ proceed: false }).ask({}), { ok: false, code: "CYCLE_REFUSED" });
});

t.test("a cleared status opens the gate for what it planned and names its cycle", async (t) => {
  const { ask } = rig();
  t.same(ask({ request: { ml: 25 } }), { ok: true, cycle: 7 });
  t.same(ask({ request: { lightMinutes: 60 } }), { ok: true, cycle: 7 });
});

t.test("40 ml planned may be 20 and 20, and not a millilitre more", async (t) => {
  const { ask } = rig();
  t.match(ask({ spent: { ml: 20, lightMinutes: 0 } }), { ok: true });
  const refused = ask({ spent: { ml: 21, lightMinutes: 0 } });
  t.match(refused, {
    ok: false,
    code: "PLAN_EXCEEDED",
    details: { planned: 40, spent: 21, asked: 20, left: 19 },
  });
});

t.test("light beyond the plan is refused with its figures", async (t) => {
  const refused = rig().ask({ spent: { ml: 0, lightMinutes: 60 }, request: { lightMinutes: 30 } });
  t.match(refused, {
    ok: false,
    code: "PLAN_EXCEEDED",
    details: { planned: 60, spent: 60, asked: 30, left: 0 },
  });
  t.match(refused, { what: /minutes of light/ });
});

t.test("a cycle ends after 30 minutes, not before", async (t) => {
  const { clock, ask } = rig();
  await clock.advance(minutes(30));
  t.match(ask({}), { ok: true });
  await clock.advance(millis(1));
  t.match(ask({}), { ok: false, code: "CYCLE_EXPIRED" });
});

t.test("the longest age of a cycle is configurable", async (t) => {
  const { clock, ask } = rig();
  await clock.advance(minutes(11));
  t.match(ask({ maxAge: minutes(10) }), {
    ok: false,
    code: "CYCLE_EXPIRED",
    what: /11 minutes old, a cycle lasts 10/,
  });
});

t.test("a wall clock set back does not keep a cycle open", async (t) => {
  const { clock, ask } = rig();
  await clock.advance(minutes(31));
  clock.stepWall(hours(-1));
  t.match(ask({}), { ok: false, code: "CYCLE_EXPIRED" });
});

t.test("a cycle whose age cannot be proved is over", async (t) => {
  const { clock, ask } = rig();
  clock.reboot({ downtime: minutes(1), synchronised: false });
  t.match(ask({}), { ok: false, code: "CYCLE_EXPIRED", what: /cannot be proved/ });
});

t.test("a cycle survives a short reboot with a right clock", async (t) => {
  const { clock, ask } = rig();
  clock.reboot({ downtime: minutes(1) });
  t.match(ask({}), { ok: true });
});
