import t from "tap";
import { LEASE } from "../../../drivers/guard/plan.js";
import { plus, seconds } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { ALL_OFF, FLOW, levels, PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** The runtime, and its guard, come to an end in mid-dose. */

const pot = await PotOnAPi.start(t);
/** From a death to a pin that is off (README, "What it promises"), on a busy machine. */
const AT_ONCE = plus(SLACK, SLACK);

t.test(
  "SIGKILL of the guard: pump off, the dose counts in full, and the next guard pours again",
  async (t) => {
    const { answer } = await pot.pouring();
    const guard = pot.guard();
    const killed = clock.monotonic();
    process.kill(guard, "SIGKILL");
    const took = (await pot.pump.until(0, seconds(3))) - killed;
    t.ok(took < AT_ONCE, `${Math.round(took)} ms`);
    t.match(await answer, { ok: false, error: { code: "DOSE_UNCERTAIN", details: { dispensed_ml: 25 } } });
    t.equal(await pot.used(), 25);
    t.match(await pot.letters(), [/The hardware reports: the guard died, SIGKILL/]);
    let next = await pot.human.call("dispense_water", { ml: 10 });
    for (
      ;
      !next.ok && next.error.code === "GUARD_LOST";
      next = await pot.human.call("dispense_water", { ml: 10 })
    )
      await clock.sleep(SLACK);
    t.match(next, { ok: true, value: { dispensed: 10 } });
    t.equal(await pot.used(), 35);
  },
);

t.test(
  "a runtime that hangs has its pump off once its lease is over, and knows for how long it poured",
  async (t) => {
    const before = await pot.used();
    const { answer, since } = await pot.pouring();
    process.kill(pot.runtime.pid ?? 0, "SIGSTOP");
    const hung = clock.monotonic();
    const off = await pot.pump.until(0, plus(LEASE, seconds(1)));
    t.ok(off - hung < plus(LEASE, SLACK), `${Math.round(off - hung)} ms`);
    process.kill(pot.runtime.pid ?? 0, "SIGCONT");
    t.match(await answer, { ok: false, error: { code: "CANCELLED" } });
    const charged = (await pot.used()) - before;
    const poured = ((off - since) / 1000) * FLOW;
    t.ok(
      Math.abs(charged - poured) < FLOW * 0.3,
      `${charged} ml charged, ${poured.toFixed(2)} ml by the pin`,
    );
  },
);

t.test("SIGTERM: pump off first, the time it was on is charged, and status 0", async (t) => {
  const before = await pot.used();
  const { answer, since } = await pot.pouring();
  const asked = clock.monotonic();
  const ended = pot.runtime.stop("SIGTERM");
  const off = await pot.pump.until(0, seconds(3));
  t.ok(off - asked < AT_ONCE, `${Math.round(off - asked)} ms`);
  const ending = await ended;
  t.match(ending, { code: 0, signal: null });
  t.match(await answer, { ok: false, error: { code: "CANCELLED" } });
  t.comment(`ended after ${Math.round(clock.monotonic() - asked)} ms`);
  await pot.startAgain();
  t.comment(`listening after ${Math.round(pot.startedIn)} ms`);
  const charged = (await pot.used()) - before;
  const poured = ((off - since) / 1000) * FLOW;
  t.ok(Math.abs(charged - poured) < FLOW * 0.3, `${charged} ml charged, ${poured.toFixed(2)} ml by the pin`);
});

t.test("SIGKILL of the runtime: pump off, and the next runtime counts the whole dose", async (t) => {
  const before = await pot.used();
  await pot.human.get("turn_on_light", { minutes: 30 });
  const { answer } = await pot.pouring();
  const killed = clock.monotonic();
  const ended = pot.runtime.stop("SIGKILL");
  const took = (await pot.pump.until(0, seconds(3))) - killed;
  t.ok(took < AT_ONCE, `${Math.round(took)} ms`);
  await pot.light.until(0, SLACK);
  t.match(await ended, { signal: "SIGKILL" });
  t.match(await answer, { ok: false, error: { code: "LINK_BROKEN" } });
  await pot.startAgain();
  t.same(levels(), ALL_OFF);
  t.equal(Math.round(100 * ((await pot.used()) - before)), 2500);
  t.match(await pot.human.get("dispense_water", { ml: 10 }), { dispensed: 10 });
});
