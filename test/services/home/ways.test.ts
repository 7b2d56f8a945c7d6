import t from "tap";
import { configOf, HomeHouse } from "./home-house.js";
import { NOT_EXPRESSIBLE, WAYS, type WayCall } from "./ways.js";

/** The most careless owner: all that the ways name is listed, and opted in where that is possible. */
const CARELESS = Object.fromEntries(
  [
    ...[
      "lock.greenhouse_door",
      "lock.kitchen_door",
      "lock.front_door",
      "lock.openable_lock",
      "lock.all_doors",
    ],
    ...["cover.garage_door", "cover.all_covers", "cover.kitchen_window", "cover.hall_window"],
    ...["cover.living_room_window", "valve.orchard", "alarm_control_panel.security"],
  ].map((id) => [id, "{ opt_in: true }"]),
) as Record<string, string>;
for (const id of [
  ...[
    "group.downstairs",
    "group.everything",
    "group.harmless",
    "light.kitchen_lights",
    "light.ceiling_lights",
  ],
  ...[
    "light.bed_light",
    "light.porch_light",
    "switch.gate_opener",
    "switch.grow_light",
    "button.garage_remote",
  ],
  ...["siren.siren", "scene.arrive", "scene.mine", "scene.cosy", "script.open_everything", "script.relay"],
  ...[
    "script.slow_unlock",
    "input_boolean.guest_mode",
    "input_button.doorbell",
    "input_number.garage_opening",
  ],
  ...["input_select.house_mode", "input_text.service_to_run", "timer.watering", "camera.demo_camera"],
  ...["automation.door_opener", "automation.guest_mode_unlocks_the_door", "update.demo_add_on"],
])
  CARELESS[id] = "";

const argsOf = ([domain, service, entity_id, data]: WayCall) => ({
  domain,
  service,
  ...(entity_id && { entity_id }),
  ...(data && { service_data: data }),
});

t.test("no way around a check of names does anything without a person's yes", async (t) => {
  t.equal(WAYS.length + Object.values(NOT_EXPRESSIBLE).flat().length, 133, "all that were tried");
  const house = await HomeHouse.start(t, configOf(CARELESS));
  const before = new Map([...house.home.home.states].map(([id, { s }]) => [id, s]));
  for (const [at, { way, calls, ends }] of WAYS.entries())
    for (const call of calls) {
      const ended = await house.service(argsOf(call), { token: `agent.${at}` }).then(
        ({ status }) => status,
        (error: Error) => /\((\w+)\)$/.exec(error.message)?.[1] ?? error.message,
      );
      t.equal(ended, ends, way);
      t.same(house.sent, [], way);
    }
  const after = new Map([...house.home.home.states].map(([id, { s }]) => [id, s]));
  t.same(after, before, "Home Assistant's own states are the judge");
});
