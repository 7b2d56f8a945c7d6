import fc from "fast-check";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Lease } from "../../../drivers/guard/guard.js";
import { BEAT, FRESH, LEASE } from "../../../drivers/guard/protocol.js";
import { millis, seconds } from "../../../drivers/units.js";

/** A lease of two seconds, and the instants at which it lapsed. */
function leased() {
  const clock = new SimulatedClock();
  const lapses: number[] = [];
  const lease = new Lease(seconds(2), clock, () => lapses.push(clock.monotonic()));
  return { clock, lease, lapses };
}

t.test("silence lapses after the lease's length, and again each time it passes anew", async (t) => {
  const { clock, lapses } = leased();
  await clock.advance(millis(1999));
  t.same(lapses, []);
  await clock.advance(millis(5000));
  t.same(lapses, [2000, 4000, 6000]);
});

t.test("it lapses exactly one length after the last sign of life, whenever that came", async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 1999 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(gaps, async (gaps) => {
      const { clock, lease, lapses } = leased();
      for (const gap of gaps) {
        await clock.advance(millis(gap));
        lease.renew();
      }
      const last = clock.monotonic();
      await clock.advance(seconds(3));
      return lapses.length === 1 && lapses[0] === last + 2000;
    }),
  );
});

t.test("a sign of life after a lapse begins a new lease", async (t) => {
  const { clock, lease, lapses } = leased();
  await clock.advance(millis(2500));
  lease.renew();
  await clock.advance(millis(1999));
  t.same(lapses, [2000]);
  await clock.advance(millis(1));
  t.same(lapses, [2000, 4500]);
});

t.test("a closed lease lapses no more", async (t) => {
  const { clock, lease, lapses } = leased();
  lease.close();
  await clock.advance(seconds(10));
  t.same(lapses, []);
});

t.test(
  "a parent may miss four signs of life and keeps its lease; a stale order is younger than that",
  async (t) => {
    t.ok(4 * BEAT < LEASE);
    t.ok(FRESH < LEASE);
  },
);
