import t from "tap";
import { PlantTime } from "../../../agent-client/time/schedule.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours, minutes, seconds } from "../../../drivers/units.js";
import { never } from "../models/conversations.js";
import { ok } from "../scripted-runtime.js";

/** Asks ten times, half a second apart, a runtime whose clock goes so fast, and jumps before the fifth. */
async function toldOf(speed: number, jump = 0): Promise<number[]> {
  const clock = new SimulatedClock();
  const told: number[] = [];
  let [shown, asked] = [clock.now() as number, 0];
  const call = async () => {
    if (asked++ === 5) shown += jump;
    return ok({ timestamp: new Date(shown).toISOString() });
  };
  const time = new PlantTime({ call }, clock, (measured) => told.push(measured));
  for (let n = 0; n < 10; n += 1) {
    await time.now(never);
    await clock.advance(seconds(0.5));
    shown += 500 * speed;
  }
  return told;
}

t.test("a plant's clock that runs faster than ours is told of once", async (t) => {
  t.strictSame(await toldOf(60), [60]);
  t.strictSame(await toldOf(1), []);
});

t.test("a clock that was set, or a computer that slept, is no faster clock", async (t) => {
  t.strictSame(await toldOf(1, hours(5)), []);
  t.strictSame(await toldOf(1, -minutes(5)), []);
});
