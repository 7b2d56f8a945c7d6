import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { openBoard } from "../../../drivers/open-board.js";
import { type Millis, millilitres, millis, minutes, seconds } from "../../../drivers/units.js";
import { BASIL, hardware } from "../bench-rig.js";

/** A bench with an interlock, whose first rest is over. */
async function rig(
  t: Test,
  { clock = new SimulatedClock(), stateFolder }: { clock?: SimulatedClock; stateFolder?: string } = {},
) {
  const options = { clock, speed: 1, seed: 1, ...(stateFolder !== undefined && { stateFolder }) };
  const board = await openBoard({ kind: "bench", interlock: {}, plants: [BASIL] }, options);
  t.teardown(() => board.close());
  const { interlock } = board.bench;
  if (!interlock || !board.interlock) throw new Error("the bench has no interlock");
  await clock.advance(seconds(11));
  return {
    clock,
    board,
    bench: board.bench,
    interlock,
    panel: board.interlock,
    ...hardware(board.plants, "basil"),
  };
}

type Rig = Awaited<ReturnType<typeof rig>>;

async function pass({ clock }: Pick<Rig, "clock">, time: Millis): Promise<void> {
  for (let left: number = time; left > 0; left -= 100) await clock.advance(millis(100));
}

/** A dose that has run for a while. */
async function running(it: Rig, time: Millis) {
  const dose = it.pump.dispense(millilitres(25)).catch((error) => error);
  await pass(it, millis(time + 200));
  return { dose };
}

t.test(
  "the interlock's contact closes before the relay and opens after it; the dose is what was asked",
  async (t) => {
    const it = await rig(t);
    const dose = it.pump.dispense(millilitres(15));
    await pass(it, seconds(11));
    t.match(await dose, { ml: 15, outcome: "elapsed" });
    const [[on, off], [closed, open]] = [it.bench.pumpEdges("basil"), it.interlock.edges("pump")];
    t.ok(closed && on && closed.at <= on.at && on.at - closed.at < 200, `${closed?.at} before ${on?.at}`);
    t.ok(open && off && open.at >= off.at && open.at - off.at < 200, `${open?.at} after ${off?.at}`);
  },
);

t.test("an emergency stop cuts the water within a step, and the relay follows", async (t) => {
  const it = await rig(t);
  await running(it, seconds(5));
  it.interlock.faults.stopPressed = true;
  await pass(it, seconds(2));
  const pressed = 11_000 + 5200;
  t.ok((it.interlock.edges("pump").at(-1)?.at ?? 0) - pressed <= 10);
  t.ok((it.bench.pumpEdges("basil").at(-1)?.at ?? 0) - pressed <= 600, "at the next heartbeat");
  t.match(it.panel.trouble(), { code: "INTERLOCK_FAULT", what: /emergency stop/ });
  t.match(it.board.inputs(), [{ kind: "stop", active: true, plants: ["basil"] }]);
  await t.rejects(it.panel.clear(), { code: "INTERLOCK_FAULT" });
  it.interlock.faults.stopPressed = false;
  await pass(it, seconds(1));
  await it.panel.clear();
  t.equal(it.panel.trouble(), undefined);
});

t.test(
  "a cable that is pulled amid a dose: the pump is off after two seconds, whatever the Pi believes",
  async (t) => {
    const it = await rig(t);
    await running(it, seconds(5));
    it.interlock.faults.unplugged = true;
    await pass(it, seconds(4));
    t.ok((it.interlock.edges("pump").at(-1)?.at ?? 0) - 16_200 <= 2010);
    t.equal(it.panel.trouble()?.code, "INTERLOCK_LOST");
    it.interlock.faults.unplugged = false;
    await pass(it, seconds(2));
    t.match(it.panel.trouble(), { code: "INTERLOCK_FAULT", what: /no heartbeat while the pump ran/ });
  },
);

t.test("a relay that has welded floods nothing: water flows for a blink, and never again", async (t) => {
  const it = await rig(t);
  const poured = () => 1000 - (it.bench.tank("basil").left ?? 0);
  it.bench.tank("basil").left = millilitres(1000);
  it.bench.faults("basil").pump = "relay welded";
  await pass(it, minutes(5));
  t.equal(poured(), 0);
  const dose = it.pump.dispense(millilitres(10)).catch((error) => error);
  await pass(it, seconds(12));
  t.match(await dose, { code: "RELAY_WELDED" });
  await pass(it, minutes(5));
  t.ok(poured() > 0 && poured() < 0.3, `${poured()} ml`);
});

t.test("without an interlock that relay would have emptied the tank", async (t) => {
  const clock = new SimulatedClock();
  const board = await openBoard({ kind: "bench", plants: [BASIL] }, { clock, speed: 1, seed: 1 });
  t.teardown(() => board.close());
  board.bench.tank("basil").left = millilitres(1000);
  board.bench.faults("basil").pump = "relay welded";
  await clock.advance(minutes(20));
  t.equal(board.bench.tank("basil").left, 0);
});

t.test("a welded contact of its own is latched as soon as it matters", async (t) => {
  const it = await rig(t);
  it.interlock.faults.welded = "pump";
  await pass(it, seconds(5));
  t.equal(it.panel.trouble(), undefined, "with the Pi's relay open nobody can tell");
  it.bench.faults("basil").pump = "relay welded";
  await pass(it, seconds(1));
  t.match(it.panel.trouble(), { code: "INTERLOCK_FAULT", what: /live although/ });
});

t.test("a cable that is back before the interlock minds: no contact stays closed for nobody", async (t) => {
  const it = await rig(t);
  const { dose } = await running(it, seconds(5));
  it.interlock.faults.unplugged = true;
  await pass(it, millis(900));
  it.interlock.faults.unplugged = false;
  await pass(it, seconds(1));
  t.match(await dose, { outcome: "ended" });
  t.equal(it.panel.trouble(), undefined);
  t.equal(it.interlock.edges("pump").at(-1)?.level, 0);
  const next = it.pump.dispense(millilitres(10));
  await pass(it, seconds(20));
  t.match(await next, { ml: 10, outcome: "elapsed" });
});

t.test("a light goes on and off through it too", async (t) => {
  const it = await rig(t);
  await pass(it, minutes(10));
  const light = it.light.pulse(minutes(30));
  await pass(it, millis(200));
  t.equal(it.light.isOn(), true);
  for (let left = 31; left > 0; left--) await it.clock.advance(minutes(1));
  t.match(await light, { onFor: minutes(30), outcome: "elapsed" });
  t.equal(it.interlock.edges("light").length, 2);
});

t.test("the budget outlives a power cut; a memory that was damaged counts as spent", async (t) => {
  const stateFolder = await mkdtemp(join(tmpdir(), "tendril-interlock-"));
  t.teardown(() => rm(stateFolder, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const first = await rig(t, { clock, stateFolder });
  const dose = first.pump.dispense(millilitres(15));
  await pass(first, seconds(11));
  await dose;
  const left = first.panel.view().pump_seconds_left ?? 0;
  await first.board.close();
  clock.reboot({ downtime: minutes(5) });
  const second = await rig(t, { clock, stateFolder });
  const after = second.panel.view().pump_seconds_left ?? 0;
  t.ok(
    after <= left && after >= left - 2,
    `${after} s, ${left} s before: what was charged beyond the pulse stays charged`,
  );
  await second.board.close();
  await writeFile(join(stateFolder, "interlock.eeprom"), Buffer.alloc(120, 7));
  const third = await rig(t, { clock, stateFolder });
  t.equal(third.panel.view().pump_seconds_left, 0);
  const refused = third.pump.dispense(millilitres(15)).catch((error) => error);
  await pass(third, seconds(1));
  t.match(await refused, { code: "INTERLOCK_BUDGET" });
});
