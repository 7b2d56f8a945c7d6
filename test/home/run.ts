import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { catalogAnswer } from "../../runtime/wire/home.js";
import { NO_BROKER } from "../mosquitto.js";
import { promisesOfHomeAdapter } from "./home-adapter.js";
import { ourDevice } from "./mqtt-device.js";
import { install, NotInstalled } from "./real/install.js";
import { RealHome } from "./real/real-home.js";
import { adapterOf, failureOf, personOf, statesIn, until } from "./tested-adapter.js";

/** `npm run test:home`: what the adapter promises, with a real Home Assistant. It is installed once, in some minutes. */
const python = await install().catch((error: Error) => {
  if (error instanceof NotInstalled) return error;
  throw error;
});
if (python instanceof NotInstalled)
  t.plan(0, `NOT TESTED with a real Home Assistant: it cannot be installed here: ${python.message}`);
else {
  const home = await RealHome.start(python);
  t.teardown(() => home.remove());
  await t.test("the adapter keeps its promises with Home Assistant 2025.4.4", async (t) =>
    promisesOfHomeAdapter(t, async () => home),
  );
  await t.test("an automation that is written anew is read anew", (t) => reloaded(t, home));
  await t.test("Home Assistant is killed while it unlocks: the call is unknown, and is not sent again", (t) =>
    killed(t, home),
  );
  await t.test(
    "Tendril is a device of Home Assistant: states, commands, last will, restarts of every side",
    {
      skip: NO_BROKER ?? false,
    },
    (t) => ourDevice(t, home),
  );
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

async function killed(t: Test, home: RealHome): Promise<void> {
  const { call, said } = adapterOf(t, home);
  await call("lock.lock", ["lock.front_door"]);
  const person = await personOf(t, home);
  const lost = failureOf(call("lock.unlock", ["lock.front_door"]));
  await until(async () => (await statesIn(person, "lock.front_door"))[0] === "unlocking");
  await home.end("SIGKILL");
  t.match(await lost, { code: "CUT_OFF", outcome: "unknown" });
  t.equal((await failureOf(call("lock.unlock", ["lock.front_door"]))).code, "NOT_CONNECTED");
  await home.boot();
  const connections = () => said.filter((line) => line.includes("act_token: connected")).length;
  await until(async () => connections() === 2);
  const again = await personOf(t, home);
  const { entities } = await until(() =>
    call("light.turn_on", ["light.kitchen_lights"]).catch(() => undefined),
  );
  t.equal(entities[0]?.after, "on", "the adapter works again");
  t.same(await statesIn(again, "lock.front_door"), ["locked"], "as a demo lock is after its start");
}
