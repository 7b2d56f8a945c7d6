import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { seconds } from "../../../../drivers/units.js";
import { calibratePump } from "../../../../runtime/cli/calibrate/pump.js";
import { type Remote, withRemote } from "../../../../runtime/cli/remote.js";
import { calibrationRig, FILE, ScriptedPerson } from "./fixture.js";

const READY = [/Press Enter/, ""] as const;
const YES = [/Write that/, "y"] as const;
const BACK = [/tube back/, "y"] as const;
const weighs = (...shown: string[]) => shown.map((each) => [/scale show/, each] as const);

type Rig = Awaited<ReturnType<typeof calibrationRig>>;
const used = async ({ as }: Rig) =>
  (await as((remote) => remote.call<{ used_ml: number }>("get_water_usage_24h"))).used_ml;
const control = ({ state }: Rig) => readFile(join(state, "journal", "control.jsonl"), "utf8").catch(() => "");

t.test("three doses are weighed, counted as poured, and the flow they show is written", async (t) => {
  const rig = await calibrationRig(t);
  const person = new ScriptedPerson([READY, ...weighs("14", "28,5", "43 g"), YES, BACK]);
  await rig.run(calibratePump, person);
  t.equal(await rig.text(), FILE.replace("1.5", "1.44"));
  t.equal(await used(rig), 45);
  t.match(
    person.all,
    /45 ml of the 500 ml[\s\S]*on for 10\.0 s[\s\S]*1\.44 ml\/s: 25 ml.*17\.4 s[\s\S]*restart it/,
  );
  t.match(await control(rig), /"kind":"clear".*"after_dose":[1-9]/, "the soil is not waited for");
});

t.test("a clogged pump is found out by the first dose", async (t) => {
  const rig = await calibrationRig(t);
  const moved = () => rig.bench.tank("basil").drawn;
  rig.bench.faults("basil").pump = "clogged";
  const person = new ScriptedPerson([READY, ...weighs("0"), [/tube back/, "n"]]);
  await t.rejects(rig.run(calibratePump, person), {
    message: /^nothing came: is the tank full.*Nothing was written$/,
  });
  t.equal(moved(), 0);
  t.equal(await used(rig), 15, "in doubt it counts");
  t.equal(await rig.text(), FILE);
  t.match(person.all, /tendril clear basil/);
  t.notMatch(await control(rig), /clear/);
});

t.test("while somebody cares for the plant, the person is told to pause agents first", async (t) => {
  const rig = await calibrationRig(t);
  const told = async () => {
    const person = new ScriptedPerson([]);
    await t.rejects(rig.run(calibratePump, person), /nobody answers/);
    return person.all;
  };
  const agent = { state: rig.state, tokenFile: join(rig.state, "tokens", "agent") };
  await withRemote(agent, writeStatus);
  t.match(await told(), /cares for the plant: first type "tendril pause"/);
  await rig.as((remote) => remote.call("pause_agents", { paused: true }));
  t.notMatch(await told(), /cares for the plant/);
});

t.test("doses that disagree are refused, and may be poured again into the same jug", async (t) => {
  const rig = await calibrationRig(t);
  const person = new ScriptedPerson([
    READY,
    ...weighs("5", "20", "35", "50", "65", "80"),
    [/more into the same/, "y"],
    YES,
    BACK,
  ]);
  await rig.run(calibratePump, person);
  t.match(person.all, /differ too much \(5 g, 15 g, 15 g\): air in the tube/);
  t.equal(await used(rig), 90);
  t.match(await rig.text(), /flow_ml_per_s: 1\.5\n/);
});

t.test("nonsense on the scale is asked for again", async (t) => {
  const rig = await calibrationRig(t);
  const person = new ScriptedPerson([READY, ...weighs("", "a lot", "-1", "14", "9", "29", "43"), YES, BACK]);
  await rig.run(calibratePump, person);
  t.equal(person.heard.filter((text) => /please type a number of grams from/.test(text)).length, 4);
  t.match(await rig.text(), /flow_ml_per_s: 1\.44/);
});

t.test("a pump too slow for the hardware's cut is refused", async (t) => {
  const rig = await calibrationRig(t);
  const person = new ScriptedPerson([READY, ...weighs("9", "18", "27"), BACK]);
  await t.rejects(rig.run(calibratePump, person, true), { message: "nothing was written" });
  t.match(person.all, /0\.9 ml\/s is too slow/);
  t.equal(await rig.text(), FILE);
});

t.test("Ctrl-C in mid-dose stops the pump before anything else, and says what is left to do", async (t) => {
  const rig = await calibrationRig(t, { speed: 2 });
  const person = new ScriptedPerson([READY]);
  const { clock } = rig.runtime.board;
  person.listen = (text) => {
    if (/pump runs/.test(text)) void clock.sleep(seconds(1)).then(() => person.pressCtrlC());
  };
  await t.rejects(rig.run(calibratePump, person), { message: /was stopped after .* of 15 ml/ });
  const [on, off] = rig.bench.pumpEdges("basil");
  const ran = (off?.at ?? Number.POSITIVE_INFINITY) - (on?.at ?? 0);
  t.ok(ran < seconds(10), `on for ${ran} ms of 10,000`);
  t.match(person.all, /\n[1-9](\.\d+)? ml went into the jug[\s\S]*tendril clear basil/);
  t.equal(await rig.text(), FILE);
});

t.test("what stands in the way is said before anything is poured", async (t) => {
  const rig = await calibrationRig(t, { file: `${FILE}water: { daily_limit_ml: 50 }\n` });
  const refused = (message: RegExp) => t.rejects(rig.run(calibratePump, new ScriptedPerson([])), { message });
  await rig.as((remote) => remote.call("set_hold", { hold: true, plant: "basil", reason: "away" }));
  await refused(/on hold \(away\).*nothing was poured/);
  await rig.as((remote) => remote.call("set_hold", { hold: false }));
  rig.bench.faults("basil").probe = "unplugged";
  await rig.as((remote) => remote.call("read_moisture")).catch(() => undefined);
  await refused(/the probe does not answer .*no water flows/);
  delete rig.bench.faults("basil").probe;
  await rig.as((remote) => remote.call("read_moisture"));
  await rig.as((remote) => remote.call("dispense_water", { ml: 10 }));
  await refused(/3 doses of 15 ml do not fit into the 40 ml/);
});

t.test("wet soil, and more than the soil would be waited for, keep no water from a jug", async (t) => {
  const rig = await calibrationRig(t, { hydration: 100 });
  const person = new ScriptedPerson([READY, ...weighs("25", "50", "75"), YES, BACK]);
  await rig.run((session) => calibratePump({ ...session, ml: 25 }), person);
  t.equal(await used(rig), 75);
});

/** A care of the plant begins with it. */
async function writeStatus(remote: Remote): Promise<void> {
  const { timestamp } = await remote.call<{ timestamp: string }>("get_current_time");
  const { value: sensor_reading } = await remote.call<{ value: number }>("read_moisture");
  const { used_ml: water_24h } = await remote.call<{ used_ml: number }>("get_water_usage_24h");
  const plan = {
    next_action_sequence: [{ order: 1, action: "water", value: 15 }],
    plant_state: "healthy",
    reasoning: "a test",
  };
  const figures = { timestamp, sensor_reading, water_24h, light_today: 0 };
  const answer = await remote.call<{ proceed: boolean }>("write_plant_status", { ...figures, ...plan });
  t.equal(answer.proceed, true, JSON.stringify(answer));
}
