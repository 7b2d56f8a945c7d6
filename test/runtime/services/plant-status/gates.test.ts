import t from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { minutes, seconds } from "../../../../drivers/units.js";
import { stampOf } from "../../../../runtime/safety/stamp.js";
import { Gates } from "../../../../runtime/services/plant-status/care.js";

function gatesAt(clock: SimulatedClock) {
  const gates = new Gates(clock, minutes(30));
  const write = (key: string, id: number) =>
    gates.keep(key, { id, proceed: true, stamp: stampOf(clock), plannedMl: 20, plannedLightMinutes: 0 });
  return { gates, write };
}

t.test("an agent that calls itself otherwise at each status does not fill the memory", async (t) => {
  const clock = new SimulatedClock();
  const { gates, write } = gatesAt(clock);
  for (let n = 1; n <= 2000; n += 1) {
    write(`basil/agent/${n}`, n);
    await clock.advance(seconds(60));
  }
  t.equal(gates.size, 100);
  t.match(gates.of("basil/agent/2000"), { id: 2000 });
  t.equal(gates.of("basil/agent/1900"), undefined);
});

t.test("no status that may still open a cycle is forgotten, however many there are", async (t) => {
  const { gates, write } = gatesAt(new SimulatedClock());
  for (let n = 1; n <= 2000; n += 1) write(`basil/agent/${n}`, n);
  t.equal(gates.size, 2000);
});

t.test("an agent's later status takes the place of its earlier one, and is the younger one", async (t) => {
  const clock = new SimulatedClock();
  const { gates, write } = gatesAt(clock);
  write("basil/agent/", 1);
  await clock.advance(minutes(31));
  write("basil/agent/", 2);
  for (let n = 3; n <= 200; n += 1) write(`basil/agent/${n}`, n);
  t.match(gates.of("basil/agent/"), { id: 2 });
});
