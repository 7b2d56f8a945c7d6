import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { seconds } from "../../../drivers/units.js";
import { mqttAdapter } from "../../../runtime/bridge/mqtt/adapter.js";
import { mqtt as mqttPart } from "../../../runtime/services/mqtt/index.js";
import { outbox as outboxPart } from "../../../runtime/services/outbox/outbox.js";
import { BridgeOfTest } from "../../bridge-of-test.js";
import { servedWithTokens } from "../../contract/served.js";
import { Mosquitto, type MqttListener, NO_BROKER } from "../../mosquitto.js";
import { type Rig, rigFor } from "../../rig.js";
import { bridgeFolder, spawnBridge, until } from "../../runtime/bridge/bridge-process.js";
import { TcpProxy } from "../../tcp-proxy.js";

const CONFIG = "server: { calls_per_second: 100000 }\n";
const PERSON = { as: "human", token: "anna" } as const;
const STATE = "tendril/plant/basil/state";
const DOSE = "tendril/plant/basil/dose";
const DEVICE = "homeassistant/device/tendril/config";

interface House {
  readonly rig: Rig;
  readonly broker: Mosquitto;
  readonly ha: MqttListener;
  readonly bridge: BridgeOfTest;
}

/** The whole runtime and the real adapter in one process, with a real broker and a client as Home Assistant is one. */
async function house(t: Test, { more = "mqtt: {}", hydration = 30 } = {}): Promise<House> {
  const broker = await Mosquitto.start(t);
  const ha = await broker.client(t);
  const rig = await rigFor(t, { config: CONFIG + more, hydration });
  const bridge = new BridgeOfTest(rig, mqttAdapter, { url: broker.url });
  t.teardown(() => bridge.leave());
  await shown(ha);
  return { rig, broker, ha, bridge };
}

const shown = (ha: MqttListener, topic = STATE) => until(() => ha.last(topic) ?? undefined);
const said = (bridge: BridgeOfTest, words: RegExp) =>
  until(() => bridge.said.find((line) => words.test(line)));
interface Request {
  readonly id: number;
  readonly state: string;
  readonly agent: string;
  readonly words: string;
}
const requests = async (rig: Rig) => (await rig.get("list_approvals", {}, PERSON)).approvals as Request[];
const waiting = (rig: Rig) =>
  until(async () => (await requests(rig)).find(({ state }) => state === "pending"));
const answer = (rig: Rig, id: number, approve: boolean) =>
  rig.get("answer_approval", { id, approve }, PERSON);
const components = (ha: MqttListener): string[] =>
  Object.keys((ha.last(DEVICE) as { components: object }).components);
async function journal(rig: Rig, name: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(rig.state, "journal", `${name}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
const used = async (rig: Rig) => (await rig.get("get_water_usage_24h")).used_ml;
const isHeld = (rig: Rig) =>
  rig.core.house.overview({ identity: { name: "human", role: "human" } }).plants[0]?.hold !== null;

if (NO_BROKER !== undefined) t.plan(0, NO_BROKER);
else {
  t.test(
    "Home Assistant is shown one device by one retained message, with origin, last will and expiry",
    async (t) => {
      const { ha, broker } = await house(t);
      const device = (await shown(ha, DEVICE)) as { components: Record<string, Record<string, unknown>> };
      t.match(device, {
        device: { identifiers: ["tendril_tendril"], name: "Tendril", sw_version: /^\d/ },
        origin: { name: "tendril", sw_version: /^\d/ },
        availability: [{ topic: "tendril/status" }],
      });
      t.same(Object.keys(device.components), [
        ...[
          "sensor_approvals",
          "event_message",
          "button_off",
          "button_hold",
          "switch_paused",
          "sensor_moisture_basil",
        ],
        ...[
          "sensor_budget_left_basil",
          "sensor_used_basil",
          "sensor_doses_basil",
          "binary_sensor_light_basil",
        ],
        ...[
          "binary_sensor_held_basil",
          "binary_sensor_problem_basil",
          "event_dose_basil",
          "number_dose_ml_basil",
        ],
        "button_dose_basil",
      ]);
      t.match(device.components.sensor_moisture_basil, {
        ...{ platform: "sensor", unique_id: "tendril_sensor_moisture_basil", expire_after: 180 },
        ...{ device_class: "moisture", state_topic: STATE, unit_of_measurement: "%" },
      });
      t.equal(ha.last("tendril/status"), "online");
      const later = await broker.client(t);
      await shown(later, DEVICE);
      const kept = later.heard.filter(({ retain }) => retain).map(({ topic }) => topic);
      t.same(
        kept.sort(),
        [DEVICE, "tendril/status"],
        "a state that is kept would count as new after a restart",
      );
    },
  );

  t.test("the plant's state has figures, and no words, names of people or reasons", async (t) => {
    const { rig, ha } = await house(t, { more: "mqtt: {}\npeople: [{ id: anna, name: Anna }]" });
    const { percent } = await rig.get("read_moisture");
    await rig.get("set_hold", { hold: true, reason: "Anna is away, key under the mat" }, PERSON);
    rig.core.get(mqttPart).publisher.sayAgain();
    const isNow = () => (ha.last(STATE) as { held?: boolean }).held === true;
    await until(() => isNow() || undefined);
    t.same(ha.last(STATE), {
      ...{
        name: "Basil",
        moisture: percent,
        budget_left_ml: 500,
        used_24h_ml: 0,
        doses_24h: 0,
        light: "off",
      },
      ...{ camera: true, held: true, problem: null },
    });
    t.notMatch(ha.heard.map(({ payload }) => payload).join(), /Anna|key under/);
  });

  t.test(
    "a dose that is asked for waits for a yes, and is then the dose of who said yes, once",
    async (t) => {
      const { rig, ha, bridge } = await house(t);
      await ha.say("tendril/plant/basil/set/dose_ml", "20");
      await until(() => ha.last("tendril/plant/basil/dose_ml") === 20 || undefined);
      await ha.say("tendril/plant/basil/set/dose", "PRESS");
      const request = await waiting(rig);
      t.match(request, { agent: "anybody@mqtt", words: "pour 20 ml", plant: "basil" });
      await ha.say("tendril/plant/basil/set/dose", "PRESS");
      await said(bridge, /is asked for already/);
      t.equal(await used(rig), 0);
      await answer(rig, request.id, true);
      await until(() => rig.bench.pumpEdges("basil").length > 0 || undefined);
      await until(async () => {
        await rig.pass(seconds(1));
        return ha.last(DOSE);
      });
      t.match(ha.last(DOSE), { event_type: "poured", ml: 20, plant: "basil" });
      t.equal(await used(rig), 20);
      const line = (await journal(rig, "water")).find((each) => each.kind === "intent");
      t.match(line, { by: "anna", ml: 20 });
      t.equal((await requests(rig)).length, 1);
    },
  );

  t.test("a no, and a restart while it waits, are a no: nothing flows, and the reason is told", async (t) => {
    const { rig, ha } = await house(t);
    await ha.say("tendril/plant/basil/set/dose", "PRESS");
    await answer(rig, (await waiting(rig)).id, false);
    t.match(await shown(ha, DOSE), { event_type: "declined", ml: 15, reason: /anna said no/ });
    await ha.say("tendril/plant/basil/set/dose_ml", "16");
    await ha.say("tendril/plant/basil/set/dose", "PRESS");
    await waiting(rig);
    await rig.crash();
    await rig.open();
    t.match(await requests(rig), [{ state: "expired" }, { state: "denied" }]);
    t.equal(await used(rig), 0);
  });

  t.test("a dose that would be refused anyway asks nobody, and says why", async (t) => {
    const { rig, ha } = await house(t);
    await rig.get("set_hold", { hold: true }, PERSON);
    await ha.say("tendril/plant/basil/set/dose", "PRESS");
    t.match(await shown(ha, DOSE), { event_type: "refused", reason: /on hold/ });
    t.same(await requests(rig), []);
  });

  t.test("anybody may switch off and hold, and nobody lifts a hold here", async (t) => {
    const { rig, ha } = await house(t);
    await rig.get("turn_on_light", { minutes: 60 }, PERSON);
    t.equal(
      rig.core.house.overview({ identity: { name: "human", role: "human" } }).plants[0]?.light.status,
      "on",
    );
    await ha.say("tendril/house/set/off", "PRESS");
    await until(() => isHeld(rig) || undefined);
    t.equal(
      rig.core.house.overview({ identity: { name: "human", role: "human" } }).plants[0]?.light.status,
      "off",
    );
    for (const [what, payload] of [
      ["hold", "OFF"],
      ["resume", "PRESS"],
      ["hold", "PRESS"],
    ] as const)
      await ha.say(`tendril/house/set/${what}`, payload);
    await new Promise((resolve) => setTimeout(resolve, 100));
    t.equal(isHeld(rig), true);
  });

  t.test(
    "any payload of off switches off and holds, but an empty one, which deletes what is kept",
    async (t) => {
      const { rig, ha } = await house(t);
      await ha.say("tendril/house/set/off", "");
      await ha.say("tendril/plant/basil/set/dose_ml", "25");
      await until(() => ha.last("tendril/plant/basil/dose_ml") === 25 || undefined);
      t.equal(isHeld(rig), false);
      await ha.say("tendril/house/set/off", "4");
      await until(() => isHeld(rig) || undefined);
      t.equal(isHeld(rig), true);
    },
  );

  t.test("a flood of commands is some commands: it is obeyed, and journals and log stay short", async (t) => {
    const { rig, ha, bridge } = await house(t);
    const before = bridge.said.length;
    await Promise.all(
      Array.from({ length: 3000 }, (_, count) => ha.say("tendril/house/set/off", String(count))),
    );
    await until(() => isHeld(rig) || undefined);
    await Promise.all(Array.from({ length: 500 }, () => ha.say("tendril/house/set/paused", "ON")));
    await said(bridge, /agents are paused/);
    await ha.say("tendril/plant/basil/set/dose_ml", "25");
    await until(() => ha.last("tendril/plant/basil/dose_ml") === 25 || undefined);
    for (const name of ["control", "pause"])
      t.ok((await journal(rig, name)).length <= 12, `${name} has a record a second at most`);
    t.ok(bridge.said.length - before <= 40, `${bridge.said.length - before} lines`);
  });

  t.test("anybody may pause the agents; that they go on needs a person's yes", async (t) => {
    const { rig, ha } = await house(t);
    const isPaused = () =>
      rig.core.house.overview({ identity: { name: "human", role: "human" } }).paused !== null;
    await ha.say("tendril/house/set/paused", "ON");
    await until(() => isPaused() || undefined);
    await rig.status([{ action: "water", value: 15 }]);
    t.equal((await rig.refused("dispense_water", { ml: 15 })).code, "PAUSED");
    await rig.water(15, PERSON);
    await ha.say("tendril/house/set/paused", "OFF");
    const request = await waiting(rig);
    t.match(request, { agent: "anybody@mqtt", words: "let the agents go on" });
    t.ok(isPaused());
    await answer(rig, request.id, true);
    await until(() => !isPaused() || undefined);
    await rig.water(15);
    t.match((await journal(rig, "pause")).at(-1), { paused: false, by: "anna" });
  });

  t.test("what the broker has kept is dropped, also when the connection is made anew", async (t) => {
    const { rig, ha, broker, bridge } = await house(t);
    await bridge.leave();
    await until(() => ha.last("tendril/status") === "offline" || undefined);
    for (const what of ["house/set/hold", "house/set/off", "plant/basil/set/dose"])
      await ha.say(`tendril/${what}`, "PRESS", { retain: true });
    const second = new BridgeOfTest(rig, mqttAdapter, { url: broker.url });
    t.teardown(() => second.leave());
    for (const what of ["hold", "off", "dose"])
      await said(second, new RegExp(`a retained ${what} was dropped`));
    t.equal(isHeld(rig), false);
    t.same(await requests(rig), []);
  });

  t.test("what is pressed while the bridge is away is not done later", async (t) => {
    const { rig, ha, broker, bridge } = await house(t);
    await bridge.leave();
    await until(() => ha.last("tendril/status") === "offline" || undefined);
    await ha.say("tendril/house/set/hold", "PRESS");
    const second = new BridgeOfTest(rig, mqttAdapter, { url: broker.url });
    t.teardown(() => second.leave());
    await until(() => ha.last("tendril/status") === "online" || undefined);
    await ha.say("tendril/plant/basil/set/dose_ml", "25");
    await until(() => ha.last("tendril/plant/basil/dose_ml") === 25 || undefined);
    t.equal(isHeld(rig), false);
  });

  t.test("garbage on the command topics does nothing", async (t) => {
    const { rig, ha } = await house(t);
    for (const payload of ["9", "26", "-1", "1e1", "NaN", "", "{}", "20; 500", "\u0000", "x".repeat(300_000)])
      await ha.say("tendril/plant/basil/set/dose_ml", payload);
    for (const topic of ["plant/basil/set/dose", "house/set/hold"])
      for (const payload of ["", "ON", "press", '{"ml": 25}']) await ha.say(`tendril/${topic}`, payload);
    for (const topic of ["plant/rose/set/dose", "plant/basil/set/hold", "house/set/dose", "house/set/x/y"])
      await ha.say(`tendril/${topic}`, "PRESS");
    await ha.say(DEVICE, "{");
    await ha.say("homeassistant/status", "garbage");
    await ha.say("tendril/plant/basil/set/dose_ml", "12");
    await until(() => ha.last("tendril/plant/basil/dose_ml") === 12 || undefined);
    t.same([...new Set(ha.all("tendril/plant/basil/dose_ml"))], [15, 12]);
    t.same([isHeld(rig), await requests(rig)], [false, []]);
  });

  t.test(
    "device and states are sent again when Home Assistant begins, and when the broker does",
    async (t) => {
      const { ha, broker } = await house(t);
      const count = () => ha.all(DEVICE).length;
      const before = count();
      await ha.say("homeassistant/status", "online");
      await until(() => count() > before || undefined);
      await broker.end();
      await broker.begin();
      const again = await broker.client(t);
      t.ok(await shown(again, DEVICE));
      await until(() => again.last("tendril/status") === "online" || undefined);
    },
  );

  t.test("a flood of births is answered at once, when it is over, and now and then between", async (t) => {
    const { ha } = await house(t);
    const before = ha.all(DEVICE).length;
    await Promise.all(Array.from({ length: 200 }, () => ha.say("homeassistant/status", "online")));
    await until(() => ha.all(DEVICE).length >= before + 2 || undefined);
    // a command behind the flood: what came before it has been heard
    await ha.say("tendril/plant/basil/set/dose_ml", "12");
    await until(() => ha.last("tendril/plant/basil/dose_ml") === 12 || undefined);
    const answers = ha.all(DEVICE).length - before;
    t.ok(answers < 50, `${answers} answers to 200`); // one a second: on a slow machine the flood lasts longer
  });

  t.test("a message too long for the house does not reach the bridge, and the next one does", async (t) => {
    const broker = await Mosquitto.start(t);
    const ha = await broker.client(t);
    let bytes = 0;
    const proxy = new TcpProxy(broker.port);
    t.teardown(() => proxy.close());
    proxy.resetIn = (piece, to) => {
      if (to === "down") bytes += piece.length;
      return undefined;
    };
    const rig = await rigFor(t, { config: `${CONFIG}mqtt: {}` });
    const bridge = new BridgeOfTest(rig, mqttAdapter, { url: `mqtt://127.0.0.1:${await proxy.listen()}` });
    t.teardown(() => bridge.leave());
    await shown(ha);
    const before = bytes;
    await ha.say("tendril/house/set/off", "x".repeat(5_000_000));
    await ha.say("tendril/plant/basil/set/dose_ml", "12");
    await until(() => ha.last("tendril/plant/basil/dose_ml") === 12 || undefined);
    t.ok(bytes - before < 100_000, `${bytes - before} bytes came`);
  });

  t.test("a broker that knows no MQTT 5 is spoken to in 3.1.1", async (t) => {
    const levels: number[] = [];
    const old = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (connect) => {
        // MQTT 3.1.1, 3.1.2: fixed header, remaining length of one or two bytes, "MQTT", level
        const level = connect[connect.indexOf("MQTT") + 4] ?? 0;
        levels.push(level);
        socket.write(Buffer.from([0x20, 0x02, 0x00, level === 4 ? 0 : 1])); // CONNACK: accepted, or 3.2.2.3
        if (level !== 4) socket.end();
      });
    });
    await once(old.listen(0, "127.0.0.1"), "listening");
    t.teardown(() => old.close());
    const rig = await rigFor(t, { config: `${CONFIG}mqtt: {}` });
    const { port } = old.address() as AddressInfo;
    const bridge = new BridgeOfTest(rig, mqttAdapter, { url: `mqtt://127.0.0.1:${port}` });
    t.teardown(() => bridge.leave());
    await said(bridge, /knows no MQTT 5/);
    await said(bridge, /mqtt: connected/);
    t.same(levels, [5, 4]);
  });

  t.test(
    "a plant that is no longer configured leaves Home Assistant, by what the broker had kept",
    async (t) => {
      const { ha, broker, rig, bridge } = await house(t, {
        more: "mqtt: {}\nplants: [{ id: basil }, { id: rose, probe: { channel: 1 } }]",
      });
      t.ok(components(ha).includes("sensor_moisture_rose"));
      await bridge.leave();
      await rig.restart(`${CONFIG}mqtt: {}`);
      const second = new BridgeOfTest(rig, mqttAdapter, { url: broker.url });
      t.teardown(() => second.leave());
      const rose = () =>
        ha
          .all(DEVICE)
          .filter((each) => JSON.stringify(each).includes('"sensor_moisture_rose":{"platform":"sensor"}'));
      await until(() => rose().length > 0 || undefined);
      await until(() => !components(ha).includes("sensor_moisture_rose") || undefined);
    },
  );

  t.test("news is an event; of a question only that there is one", async (t) => {
    const { rig, ha } = await house(t);
    const outbox = rig.core.get(outboxPart);
    await outbox.tell({ kind: "tank_empty", severity: "warning", data: { input: "can", plants: ["basil"] } });
    await until(() => ha.all("tendril/message").length === 1 || undefined);
    t.match(ha.last("tendril/message"), {
      event_type: "warning",
      kind: "tank_empty",
      text: /The tank "can" is empty/,
    });
    const secret = { task_id: "1", title: "Anna's surprise", due_at: "2026-06-01T08:00:00Z", priority: 0 };
    await outbox.tell({
      kind: "task_due",
      severity: "info",
      data: { ...secret, by: "anna", user_id: "household" },
    });
    await ha.say("tendril/plant/basil/set/dose", "PRESS");
    await until(() => ha.all("tendril/message").length === 2 || undefined);
    t.match(ha.last("tendril/message"), { kind: "approval_requested", text: null });
  });

  t.test("photos are shown only if the owner says so", async (t) => {
    const { rig, ha } = await house(t, { more: "mqtt: { photos: true, may: [] }" });
    t.notOk(components(ha).some((key) => /button_dose|button_hold|number/.test(key)));
    t.ok(components(ha).includes("image_photo_basil"));
    await rig.get("capture_photo");
    rig.core.get(mqttPart).publisher.sayAgain();
    await until(() => ha.last("tendril/plant/basil/photo") ?? undefined);
    await ha.say("tendril/plant/basil/set/dose", "PRESS");
    await ha.say("tendril/house/set/hold", "PRESS");
    await new Promise((resolve) => setTimeout(resolve, 100));
    t.same([isHeld(rig), await requests(rig)], [false, []]);
  });

  t.test("a bridge as a process shows the house, and is offline as soon as it is killed", async (t) => {
    const broker = await Mosquitto.start(t);
    const ha = await broker.client(t);
    const rig = await rigFor(t, { config: `${CONFIG}mqtt: {}` });
    const { url } = await servedWithTokens(t, rig);
    const folder = await bridgeFolder(t, `mqtt: { url: "${broker.url}" }\n`);
    const token = join(rig.state, "tokens-scoped", "bridge");
    const { child, ended } = spawnBridge(["--url", url, "--token-file", token, "--state", folder]);
    t.teardown(() => child.kill("SIGKILL"));
    await shown(ha);
    t.equal(ha.last("tendril/status"), "online");
    child.kill("SIGKILL");
    await until(() => ha.last("tendril/status") === "offline" || undefined);
    await ended;
  });

  t.test("a wrong password is told without the password, and the runtime goes on", async (t) => {
    const broker = await Mosquitto.start(t, { password: "correct-horse" });
    const rig = await rigFor(t, { config: `${CONFIG}mqtt: {}` });
    const login = { url: broker.url, user: "tendril" };
    const wrong = new BridgeOfTest(rig, mqttAdapter, { ...login, password: "wrong-battery" });
    await said(wrong, /refuses user and password/);
    t.notMatch(`${wrong.said.join()}${rig.log.join()}`, /wrong-battery/);
    await wrong.leave();
    const right = new BridgeOfTest(rig, mqttAdapter, { ...login, password: "correct-horse" });
    t.teardown(() => right.leave());
    await said(right, /mqtt: connected/);
  });
}

t.test("an address without TLS to another computer, or with a password in it, is refused", async (t) => {
  const good = (config: object) => mqttAdapter.config.safeParse(config).success;
  t.ok(good({ url: "mqtts://broker.local" }));
  t.ok(good({ url: "mqtt://192.168.1.5:1883", plain: true }));
  t.ok(good({ url: "mqtt://localhost" }));
  for (const url of ["mqtt://192.168.1.5", "http://broker.local", "mqtts://me:secret@broker.local", "broker"])
    t.notOk(good({ url }), url);
});
