import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { minutes } from "../../drivers/units.js";
import { homeAdapter } from "../../runtime/bridge/home/adapter.js";
import { catalogAnswer } from "../../runtime/wire/home.js";
import { BridgeOfTest } from "../bridge-of-test.js";
import { Mosquitto, NO_BROKER } from "../mosquitto.js";
import { rigFor } from "../rig.js";
import { agentUnlocks } from "./agent.js";
import { promisesOfHomeAdapter } from "./home-adapter.js";
import { ALL_ROUNDS, type KilledHome, killAtEachStep } from "./kills.js";
import { connectMqtt, ourDevice } from "./mqtt-device.js";
import { install, NotInstalled } from "./real/install.js";
import { RealHome } from "./real/real-home.js";
import { adapterOf, CLOCK, personOf, until } from "./tested-adapter.js";
import { promisesOfWays } from "./tried-ways.js";

/**
 * `npm run test:home`: everything that has to do with Home Assistant, with a real one. It is installed once, in some minutes.
 * It is to take 15 minutes at most in all: what would begin too late is told as not tested.
 */
const lastBegin = CLOCK.monotonic() + minutes(12);
const python = await install().catch((error: Error) => {
  if (error instanceof NotInstalled) return error;
  throw error;
});
if (python instanceof NotInstalled)
  t.plan(0, `NOT TESTED with a real Home Assistant: it cannot be installed here: ${python.message}`);
else {
  const home = await RealHome.start(python);
  t.teardown(() => home.remove());
  const broker = NO_BROKER === undefined ? await Mosquitto.start(t) : undefined;
  if (broker) await connectMqtt(home, broker.port);
  await t.test("the adapter keeps its promises with Home Assistant 2025.4.4", async (t) =>
    promisesOfHomeAdapter(t, async () => home),
  );
  await t.test("an automation that is written anew is read anew", (t) => reloaded(t, home));
  await t.test("what is listed of the home can be searched for", (t) => searched(t, home));
  await t.test("the ways around a check of names", async (t) => {
    const { url, tokens } = home;
    promisesOfWays(t, async () => ({ url, tokens, hasBroker: broker !== undefined, slowest: 5 }));
  });
  await t.test("an agent turns lights on, asks for a lock, and after the person's yes unlocks it once", (t) =>
    agentUnlocks(t, home),
  );
  await t.test(
    "Tendril is a device of Home Assistant: states, commands, last will, restarts of every side",
    {
      skip: NO_BROKER ?? false,
    },
    (t) => (broker ? ourDevice(t, home, broker) : undefined),
  );
  await t.test("whatever is killed while an agent asks for a lock, it is unlocked at most once", (t) =>
    killAtEachStep(t, killed(home), ALL_ROUNDS, lastBegin),
  );
}

/** Its locks take two seconds by themselves, and its recorder writes each second. */
function killed(home: RealHome): KilledHome {
  return {
    ...{ url: home.url, tokens: home.tokens, recordsWithin: 1.5 },
    ...{ hold: () => undefined, release: () => undefined },
    kill: () => home.end("SIGKILL"),
    boot: () => home.boot(),
    freeze: () => home.signal("SIGSTOP"),
    thaw: () => home.signal("SIGCONT"),
  };
}

/** The whole runtime asks for it through the real adapter. */
async function searched(t: Test, { url, tokens }: RealHome): Promise<void> {
  const listed = [
    "light.office_rgbw_lights",
    "automation.door_opener",
    "scene.movie",
    "sensor.soil_moisture",
  ];
  const config = `home: { entities: { ${listed.map((id) => `${id}: {}`).join(", ")} } }`;
  const rig = await rigFor(t, { config });
  const bridge = new BridgeOfTest(rig, homeAdapter, { url, read_token: tokens.viewer });
  t.teardown(() => bridge.leave());
  const ask = (query: string, source_type: string) => rig.get("retrieve_knowledge", { query, source_type });
  await until(async () => {
    const { complete, missing } = await ask("lights", "entity");
    return complete === true && missing === undefined;
  });
  t.match(await ask("kitchen lights", "entity"), {
    chunks: [{ metadata: { entity_id: "light.office_rgbw_lights" }, content: /^Area: Bedroom$/m }],
  });
  t.match(await ask("who rings", "automation"), { chunks: [{ content: /Whoever rings comes in/ }] });
  t.match(await ask("movie", "scene"), { chunks: [{ metadata: { entity_id: "scene.movie" } }] });
  t.same((await ask("garage door", "entity")).chunks, []);
}

/** As the owner does it: a file is changed and reloaded. */
async function reloaded(t: Test, home: RealHome): Promise<void> {
  const person = await personOf(t, home);
  const { job } = adapterOf(t, home);
  const only = ["light.entrance_color_white_lights"];
  const mentions = async () => (await job("catalog", { only }, catalogAnswer)).entities[0]?.mentioned_by;
  t.same(await mentions(), []);
  const file = join(home.folder, "automations.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace("input_button.doorbell", only[0] ?? ""));
  await person.ask("call_service", { domain: "automation", service: "reload" });
  t.same(await until(async () => ((await mentions())?.length ? mentions() : undefined)), [
    "automation.door_opener",
  ]);
  await writeFile(file, text);
  await person.ask("call_service", { domain: "automation", service: "reload" });
  await until(async () => (await mentions())?.length === 0);
}
