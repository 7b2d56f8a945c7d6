import t from "tap";
import { LEASE } from "../../../drivers/guard/protocol.js";
import { plus, seconds } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { AT_ONCE, FLOW, isAbout, PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** The runtime and its guard watch each other in mid-dose. */

/** ml: a second of it, by which a busy machine may have us look late. */
const TELLING = FLOW;
const pot = await PotOnAPi.start(t);

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
    t.match(await pot.letters(), [/The hardware reports: the guard of the relays died \(SIGKILL\)/]);
    let next = await pot.human.call("dispense_water", { ml: 10 });
    for (
      ;
      !next.ok && next.error.code === "GUARD_LOST";
      next = await pot.human.call("dispense_water", { ml: 10 })
    )
      await clock.sleep(SLACK);
    t.ok(next.ok && isAbout(10, (next.value as { dispensed?: unknown }).dispensed), JSON.stringify(next));
    t.ok(isAbout(35, await pot.used()));
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
    t.ok(Math.abs(charged - poured) < TELLING, `${charged} ml charged, ${poured.toFixed(2)} ml by the pin`);
  },
);
