import t from "tap";
import { home, suggestHome } from "../../../runtime/cli/home.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { homeFinding } from "../../../runtime/doctor/checks/bridge.js";
import { shownHistory } from "../../../runtime/services/home/history.js";
import { homeReport } from "../../../runtime/wire/home-tools.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";
import { configOf, HomeHouse } from "./home-house.js";

t.test(
  "get_ha_entities is the map of names; a name that is not unique has its area in brackets",
  async (t) => {
    const house = await HomeHouse.start(
      t,
      configOf({
        "light.kitchen_lights": "",
        "light.office_rgbw_lights": "",
        "lock.front_door": "{ name: Door }",
      }),
    );
    t.same(await house.agent("get_ha_entities"), {
      "Kitchen Lights (Kitchen)": "light.kitchen_lights",
      "Kitchen Lights (Bedroom)": "light.office_rgbw_lights",
      Door: "lock.front_door",
    });
    t.same(await house.agent("get_ha_entities", { area: "cookery" }), {
      "Kitchen Lights": "light.kitchen_lights",
    });
    t.same(await house.agent("get_ha_entities", { domain: "lock" }), { Door: "lock.front_door" });
    const { code, details } = await house.rig.refused("get_ha_entities", { area: "Greenhouse" });
    t.same([code, details], ["NOT_FOUND", { areas: ["Kitchen", "Bedroom"] }]);
    t.match(await house.rig.refused("get_ha_entities", { domain: "climate" }), {
      details: { domains: ["light", "lock"] },
    });
  },
);

t.test(
  "what is not listed is not there: not by itself, not in a history, not in another's attributes",
  async (t) => {
    const house = await HomeHouse.start(t, configOf({ "group.downstairs": "", "light.kitchen_lights": "" }));
    for (const tool of ["get_entity_state", "get_entity_history"]) {
      const there = await house.rig.refused(tool, { entity_id: "lock.front_door" });
      const none = await house.rig.refused(tool, { entity_id: "lock.nowhere" });
      t.equal(there.code, "NOT_FOUND");
      t.equal(
        there.message.replace("front_door", "nowhere"),
        none.message,
        "it does not tell one from the other",
      );
    }
    const { attributes } = await house.agent("get_entity_state", { entity_id: "group.downstairs" });
    t.same((attributes as { entity_id: unknown }).entity_id, ["light.kitchen_lights"]);
  },
);

t.test("free text taints; names of the owner, numbers and fixed states do not", async (t) => {
  const house = await HomeHouse.start(t);
  const marks = async (name: string, entity_id?: string) =>
    (await house.raw(name, entity_id === undefined ? {} : { entity_id }))._meta?.["tendril/untrusted"];
  t.equal(await marks("get_ha_entities"), undefined);
  t.equal(await marks("get_entity_state", "sensor.soil_moisture"), undefined);
  t.equal(await marks("get_entity_state", "lock.front_door"), undefined);
  t.same(await marks("get_entity_state", "sensor.long_text"), ["home assistant"]);
  t.equal(await marks("get_entity_history", "lock.front_door"), undefined);
  t.same(await marks("get_entity_history", "sensor.long_text"), ["home assistant"]);
});

t.test("the history of a day, with its coverage; an unknown span is refused", async (t) => {
  const house = await HomeHouse.start(t);
  house.home.home.set("lock.front_door", "unlocked");
  const read = () => house.agent("get_entity_history", { entity_id: "lock.front_door", hours: 1 });
  const history = (await house.until(async () => {
    const found = await read();
    return (found.changes as { state: string }[]).at(-1)?.state === "unlocked" ? found : undefined;
  })) as { coverage: object };
  t.match(history.coverage, { complete: true });
  for (const hours of [0, 721, -1])
    t.match(await house.rig.refused("get_entity_history", { entity_id: "lock.front_door", hours }), {
      code: "INVALID_ARGUMENT",
    });
});

t.test("a long history keeps the extremes of numbers, and the newest of other states", async (t) => {
  const at = (minute: number) => new Date(1_780_000_000_000 + minute * 60_000).toISOString();
  const of = (states: readonly string[]) =>
    shownHistory({
      changes: states.map((state, minute) => ({ state, timestamp: at(minute) })),
      total: states.length,
      truncated: false,
      coverage: { from: at(0), to: at(states.length) },
    });
  const numbers = Array.from({ length: 2000 }, (_, minute) => String(minute === 777 ? 99 : minute % 10));
  const shown = of(numbers);
  t.ok(shown.changes.length <= 100, `${shown.changes.length}`);
  t.ok(
    shown.changes.some(({ state, timestamp }) => state === "99" && timestamp === at(777)),
    "the peak is there",
  );
  t.same(shown.coverage, { from: at(0), to: at(2000), recorded: 2000, complete: false });
  const doors = of(Array.from({ length: 500 }, (_, minute) => (minute % 2 ? "on" : "off")));
  t.equal(doors.changes.length, 100);
  t.match(doors.coverage, { from: at(400), complete: false });
  t.same(of([]), { changes: [], coverage: { from: at(0), to: at(0), recorded: 0, complete: true } });
});

t.test("tendril home shows what each entity needs and why; only a person may ask", async (t) => {
  const house = await HomeHouse.start(t);
  const shown = await home(rigRemote(house.rig), {});
  t.match(shown, /^Home Assistant 2025\.4\.4, connected since /);
  t.match(shown, /^light\.office_rgbw_lights {2}Desk light: (on|off)\n {4}allowed: turn_on, toggle/m);
  t.match(shown, /^lock\.kitchen_door .*\n.*with your yes: lock\n.*blocked: it needs opt_in: unlock, open/m);
  t.match(shown, /may do more than its name says: template made it/);
  t.match(shown, /^sensor\.soil_moisture {2}Soil: 41\.5, only to be seen$/m);
  t.match(await house.rig.refused("show_home"), { code: "FORBIDDEN" });
});

t.test("tendril home suggest gives lines that the configuration takes, and opts in to nothing", async (t) => {
  const house = await HomeHouse.start(t, "server: { calls_per_second: 100000 }\nhome: {}");
  house.home.home.set("light.bed_light", "on", { friendly_name: 'Bed\n    lock.evil: {}\u202e" # x' });
  const yaml = await suggestHome(rigRemote(house.rig));
  const { home: listed } = parseConfig(yaml, "suggested.yaml");
  t.ok(Object.keys(listed?.entities ?? {}).length > 10, yaml);
  t.match(listed?.entities["light.kitchen_lights"], { name: "Kitchen Lights", may: "act", opt_in: false });
  t.match(listed?.entities["lock.front_door"], { may: "see" });
  t.notOk("lock.evil" in (listed?.entities ?? {}));
  t.notMatch(yaml, /opt_in|opaque: allowed/);
});

t.test("a suggestion is of an area, or of all that has a label, whatever its kind", async (t) => {
  const house = await HomeHouse.start(t, "server: { calls_per_second: 100000 }\nhome: {}");
  const suggested = async (options: { area?: string; label?: string }) => {
    const yaml = await suggestHome(rigRemote(house.rig), options);
    return Object.keys(parseConfig(yaml, "suggested.yaml").home?.entities ?? {}).sort();
  };
  t.same(await suggested({ area: "cookery" }), ["cover.kitchen_window", "light.kitchen_lights"]);
  const openers = ["button.garage_remote", "cover.garage_door", "lock.all_doors", "switch.gate_opener"];
  t.same(await suggested({ label: "Openers" }), openers, "a button too, and what the device has");
  t.same(await suggested({ label: "openers", area: "Hall" }), ["lock.all_doors"]);
  await t.rejects(suggested({ label: "Orchid" }), {
    message: /no label "Orchid"; there is Evening, Openers/,
  });
  await t.rejects(suggested({ area: "Moon" }), { message: /no area "Moon"; there is Bedroom/ });
});

t.test("a home that is not configured is off: no tool, and no bridge is needed", async (t) => {
  const house = await HomeHouse.start(t);
  await house.rig.restart("server: { calls_per_second: 100000 }");
  t.match(await house.rig.refused("get_ha_entities"), { message: /needs `home:` in the configuration/ });
});

t.test(
  "tendril doctor names what the list has and Home Assistant has not, and what nobody can read",
  async (t) => {
    const house = await HomeHouse.start(t, configOf({ "light.gone": "", "light.kitchen_lights": "" }));
    const report = async () => homeReport.parse(await house.rig.get("show_home", {}, { as: "human" }));
    t.match(homeFinding(await report()), {
      verdict: "warning",
      found: "Home Assistant does not have light.gone",
    });
    await house.restart(configOf({ "light.kitchen_lights": "" }));
    const found = await report();
    t.match(homeFinding(found), { verdict: "ok", found: /1 entities listed, 1 of them may do more/ });
    t.match(homeFinding({ ...found, unread_histories: ["sensor.x"] }), {
      verdict: "warning",
      found: /history of sensor\.x/,
    });
    t.match(homeFinding({ ...found, unread: ["script.x"] }), { verdict: "warning", found: /script\.x/ });
    t.match(homeFinding({ ...found, entities: [], count: 0 }), {
      verdict: "warning",
      mend: "tendril home suggest",
    });
  },
);
