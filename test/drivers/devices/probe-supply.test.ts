import t from "tap";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { ProbeSupply } from "../../../drivers/devices/probe-supply.js";
import { DriverError } from "../../../drivers/errors.js";
import { millis, seconds } from "../../../drivers/units.js";

/** A supply whose sleeps pass at once, and what its pin was set to, with the time. */
function rig(fails = false) {
  const clock = new LeadingClock(new SimulatedClock());
  const edges: [on: boolean, at: number][] = [];
  const set = async (on: boolean) => {
    if (fails) throw new DriverError("PIN_FAILED", "GPIO 22 cannot be switched");
    edges.push([on, clock.monotonic()]);
  };
  const supply = new ProbeSupply({ set, close: () => set(false) }, clock);
  return { clock, edges, supply };
}

const SETTLE = millis(500);

t.test("on, the settling time, the measurement, off", async (t) => {
  const { clock, edges, supply } = rig();
  const measuredAt = await supply.powered(SETTLE, async () => clock.monotonic());
  t.same(edges, [
    [true, 0],
    [false, 500],
  ]);
  t.equal(measuredAt, 500);
});

t.test("a measurement that fails leaves the supply off, and its error is the one that is told", async (t) => {
  const { edges, supply } = rig();
  const failing = supply.powered(SETTLE, () =>
    Promise.reject(new DriverError("BUS_NACK", "nothing answers")),
  );
  await t.rejects(failing, { code: "BUS_NACK" });
  t.match(edges.at(-1), [false]);
});

t.test(
  "two probes share a pin: the last one switches off, and who comes later waits only for the rest",
  async (t) => {
    const { clock, edges, supply } = rig();
    let secondAt = Number.NaN;
    const first = supply.powered(SETTLE, async () => {
      await clock.sleep(millis(60));
      await second;
    });
    const second = supply.powered(millis(520), async () => {
      secondAt = clock.monotonic();
    });
    await Promise.all([first, second]);
    t.same(
      edges.map(([on]) => on),
      [true, false],
      "on once, off once",
    );
    t.ok(secondAt >= 520, `the second had its settling time (${secondAt} ms)`);
  },
);

t.test("a supply that is asked for anew while it goes off comes on again", async (t) => {
  const { edges, supply } = rig();
  await supply.powered(SETTLE, async () => undefined);
  await supply.powered(SETTLE, async () => undefined);
  t.same(
    edges.map(([on]) => on),
    [true, false, true, false],
  );
});

t.test(
  "an unpowered look waits until the supply has been off long enough, and keeps it off meanwhile",
  async (t) => {
    const { clock, edges, supply } = rig();
    const look = async () => edges.length;
    t.equal(await supply.whileOff(seconds(30), look), undefined, "only just opened");
    await clock.sleep(seconds(30));
    const seen: number[] = [];
    await Promise.all([
      supply.whileOff(seconds(30), async () => void seen.push(await look())),
      supply.powered(SETTLE, async () => undefined),
    ]);
    t.same(seen, [0], "no edge before the look was over");
    t.equal(edges.length, 2);
    t.equal(await supply.whileOff(seconds(30), look), undefined, "it has only just gone off");
  },
);

t.test("a pin that cannot be switched is told, and nothing is measured", async (t) => {
  const { supply } = rig(true);
  let measured = false;
  const powered = supply.powered(SETTLE, async () => {
    measured = true;
  });
  await t.rejects(powered, { code: "PIN_FAILED" });
  t.equal(measured, false);
});
