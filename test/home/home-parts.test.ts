import t from "tap";
import { isFollowed } from "../../runtime/bridge/home/call.js";
import { thinned } from "../../runtime/bridge/home/home.js";
import { type LiveState, shownAttributes } from "../../runtime/bridge/home/live-states.js";
import { mentionedIn } from "../../runtime/bridge/home/mentions.js";

const state = (text: string, attributes = {}, updated = 1): LiveState => ({
  state: text,
  attributes,
  changed: updated,
  updated,
});

t.test("a call is done when the state is what was asked for, and not before", async (t) => {
  for (const [call, data, before, now, is] of [
    ["light.turn_on", {}, state("off"), state("on"), true],
    ["light.turn_on", {}, state("on"), state("on"), true],
    [
      "light.turn_on",
      { brightness_pct: 40 },
      state("on", { brightness: 255 }),
      state("on", { brightness: 255 }),
      false,
    ],
    ["light.turn_on", { brightness_pct: 40 }, state("off"), state("on", { brightness: 102 }), true],
    ["light.turn_off", {}, state("on"), state("unavailable"), false],
    ["light.toggle", {}, state("on"), state("on", {}, 2), false],
    ["lock.lock", {}, state("unlocked"), state("locking"), false],
    ["lock.lock", {}, state("unlocked"), state("jammed"), false],
    ["lock.lock", {}, state("unlocked"), state("locked"), true],
    ["lock.open", {}, state("locked"), state("opening"), false],
    [
      "cover.set_cover_position",
      { position: 50 },
      state("open", { current_position: 100 }),
      state("open", { current_position: 50 }, 2),
      true,
    ],
    [
      "cover.set_cover_position",
      { position: 50 },
      state("open", { current_position: 100 }),
      state("open", { current_position: 80 }, 2),
      false,
    ],
    [
      "climate.set_temperature",
      { temperature: 20.5 },
      state("heat", { temperature: 20 }),
      state("heat", { temperature: 20 }, 2),
      false,
    ],
    [
      "climate.set_temperature",
      { temperature: 20 },
      state("heat", { temperature: 20 }),
      state("heat", { temperature: 20 }),
      true,
    ],
    ["input_number.set_value", { value: 80 }, state("0.0"), state("80.0"), true],
    ["input_number.set_value", { value: 80 }, state("79.5"), state("79.5", {}, 2), false],
    ["input_select.select_option", { option: "Away" }, state("Home"), state("Away"), true],
    ["alarm_control_panel.alarm_disarm", { code: "1234" }, state("armed_home"), state("disarmed"), true],
    ["button.press", {}, state("unknown"), state("2026-11-23T17:00:00+00:00", {}, 2), true],
    ["button.press", {}, state("unknown"), state("unknown"), false],
    [
      "media_player.volume_set",
      { volume_level: 0.4 },
      state("playing", { volume_level: 1 }),
      state("playing", { volume_level: 0.4 }, 2),
      true,
    ],
    ["unknown.service", {}, state("on"), state("on"), false],
    ["unknown.service", {}, state("on"), state("on", {}, 2), true],
  ] as const) {
    const [domain = "", service = ""] = call.split(".");
    const args = { domain, service, entity_ids: [], service_data: { ...data }, settle_s: 1 };
    const { state: from, attributes } = now;
    t.equal(
      isFollowed(args, before, now),
      is,
      `${call} ${before.state} → ${from} ${JSON.stringify(attributes)}`,
    );
  }
  const gone = { domain: "light", service: "turn_off", entity_ids: [], service_data: {}, settle_s: 1 };
  t.notOk(isFollowed(gone, state("on"), undefined), "what is gone is not off");
});

t.test("a text mentions what stands in it anywhere: ids, lists, templates, devices and places", async (t) => {
  const device = "1f2fa6af79869a41643ae41d8942cf34";
  const found = mentionedIn({
    triggers: [
      { trigger: "state", entity_id: "light.a, Light.B" },
      { type: "turned_on", device_id: device },
    ],
    conditions: ["{{ is_state('lock.c', 'locked') and states.switch.d.state == 'on' }}"],
    actions: [
      { action: "light.turn_on", target: { area_id: ["kitchen"], label_id: "evening" } },
      { choose: { input: { lamp: "light.e", "scene.f": 1 } } },
      { variables: { all: "{{ states.cover | map(attribute='entity_id') }} {{ area_entities('Hall') }}" } },
    ],
  });
  for (const id of ["light.a", "light.b", "lock.c", "switch.d", "light.e", "scene.f"])
    t.ok(found.entities.has(id), id);
  for (const word of [device, "kitchen", "evening", "Hall"]) t.ok(found.words.has(word), word);
  t.same([...found.domains], ["cover"]);
  t.notOk(found.all);
  t.ok(mentionedIn("{{ states | selectattr('state', 'eq', 'on') | list }}").all, "a loop over everything");
  t.notOk(mentionedIn("the kitchen states | are not a template").all);
});

t.test("history that is too long keeps the extremes of each stretch, in order of time", async (t) => {
  const recorded = Array.from({ length: 10_000 }, (_, at) => ({
    s: String(at === 5000 ? 99 : at % 10),
    lu: at,
  }));
  const kept = thinned(recorded, 100);
  t.equal(kept.length, 100);
  t.ok(
    kept.some(({ s }) => s === "99"),
    "the peak is kept",
  );
  t.same(
    [...kept].sort((a, b) => a.lu - b.lu),
    kept,
  );
  const words = thinned(
    recorded.map(({ lu }) => ({ s: lu % 2 ? "on" : "off", lu })),
    10,
  );
  t.same(words.map(({ lu }) => lu).slice(0, 3), [0, 1999, 2000]);
});

t.test("attributes give no access to a picture, and are cut", async (t) => {
  const shown = shownAttributes({
    friendly_name: "Camera",
    access_token: "secret",
    entity_picture: "/api/camera_proxy/camera.a?token=secret",
    media_image: "https://example.com/a.jpg?token=secret",
    nested: { api_key: "secret", url: "/x?authSig=secret", brand: "Demo" },
    list: ["/api/media_player_proxy/media_player.a", "fine"],
    words: "a".repeat(600),
    big: Array.from({ length: 20 }, () => "b".repeat(490)),
    last: 1,
  });
  t.notMatch(JSON.stringify(shown), /secret|_proxy/);
  t.same(shown.nested, { url: null, brand: "Demo" });
  t.same(shown.list, [null, "fine"]);
  t.equal(String(shown.words).length, 500 + "… [cut]".length);
  t.equal(shown["…"], "left out: big");
  t.equal(shown.last, 1);
});
