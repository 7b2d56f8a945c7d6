import { join } from "node:path";
import type { Test } from "tap";
import { seconds } from "../../drivers/units.js";
import { servedWithTokens } from "../contract/served.js";
import type { Mosquitto } from "../mosquitto.js";
import { type Rig, rigFor } from "../rig.js";
import { bridgeFolder, spawnBridge } from "../runtime/bridge/bridge-process.js";
import type { RealHome } from "./real/real-home.js";
import { CLOCK, personOf, until } from "./tested-adapter.js";

const ANNA = { as: "human", token: "anna" } as const;
/** A choice: Home Assistant finds the broker again within a minute. */
const SOON = seconds(90);
const CONFIG = "server: { calls_per_second: 100000 }\nmqtt: { photos: true }";
const MOISTURE = "sensor.tendril_basil_moisture";

/** The house as a device of a real Home Assistant: runtime, bridge as a process, a real broker that it is connected to. */
export async function ourDevice(t: Test, home: RealHome, broker: Mosquitto): Promise<void> {
  const { rig, bridge } = await houseAt(t, broker);
  const is = async (id: string, wanted: string) => {
    const ends = CLOCK.monotonic() + SOON;
    const state = await until(async () => {
      const now = (await entity(home, id)).state ?? "none";
      return now === wanted || CLOCK.monotonic() > ends ? now : undefined;
    });
    t.equal(state, wanted, id);
  };
  const isShown = async (id: string) => {
    const ends = CLOCK.monotonic() + SOON;
    const state = await until(async () => {
      const now = (await entity(home, id)).state ?? "none";
      return /^\d{4}-/.test(now) || CLOCK.monotonic() > ends ? now : undefined;
    });
    t.match(state, /^\d{4}-\d\d-\d\dT/, `${id} has the time of its picture`);
  };
  const press = (domain: string, service: string, data: object) =>
    callService(t, home, domain, service, data);

  let kill = bridge();
  const { percent } = await rig.get("read_moisture");
  await is(MOISTURE, String(percent));
  for (const [id, state] of [
    ["binary_sensor.tendril_basil_on_hold", "off"],
    ["binary_sensor.tendril_basil_problem", "off"],
    ["sensor.tendril_basil_water_left_of_24_h", "500"],
    ["switch.tendril_agents_paused", "off"],
    ["number.tendril_basil_dose_to_ask_for", "15"],
  ] as const)
    await is(id, state);

  await rig.get("capture_photo");
  await isShown("image.tendril_basil_last_photo");

  await press("number", "set_value", { entity_id: "number.tendril_basil_dose_to_ask_for", value: 20 });
  await is("number.tendril_basil_dose_to_ask_for", "20");
  await press("button", "press", { entity_id: "button.tendril_basil_ask_for_a_dose" });
  await answerYes(rig);
  await until(async () => rig.bench.pumpEdges("basil").length > 0);
  const dose = await until(async () => {
    await rig.pass(seconds(1));
    const { attributes } = await entity(home, "event.tendril_basil_dose");
    return typeof attributes?.event_type === "string" ? attributes : undefined;
  });
  t.match(dose, { event_type: "poured", ml: 20 });
  t.equal((await rig.get("get_water_usage_24h")).used_ml, 20, "once");

  await press("switch", "turn_on", { entity_id: "switch.tendril_agents_paused" });
  await is("switch.tendril_agents_paused", "on");
  await press("button", "press", { entity_id: "button.tendril_everything_off" });
  await is("binary_sensor.tendril_basil_on_hold", "on");

  await kill();
  await is(MOISTURE, "unavailable");
  t.pass("the last will of a bridge that was killed");
  kill = bridge();
  await is(MOISTURE, String(percent));
  await broker.end();
  await is(MOISTURE, "unavailable");
  await broker.begin();
  await is(MOISTURE, String(percent));
  t.pass("there again after a restart of the broker, which had kept nothing");
  await home.end("SIGKILL");
  await home.boot();
  await is(MOISTURE, String(percent));
  t.pass("there again after Home Assistant was killed and started");
  t.equal((await rig.get("get_water_usage_24h")).used_ml, 20, "no dose twice");
}

/** Returns what starts a bridge as a process; that returns what kills it as by kill -9. */
async function houseAt(t: Test, broker: Mosquitto) {
  const rig = await rigFor(t, { config: CONFIG, hydration: 30 });
  const { url } = await servedWithTokens(t, rig);
  const folder = await bridgeFolder(t, `mqtt: { url: "${broker.url}" }\n`);
  const token = join(rig.state, "tokens-scoped", "bridge");
  const bridge = () => {
    const { child, ended } = spawnBridge(["--url", url, "--token-file", token, "--state", folder]);
    t.teardown(() => child.kill("SIGKILL"));
    return async () => {
      child.kill("SIGKILL");
      await ended;
    };
  };
  return { rig, bridge };
}

async function answerYes(rig: Rig): Promise<void> {
  const request = await until(async () => {
    const { approvals } = await rig.get("list_approvals", {}, ANNA);
    return (approvals as { id: number; state: string }[]).find(({ state }) => state === "pending");
  });
  await rig.get("answer_approval", { id: request.id, approve: true }, ANNA);
}

/** The configuration flow of the MQTT integration, as the page does it. */
export async function connectMqtt(home: RealHome, port: number): Promise<void> {
  const flow = await rest(home, "config/config_entries/flow", { handler: "mqtt" });
  const done = await rest(home, `config/config_entries/flow/${flow.flow_id}`, { broker: "127.0.0.1", port });
  if (done.type !== "create_entry") throw new Error(`MQTT was not set up: ${JSON.stringify(done)}`);
}

async function callService(t: Test, home: RealHome, domain: string, service: string, data: object) {
  const person = await personOf(t, home);
  await person.ask("call_service", { domain, service, service_data: data });
  person.close();
}

interface Entity {
  readonly state?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

const entity = (home: RealHome, id: string): Promise<Entity> => rest(home, `states/${id}`);

async function rest(home: RealHome, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${home.url}/api/${path}`, {
    headers: { authorization: `Bearer ${home.tokens.owner}`, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}
