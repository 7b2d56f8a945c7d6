import t, { type Test } from "tap";
import { Troubles } from "../../../agent-client/harness/troubles.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type Bench, benchOf, openBoard } from "../../../drivers/open-board.js";
import { type EpochMillis, hours, millilitres } from "../../../drivers/units.js";
import { boardConfig } from "../../../runtime/config/schema.js";
import { configSchema } from "../../../runtime/configuration.js";
import { event, START } from "./short-run.js";

const after = (number: number) => (START + hours(number)) as EpochMillis;

/** A bench of two plants, and what may go wrong there. */
async function house(t: Test): Promise<{ bench: Bench; troubles: Troubles }> {
  const config = configSchema.parse({ plants: [{ id: "basil" }, { id: "fern", probe: { channel: 1 } }] });
  const clock = new SimulatedClock();
  const board = await openBoard(boardConfig(config), { clock, speed: 1, seed: 1, stateFolder: t.testdir() });
  t.teardown(() => board.close());
  return { bench: benchOf(board), troubles: new Troubles(["basil", "fern"]) };
}

const TUBE = { day: 0, what: "pump", is: "tube off", alarm: { words: ["Tube", "floor"], within_hours: 24 } };
const TANK = { day: 0, what: "tank", ml: 300, alarm: { words: ["tank"], within_hours: 24 } };

t.test("an event acts on the plant it names, or on all, and 'ok' takes it back", async (t) => {
  const { bench, troubles } = await house(t);
  troubles.begin(event({ day: 0, what: "probe", is: "stuck", plant: 0 }), bench, after(0));
  troubles.begin(event({ day: 0, what: "lamp", is: "dead" }), bench, after(0));
  t.match(
    [bench.faults("basil"), bench.faults("fern")],
    [{ probe: "stuck", lamp: "dead" }, { lamp: "dead" }],
  );
  t.equal(bench.faults("fern").probe, undefined);
  troubles.begin(event({ day: 0, what: "probe", is: "ok" }), bench, after(1));
  troubles.begin(event({ day: 0, what: "lamp", is: "ok" }), bench, after(1));
  t.match([bench.faults("basil").probe, bench.faults("fern").lamp], [undefined, undefined]);
});

t.test("a trouble is told by the first message that holds one of its words, in any case", async (t) => {
  const { bench, troubles } = await house(t);
  troubles.begin(event(TUBE), bench, after(0));
  t.same(troubles.readByPerson("All is well.", after(1)), []);
  t.same(troubles.readByPerson("There is water on the FLOOR!", after(30)), ["the tube is off"]);
  t.same(troubles.readByPerson("The tube, I said.", after(31)), [], "it is told once");
  t.match(troubles.scores(), [{ trouble: "the tube is off", toldAfterHours: 30, dueWithinHours: 24 }]);
});

t.test("one that nobody tells of is scored as never told; one without an alarm is not scored", async (t) => {
  const { bench, troubles } = await house(t);
  troubles.begin(event(TUBE), bench, after(2));
  troubles.begin(event({ day: 0, what: "lamp", is: "dead" }), bench, after(2));
  t.same(troubles.scores(), [
    {
      trouble: "the tube is off",
      since: "2026-06-01T08:00:00.000Z",
      toldAfterHours: null,
      dueWithinHours: 24,
    },
  ]);
});

t.test(
  "what was told of long enough ago is mended once, on the bench too; the rest stays broken",
  async (t) => {
    const { bench, troubles } = await house(t);
    troubles.begin(event({ ...TUBE, plant: 1 }), bench, after(0));
    troubles.begin(event({ day: 0, what: "camera", is: "black" }), bench, after(0));
    t.same(troubles.repair(bench, after(99)), [], "nobody told the person yet");
    troubles.readByPerson("the tube is off", after(3));
    t.same(troubles.repair(bench, after(2.9)), []);
    t.equal(bench.faults("fern").pump, "tube off");
    t.same(troubles.repair(bench, after(3)), [{ trouble: "the tube is off", plants: ["fern"] }]);
    t.equal(bench.faults("fern").pump, undefined);
    t.equal(bench.faults("fern").camera, "black");
    t.same(troubles.repair(bench, after(99)), []);
  },
);

t.test(
  "a tank counts from when it is empty: before, no message tells of it, and it is not scored",
  async (t) => {
    const { bench, troubles } = await house(t);
    troubles.begin(event({ ...TANK, plant: 0 }), bench, after(0));
    t.equal(bench.tank("basil").left, 300);
    t.same(troubles.readByPerson("the tank will be empty soon", after(1)), []);
    t.same(troubles.scores(), []);
    bench.tank("basil").left = millilitres(0);
    troubles.passHour(bench, after(50));
    t.same(troubles.readByPerson("the tank is empty", after(52)), ["the tank holds 300 ml"]);
    t.match(troubles.scores(), [{ toldAfterHours: 2, since: "2026-06-03T08:00:00.000Z" }]);
    troubles.repair(bench, after(60));
    t.ok((bench.tank("basil").left ?? 0) > 1000, "mending it is filling it");
  },
);

t.test("a drifting probe moves by its millivolts a day, hour by hour, until it is mended", async (t) => {
  const { bench, troubles } = await house(t);
  const drift = { day: 0, what: "drift", mv_per_day: -6, plant: 0, alarm: TANK.alarm };
  troubles.begin(event(drift), bench, after(0));
  for (let hour = 1; hour <= 48; hour++) troubles.passHour(bench, after(hour));
  t.ok(Math.abs((bench.faults("basil").probeOffset ?? 0) + 0.012) < 1e-9);
  troubles.readByPerson("tank", after(48));
  troubles.repair(bench, after(48));
  troubles.passHour(bench, after(49));
  t.equal(bench.faults("basil").probeOffset, undefined);
});
