import t from "tap";
import { latestEnd } from "../../../drivers/pins/led-line.js";
import { millis, seconds } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { ALL_OFF, AT_ONCE, FLOW, isAbout, levels, PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** The runtime comes to an end in mid-dose. */

/** ml: a second of it, by which a busy machine may have us look late. */
const TELLING = FLOW;
const pot = await PotOnAPi.start(t);

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
  t.ok(Math.abs(charged - poured) < TELLING, `${charged} ml charged, ${poured.toFixed(2)} ml by the pin`);
});

t.test(
  "SIGKILL of the runtime: pump off, and the next runtime counts the most it can have been",
  async (t) => {
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
    const most = (latestEnd(millis(25_000 / FLOW)) / 1000) * FLOW;
    t.equal(Math.round(100 * ((await pot.used()) - before)), Math.ceil(100 * most), `${most} ml`);
    t.ok(isAbout(10, (await pot.human.get("dispense_water", { ml: 10 })).dispensed));
  },
);
