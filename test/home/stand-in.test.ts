import t from "tap";
import { LONGEST_ANSWER } from "../../runtime/wire/bridge.js";
import { callAnswer, catalogAnswer, statesAnswer } from "../../runtime/wire/home.js";
import { promisesOfHomeAdapter } from "./home-adapter.js";
import { HomeStandIn } from "./stand-in.js";
import { adapterOf, failureOf, personOf, statesIn, until } from "./tested-adapter.js";

const started = (each: Parameters<typeof HomeStandIn.start>[0]) => HomeStandIn.start(each);

t.test("the adapter keeps its promises with the stand-in", async (t) => promisesOfHomeAdapter(t, started));

t.test("a call sends exactly these entities as target, and nothing else", async (t) => {
  const home = await started(t);
  const { call } = adapterOf(t, home);
  await call("light.turn_on", ["light.kitchen_lights", "light.bed_light"], { brightness: 90 });
  const [{ id: _, ...sent } = {}] = home.calls;
  t.same(sent, {
    type: "call_service",
    domain: "light",
    service: "turn_on",
    service_data: { brightness: 90 },
    target: { entity_id: ["light.kitchen_lights", "light.bed_light"] },
  });
});

t.test("what is malformed is refused here, and nothing is sent", async (t) => {
  const home = await started(t);
  const { job } = adapterOf(t, home);
  const good = {
    domain: "lock",
    service: "unlock",
    entity_ids: ["lock.front_door"],
    service_data: {},
    settle_s: 1,
  };
  for (const wrong of [
    { domain: "Lock" },
    { service: "UNLOCK" },
    { service: "unlock.x" },
    { entity_ids: ["LOCK.front_door"] },
    { entity_ids: ["lock.front_door, lock.kitchen_door"] },
    { entity_ids: ["all"] },
    { entity_ids: ["lock.front_door "] },
    { entity_ids: ["{{ 'lock.front_door' }}"] },
    { entity_ids: ["lock.front_door", "lock.front_door"] },
    { entity_ids: [] },
    { service_data: { entity_id: "lock.kitchen_door" } },
    { service_data: { area_id: "greenhouse" } },
    { service_data: { label_id: "plants" } },
    { service_data: { floor_id: "outside" } },
    { service_data: { device_id: "1" } },
    { service_data: { code: "{{ states('sensor.code') }}" } },
    { service_data: { deep: [{ code: "{% if 1 %}" }] } },
    { settle_s: 3000 },
    { target: { area_id: "greenhouse" } },
  ])
    t.equal(
      (await failureOf(job("call", { ...good, ...wrong }, callAnswer))).code,
      "NOT_UNDERSTOOD",
      JSON.stringify(wrong),
    );
  t.same(home.calls, []);
});

t.test("each bad token is one refused log-in, whatever is asked after it", async (t) => {
  const home = await started(t);
  const { call, said } = adapterOf(t, home, { act_token: "a-token-that-nobody-knows" });
  for (let attempt = 0; attempt < 3; attempt += 1)
    t.equal((await failureOf(call("light.turn_on", ["light.bed_light"]))).code, "TOKEN_REFUSED");
  t.equal(home.refused, 1);
  t.match(said.join(), /does not know the act_token/);
});

t.test(
  "a connection that is lost comes back, with all states anew; nothing was queued meanwhile",
  async (t) => {
    const home = await started(t);
    const { job, call, said } = adapterOf(t, home);
    await job("catalog", {}, catalogAnswer);
    home.drop();
    await until(async () => said.some((line) => line.includes("lost")));
    const { code, outcome } = await failureOf(call("light.turn_on", ["light.bed_light"]));
    t.same([code, outcome], ["NOT_CONNECTED", "failed"]);
    home.home.set("input_boolean.vacation", "on");
    const seen = () =>
      job("states", { entity_ids: ["input_boolean.vacation"] }, statesAnswer).catch(() => undefined);
    t.equal((await until(seen)).states[0]?.state, "on");
    t.same(home.calls, [], "the call that failed was not sent later");
  },
);

t.test("a call that was sent and not answered is unknown, and is not sent again", async (t) => {
  const home = await started(t);
  home.silent.add("lock.unlock");
  const person = await personOf(t, home);
  const { call } = adapterOf(t, home);
  await call("light.turn_on", ["light.bed_light"]);
  const lost = failureOf(call("lock.unlock", ["lock.front_door"]));
  await until(async () => home.calls.some(({ service }) => service === "unlock"));
  const seen = until(async () => (await statesIn(person, "lock.front_door"))[0] === "unlocked");
  await seen;
  home.drop();
  t.match(await lost, { code: "CUT_OFF", outcome: "unknown" });
  await until(() =>
    call("light.turn_off", ["light.bed_light"]).then(
      ({ outcome }) => outcome === "done",
      () => false,
    ),
  );
  t.equal(home.calls.filter(({ service }) => service === "unlock").length, 1);
});

t.test("an entity that is unavailable is not called", async (t) => {
  const home = await started(t);
  home.home.set("light.bed_light", "unavailable");
  const { call } = adapterOf(t, home);
  t.match(await call("light.turn_on", ["light.bed_light"]), {
    outcome: "failed",
    code: "entity_unavailable",
  });
  t.same(home.calls, []);
});

t.test("an automation that is written anew is read anew; one whose text is not shown is told", async (t) => {
  const home = await started(t);
  const { job } = adapterOf(t, home);
  const catalog = async () => {
    const { entities, unread } = await job(
      "catalog",
      { only: ["light.bed_light", "light.porch_light"] },
      catalogAnswer,
    );
    return { by: entities.map(({ mentioned_by }) => mentioned_by), unread };
  };
  t.notOk((await catalog()).by[1]?.includes("automation.door_opener"));
  home.texts["automation.door_opener"] = {
    config: { triggers: [{ entity_id: "light.porch_light" }] },
    related: {},
  };
  delete home.texts["automation.party_disarms"];
  for (const id of ["automation.door_opener", "automation.party_disarms"]) {
    home.home.set(id, "unavailable");
    home.home.set(id, "on");
  }
  const { by, unread } = await until(async () => {
    const now = await catalog();
    return now.unread.length > 0 && now;
  });
  t.ok(by[1]?.includes("automation.door_opener"));
  t.same(unread, ["automation.party_disarms"]);
});

/** Fills the home up with windows. */
function enlarge({ home, registries }: HomeStandIn, size: number): void {
  const rest = size - home.states.size;
  for (let count = 0; count < rest; count += 1) {
    const entity_id = `sensor.living_room_window_${count}_temperature`;
    const a = { friendly_name: `Living room window ${count} temperature`, device_class: "temperature" };
    home.states.set(entity_id, { s: "21.5", a, lc: 1_795_000_000 });
    const id = `${count}`.padStart(32, "0");
    registries.entity?.push({ entity_id, id, platform: "zha", area_id: "living_room", labels: ["evening"] });
  }
}

t.test("the catalog of a home with 2,000 entities fits the longest answer", async (t) => {
  const home = await started(t);
  enlarge(home, 2000);
  const { job } = adapterOf(t, home);
  const catalog = await job("catalog", {}, catalogAnswer);
  t.ok(catalog.entities.length >= 2000, `${catalog.entities.length} entities`);
  t.ok(JSON.stringify(catalog).length < LONGEST_ANSWER, `${JSON.stringify(catalog).length} characters`);
});

t.test("a home that is too large says so, and is asked for in parts", async (t) => {
  const home = await started(t);
  enlarge(home, 4500);
  const { job } = adapterOf(t, home);
  const { code, message } = await failureOf(job("catalog", {}, catalogAnswer));
  t.equal(code, "TOO_LARGE");
  t.match(message, /^45\d\d entities do not fit one answer: ask for some by `only`$/);
  const only = ["light.kitchen_lights", "sensor.living_room_window_4000_temperature"];
  t.equal((await job("catalog", { only }, catalogAnswer)).entities.length, 2);
});
