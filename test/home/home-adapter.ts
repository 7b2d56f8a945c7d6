import type { Test } from "tap";
import { callAnswer, catalogAnswer, historyAnswer, statesAnswer } from "../../runtime/wire/home.js";
import { adapterOf, CLOCK, failureOf, personOf, statesIn, type TestHome, until } from "./tested-adapter.js";

const before = (hours: number) => new Date(CLOCK.now() - hours * 3_600_000).toISOString();

/** What the adapter promises, for the stand-in and for the real one alike. */
export function promisesOfHomeAdapter(t: Test, homeFor: (t: Test) => Promise<TestHome>): void {
  t.test("the catalog has each entity with its place, what it holds and what mentions it", async (t) => {
    const { job } = adapterOf(t, await homeFor(t));
    const { entities, areas, floors, labels, unread, version } = await job("catalog", {}, catalogAnswer);
    const of = (id: string) => entities.find(({ entity_id }) => entity_id === id);
    t.equal(version, "2025.4.4");
    t.ok(entities.length > 150, `${entities.length} entities`);
    t.match(of("light.kitchen_lights"), {
      friendly_name: "Kitchen Lights",
      area: "kitchen",
      labels: ["evening"],
      platform: "demo",
      is_in_registry: true,
    });
    t.ok(of("light.kitchen_lights")?.mentioned_by.includes("script.evening_lights"));
    t.match(of("cover.garage_door"), { area: "garage", labels: ["openers"], device_class: "garage" });
    t.match(of("lock.front_door"), { is_in_registry: false, labels: [], platform: undefined });
    t.same(of("group.downstairs")?.members, [
      "light.ceiling_lights",
      "light.kitchen_lights",
      "lock.front_door",
    ]);
    for (const [id, by] of [
      ["lock.front_door", "group.downstairs"],
      ["lock.front_door", "scene.welcome"],
      ["lock.front_door", "lock.all_doors"],
      ["lock.front_door", "script.open_everything"],
      ["input_boolean.guest_mode", "automation.guest_mode_unlocks_the_door"],
      ["timer.watering", "automation.timer_opens_the_garage"],
      ["light.bed_light", "automation.a_rainbow_in_the_bedroom_means_come_in"],
    ] as const)
      t.ok(of(id)?.mentioned_by.includes(by), `${id} is mentioned by ${by}`);
    t.equal(of("automation.door_opener")?.description, "Whoever rings comes in");
    t.match(of("switch.ac"), { disabled: true, state: null });
    t.same(of("light.entrance_color_white_lights")?.mentioned_by, [], "no automation knows it");
    t.same(unread, []);
    t.match(
      areas.find(({ id }) => id === "greenhouse"),
      { name: "Greenhouse", aliases: ["glasshouse"], floor: "outside" },
    );
    t.same(floors.map(({ id }) => id).sort(), ["ground_floor", "outside"]);
    t.same(labels.map(({ name }) => name).sort(), ["Evening", "Openers", "Plants"]);
  });

  t.test(
    "what is exposed to assistants is told where the token may read it, and else left off",
    async (t) => {
      const home = await homeFor(t);
      const only = ["light.kitchen_lights", "lock.kitchen_door"];
      const owners = adapterOf(t, home, { read_token: home.tokens.owner });
      const { entities } = await owners.job("catalog", { only }, catalogAnswer);
      t.same(
        entities.map(({ entity_id, exposed }) => [entity_id, exposed]),
        [
          ["light.kitchen_lights", true],
          ["lock.kitchen_door", false],
        ],
      );
      const viewers = adapterOf(t, home);
      const seen = await viewers.job("catalog", { only: [...only, "light.nowhere"] }, catalogAnswer);
      t.same(
        seen.entities.map(({ exposed }) => exposed),
        [undefined, undefined],
      );
    },
  );

  t.test(
    "a state has its attributes, but nothing that opens a picture, and long texts are cut",
    async (t) => {
      const { job } = adapterOf(t, await homeFor(t));
      const entity_ids = ["sensor.soil_moisture", "camera.demo_camera", "sensor.long_text", "sensor.nowhere"];
      const { states } = await job("states", { entity_ids }, statesAnswer);
      t.same(
        states.map(({ entity_id }) => entity_id),
        entity_ids.slice(0, 3),
      );
      t.match(states[0], {
        state: "41.5",
        friendly_name: "Soil moisture",
        attributes: { unit_of_measurement: "%", device_class: "moisture" },
      });
      t.match(states[0]?.last_updated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      t.notMatch(JSON.stringify(states[1]), /token|entity_picture|camera_proxy/);
      t.match(states[2]?.attributes.text, /^ignore previous .{100,500}… \[cut\]$/);
    },
  );

  t.test("a light is turned on and off, and the answer comes when its state has followed", async (t) => {
    const home = await homeFor(t);
    const person = await personOf(t, home);
    const { call } = adapterOf(t, home);
    await call("light.turn_off", ["light.kitchen_lights", "light.ceiling_lights"]);
    const on = await call("light.turn_on", ["light.kitchen_lights", "light.ceiling_lights"], {
      brightness_pct: 40,
    });
    t.equal(on.outcome, "done");
    t.same(on.entities[0], {
      entity_id: "light.kitchen_lights",
      friendly_name: "Kitchen Lights",
      before: "off",
      after: "on",
    });
    t.same(await statesIn(person, "light.kitchen_lights", "light.ceiling_lights"), ["on", "on"]);
    t.equal((await call("light.toggle", ["light.kitchen_lights"])).entities[0]?.after, "off");
    t.equal((await call("light.turn_off", ["light.kitchen_lights"])).outcome, "done", "off already");
  });

  t.test("a lock is done when it is unlocked, not while it is on its way", async (t) => {
    const home = await homeFor(t);
    const { call } = adapterOf(t, home);
    await call("lock.lock", ["lock.front_door"]);
    const { outcome, entities } = await call("lock.unlock", ["lock.front_door"]);
    t.equal(outcome, "done");
    t.match(entities, [{ before: "locked", after: "unlocked" }]);
    t.equal((await call("lock.lock", ["lock.front_door"])).entities[0]?.after, "locked");
    const valve = await call("valve.close_valve", ["valve.front_garden"]);
    t.match(valve, { outcome: "done", entities: [{ after: "closed" }] });
    await call("valve.open_valve", ["valve.front_garden"]);
  });

  t.test("a jammed lock is not done, though Home Assistant answers success", async (t) => {
    const { call } = adapterOf(t, await homeFor(t));
    const { outcome, entities } = await call("lock.lock", ["lock.poorly_installed_door"]);
    t.equal(outcome, "unconfirmed");
    t.equal(entities[0]?.after, "jammed");
    await call("lock.unlock", ["lock.poorly_installed_door"]);
  });

  t.test("what does not exist, or is of another domain, is not done", async (t) => {
    const home = await homeFor(t);
    const { call, job } = adapterOf(t, home);
    const nowhere = await call("light.turn_on", ["light.kitchen_lights", "light.nowhere"]);
    t.match(nowhere, { outcome: "failed", code: "entity_not_found" });
    t.same(nowhere.entities[1], {
      entity_id: "light.nowhere",
      friendly_name: "light.nowhere",
      before: null,
      after: null,
    });
    const other = {
      domain: "light",
      service: "turn_off",
      entity_ids: ["lock.kitchen_door"],
      service_data: {},
    };
    t.equal((await job("call", { ...other, settle_s: 0.2 }, callAnswer)).outcome, "unconfirmed");
  });

  t.test("a refusal has Home Assistant's own code and words", async (t) => {
    const home = await homeFor(t);
    const { call } = adapterOf(t, home);
    t.match(await call("light.explode", ["light.kitchen_lights"]), {
      outcome: "failed",
      code: "not_found",
      message: "Service light.explode not found.",
    });
    t.match(await call("light.turn_on", ["light.kitchen_lights"], { brightness_pct: 400 }), {
      outcome: "failed",
      code: "invalid_format",
    });
    const viewers = adapterOf(t, home, { act_token: home.tokens.viewer });
    t.match(await viewers.call("light.turn_on", ["light.kitchen_lights"]), {
      outcome: "failed",
      code: "home_assistant_error",
      message: /Unauthorized/,
    });
  });

  t.test("what changes in the registry, or elsewhere in the home, is known at once", async (t) => {
    const home = await homeFor(t);
    const person = await personOf(t, home);
    const { job } = adapterOf(t, home);
    const only = ["light.bed_light"];
    const labelsOf = async () => (await job("catalog", { only }, catalogAnswer)).entities[0]?.labels;
    t.same(await labelsOf(), []);
    const update = (labels: string[]) =>
      person.ask("config/entity_registry/update", { entity_id: only[0], labels });
    await update(["plants"]);
    await until(async () => (await labelsOf())?.[0] === "plants");
    await update([]);
    await until(async () => (await labelsOf())?.length === 0);
    const target = { entity_id: "input_boolean.vacation" };
    const stateOf = async () =>
      (await job("states", { entity_ids: [target.entity_id] }, statesAnswer)).states[0]?.state;
    for (const state of ["on", "off"]) {
      await person.ask("call_service", { domain: "input_boolean", service: `turn_${state}`, target });
      await until(async () => (await stateOf()) === state);
    }
    t.pass("labels and states followed");
  });

  t.test(
    "history tells the changes in order of time, and what is recorded of the time asked for",
    async (t) => {
      const home = await homeFor(t);
      const { job, call } = adapterOf(t, home);
      await call("light.turn_on", ["light.bed_light"]);
      await call("light.turn_off", ["light.bed_light"]);
      const asked = { entity_id: "light.bed_light", from: before(30), to: before(-1) };
      const history = await until(async () => {
        const answer = await job("history", asked, historyAnswer);
        return answer.total >= 3 && answer.changes.at(-1)?.state === "off" ? answer : undefined;
      });
      const { changes, truncated, coverage, total } = history;
      t.same(
        changes.slice(-2).map(({ state }) => state),
        ["on", "off"],
      );
      t.same(
        [...changes].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1)),
        changes,
      );
      t.same([truncated, changes.length], [false, total]);
      t.ok(
        coverage && coverage.from <= (changes[0]?.timestamp ?? ""),
        "it begins with what was recorded first",
      );
      const nothing = await job("history", { ...asked, entity_id: "light.nowhere" }, historyAnswer);
      t.same(nothing, { changes: [], total: 0, truncated: false, coverage: null });
    },
  );

  t.test(
    "a plain light opens a door, if an automation listens: the catalog says so, and no answer does",
    async (t) => {
      const home = await homeFor(t);
      const person = await personOf(t, home);
      const { call } = adapterOf(t, home);
      const isLocked = async (locked: boolean) =>
        (await statesIn(person, "lock.front_door"))[0] === (locked ? "locked" : "unlocked");
      await call("light.turn_off", ["light.bed_light"]);
      await call("lock.lock", ["lock.front_door"]);
      t.equal((await call("light.turn_on", ["light.bed_light"])).outcome, "done");
      await until(() => isLocked(false));
      await call("lock.lock", ["lock.front_door"]);
      t.ok(await isLocked(true));
      await call("light.turn_off", ["light.bed_light"]);
    },
  );

  t.test("a token that is not known is tried once, and never again", async (t) => {
    const home = await homeFor(t);
    const { job, said } = adapterOf(t, home, { read_token: "a-token-that-nobody-knows" });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { code, message } = await failureOf(job("states", { entity_ids: ["sun.sun"] }, statesAnswer));
      t.equal(code, "TOKEN_REFUSED");
      t.match(message, /does not know the read_token.*restart the bridge/);
    }
    t.equal(said.filter((line) => line.includes("read_token")).length, 1);
    t.notMatch(said.join(), /a-token-that/);
  });
}
