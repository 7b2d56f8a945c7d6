import t from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { AwaitedInterlock } from "../../../../drivers/devices/interlock/awaited-interlock.js";
import { InterlockPanel } from "../../../../drivers/devices/interlock/panel.js";
import { DriverError } from "../../../../drivers/errors.js";
import { seconds } from "../../../../drivers/units.js";
import { ScriptedInterlock } from "./scripted-interlock.js";

async function rig() {
  const clock = new SimulatedClock();
  const real = new ScriptedInterlock();
  let here = false;
  const device = await AwaitedInterlock.open(async () => {
    if (here) return real;
    throw new DriverError("INTERLOCK_PORT", "/dev/serial0 cannot be opened");
  }, clock);
  const panel = new InterlockPanel({ device, needs: { pumps: [] }, plants: [], clock });
  const plugIn = () => {
    here = true;
  };
  return { clock, device, panel, real, plugIn };
}

t.test(
  "an interlock that is missing is told of at once, and says why, where a pulse is asked for too",
  async (t) => {
    const { device, panel } = await rig();
    const told: DriverError[] = [];
    panel.watchTroubles((trouble) => void told.push(trouble));
    t.match(told, [{ code: "INTERLOCK_PORT" }]);
    t.match(panel.view(), { state: "lost", problem: /cannot be opened/, firmware: null });
    t.match(panel.explanation, /cannot be opened.*no pump and no light goes on until this is solved/);
    await t.rejects(device.request("pump", seconds(1)), { code: "INTERLOCK_PORT" });
    panel.allOff();
  },
);

t.test("it is looked for again until it is there, and from then on it is the interlock", async (t) => {
  const { clock, panel, real, plugIn } = await rig();
  await clock.advance(seconds(20));
  t.equal(panel.view().state, "lost");
  plugIn();
  await clock.advance(seconds(5));
  t.match(panel.view(), { state: "ok", problem: null });
  real.lose();
  t.match(panel.view(), { state: "lost", problem: /does not answer/ });
});

t.test("closing ends the wait, and closes what comes later all the same", async (t) => {
  const { clock, device, real, plugIn } = await rig();
  await device.close();
  plugIn();
  await clock.advance(seconds(60));
  t.same(real.asked, []);
});
