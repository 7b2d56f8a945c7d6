/**
 * Ways around a check that looks at names: 133 were tried on a real Home Assistant 2025.4.4. WAYS are those that are calls of
 * services. Each one stands here as `call_ha_service` can say it: a target that is no entity stands in the data, where Home
 * Assistant takes it as well. UNSAYABLE are the others, and why no tool can say them.
 */

/** "lock.unlock", what stands as `entity_id` ("" for nothing), and the data. */
export type WayCall = readonly [service: string, entityId?: string | undefined, data?: object];

/** What the tool answers while nobody says yes: an error, or a status. */
export type Ending = "INVALID_ARGUMENT" | "blocked" | "pending";

export interface Way {
  readonly way: string;
  /** With everything listed and opted in, as far as that is possible. */
  readonly ends: Ending;
  /**
   * What Home Assistant does for a user who is no administrator and sends the same without our layer: the entity that opens,
   * or "entity state". "refuses": an error. "answers": success, and no state shows that
   * anything was done.
   */
  readonly does: string;
  readonly calls: readonly WayCall[];
}

const [FRONT, KITCHEN, GREEN] = ["lock.front_door", "lock.kitchen_door", "lock.greenhouse_door"] as const;
const [GARAGE, ALARM, VALVE] = [
  "cover.garage_door",
  "alarm_control_panel.security",
  "valve.orchard",
] as const;
/** Filled in by who sends it: ids that only the running home knows. */
export const REGISTRY_ID = "<registry id of lock.greenhouse_door>";
export const DEVICE_ID = "<device id of cover.garage_door>";
export const MARK = "<a file in the folder of web pages>";

/** Of a device that came by MQTT. */
export const GATE = "sensor.test_gate";
const GATE_STATE = "test/gate/state";
export const gateNamed = (name: string): object => ({
  topic: `homeassistant/sensor/${name.replaceAll(" ", "_")}/config`,
  payload: JSON.stringify({ name, unique_id: name, state_topic: GATE_STATE }),
});
export const gateIs = (payload: string): object => ({ topic: GATE_STATE, payload });

type Chapter = ReadonlyArray<readonly [way: string, ends: Ending, does: string, ...calls: WayCall[]]>;
const NO = "INVALID_ARGUMENT";
const template = "{{ 'lock.greenhouse_door' }}";

const SPELLING: Chapter = [
  ["as documented", "pending", GREEN, ["lock.unlock", GREEN]],
  ["as documented for REST", NO, GREEN, ["lock.unlock", "", { entity_id: GREEN }]],
  ["capital letters", NO, GREEN, ["Lock.UNLOCK", GREEN]],
  ["capital letters in the path", NO, GREEN, ["LOCK.UnLock", "", { entity_id: GREEN }]],
  ["capital letters in the id", NO, GREEN, ["lock.unlock", "LOCK.Greenhouse_Door"]],
  ["blanks around the id", "pending", GREEN, ["lock.unlock", `  ${GREEN} `]],
  ["an id that is a list", "blocked", GREEN, ["lock.unlock", `lock.nowhere , ${GREEN}`]],
  ["the word all", NO, GREEN, ["lock.unlock", "all"]],
  ["the id of the registry", NO, "refuses", ["lock.unlock", REGISTRY_ID]],
  ["the id in the data", NO, GREEN, ["lock.unlock", "", { entity_id: GREEN }]],
  ["an area in the data, beside an id", NO, GREEN, ["lock.unlock", KITCHEN, { area_id: "greenhouse" }]],
  ["a label in the data, beside an id", NO, GREEN, ["lock.unlock", KITCHEN, { label_id: "plants" }]],
  ["another id in the data, beside an id", NO, "answers", ["lock.unlock", KITCHEN, { entity_id: GREEN }]],
  ["a template as the id", NO, "refuses", ["lock.unlock", template]],
  ["a template as the id in the data", NO, "answers", ["lock.unlock", "", { entity_id: template }]],
  ["a template as the id, for REST", NO, "answers", ["lock.unlock", "", { entity_id: [template] }]],
  ["a template as the area", NO, "refuses", ["lock.unlock", "", { area_id: "{{ 'greenhouse' }}" }]],
  ["a key that the service does not have", NO, "refuses", ["lock.unlock", GREEN, { force: true }]],
];

const TARGETS: Chapter = [
  ["an area", NO, GREEN, ["lock.unlock", "", { area_id: "greenhouse" }]],
  ["an area by its name", NO, "answers", ["lock.unlock", "", { area_id: "Greenhouse" }]],
  ["an area by its other name", NO, "answers", ["lock.unlock", "", { area_id: "glasshouse" }]],
  ["a floor", NO, GREEN, ["lock.unlock", "", { floor_id: "outside" }]],
  ["a label", NO, GREEN, ["lock.unlock", "", { label_id: "plants" }]],
  ["a device", NO, GARAGE, ["cover.open_cover", "", { device_id: DEVICE_ID }]],
  ["a label that the device has", NO, GARAGE, ["cover.open_cover", "", { label_id: "openers" }]],
  ["the area in which the device is", NO, GARAGE, ["cover.open_cover", "", { area_id: "garage" }]],
  ["a group with a lock in it", "pending", FRONT, ["lock.unlock", "group.downstairs"]],
  ["a group in a group", "pending", FRONT, ["lock.unlock", "group.everything"]],
  ["a lock that is a group", "pending", FRONT, ["lock.unlock", "lock.all_doors"]],
  ["a cover that is a group", "pending", GARAGE, ["cover.open_cover", "cover.all_covers"]],
  ["lights of a label, one of them a template", NO, FRONT, ["light.turn_on", "", { label_id: "evening" }]],
  ["lights of an area, one of them a template", NO, FRONT, ["light.turn_on", "", { area_id: "hall" }]],
  ["all lights, one of them a template", NO, FRONT, ["light.turn_on", "all"]],
  ["a switch that unlocks", "pending", FRONT, ["switch.turn_on", "switch.gate_opener"]],
  ["a switch that unlocks, toggled", "pending", FRONT, ["switch.toggle", "switch.gate_opener"]],
  ["a button that opens", "pending", GARAGE, ["button.press", "button.garage_remote"]],
];

const SIBLINGS: Chapter = [
  ["lock.open", "pending", "lock.openable_lock", ["lock.open", "lock.openable_lock"]],
  ["cover.toggle", "pending", GARAGE, ["cover.toggle", GARAGE]],
  ["a position", "pending", "refuses", ["cover.set_cover_position", GARAGE, { position: 100 }]],
  ["valve.toggle", "pending", VALVE, ["valve.toggle", VALVE]],
  ["a wrong code", NO, "refuses", ["alarm_control_panel.alarm_disarm", ALARM, { code: "0000" }]],
  ["the code", NO, ALARM, ["alarm_control_panel.alarm_disarm", ALARM, { code: "1234" }]],
  ["siren.toggle", "pending", "siren.siren off", ["siren.toggle", "siren.siren"]],
];

const GENERIC: Chapter = [
  ["toggle a door", "blocked", GARAGE, ["homeassistant.toggle", GARAGE]],
  ["toggle an area", NO, GARAGE, ["homeassistant.toggle", "", { area_id: "garage" }]],
  ["toggle a label", NO, GARAGE, ["homeassistant.toggle", "", { label_id: "openers" }]],
  ["toggle a floor", NO, GARAGE, ["homeassistant.toggle", "", { floor_id: "outside" }]],
  ["toggle a group in a group", "blocked", GARAGE, ["homeassistant.toggle", "group.everything"]],
  ["toggle a valve", "blocked", VALVE, ["homeassistant.toggle", VALVE]],
  ["turn all on", NO, "refuses", ["homeassistant.turn_on", "", { entity_id: "all" }]],
  ["turn a lock on", "blocked", "answers", ["homeassistant.turn_on", GREEN]],
  ["turn a lock off", "blocked", "answers", ["homeassistant.turn_off", GREEN]],
  ["turn a door on", "blocked", "answers", ["homeassistant.turn_on", GARAGE]],
  ["turn a scene on", "blocked", GARAGE, ["homeassistant.turn_on", "scene.arrive"]],
  ["turn a script on", "blocked", FRONT, ["homeassistant.turn_on", "script.open_everything"]],
  ["turn a switch on that unlocks", "blocked", FRONT, ["homeassistant.turn_on", "switch.gate_opener"]],
  ["turn a helper on", "blocked", FRONT, ["homeassistant.turn_on", "input_boolean.guest_mode"]],
];

const relayed = { action: "lock.unlock", entity: GREEN };
const SCRIPTS: Chapter = [
  ["a script as a service", "blocked", FRONT, ["script.open_everything"]],
  ["script.turn_on", "pending", FRONT, ["script.turn_on", "script.open_everything"]],
  ["script.toggle", "pending", FRONT, ["script.toggle", "script.open_everything"]],
  ["a script that calls what it is told", "blocked", GREEN, ["script.relay", "", relayed]],
  ["the same with variables", NO, GREEN, ["script.turn_on", "script.relay", { variables: relayed }]],
  ["the same with a template", NO, "refuses", ["script.relay", "", { ...relayed, entity: template }]],
  ["a script that unlocks later", "pending", FRONT, ["script.turn_on", "script.slow_unlock"]],
];

const scene = (scene_id: string, entities: object): WayCall => ["scene.create", "", { scene_id, entities }];
const disarmed = { [ALARM]: "disarmed" };
const SCENES: Chapter = [
  ["a scene that opens", "pending", GARAGE, ["scene.turn_on", "scene.arrive"]],
  ["all scenes", NO, GARAGE, ["scene.turn_on", "all"]],
  ["a scene in the call", "blocked", GREEN, ["scene.apply", "", { entities: { [GREEN]: "unlocked" } }]],
  [
    ...(["a scene in the call, the door among lights", "blocked", GARAGE] as const),
    ["scene.apply", "", { entities: { "light.bed_light": "on", [GARAGE]: { state: "open" } } }],
  ],
  ["a scene that disarms", "blocked", "refuses", ["scene.apply", "", { entities: disarmed }]],
  [
    ...(["a scene that is made first", "blocked", GREEN] as const),
    scene("mine", { [GREEN]: "unlocked" }),
    ["scene.turn_on", "scene.mine"],
  ],
];

const see = (location_name: string): WayCall => [
  "device_tracker.see",
  "",
  { dev_id: "bo_phone", location_name },
];
const skipped = { skip_condition: true };
const WATCHED: Chapter = [
  ["run an automation", "blocked", FRONT, ["automation.trigger", "automation.guest_mode_unlocks_the_door"]],
  [
    ...(["run an automation without its conditions", "blocked", FRONT] as const),
    ["automation.trigger", "automation.unlock_when_bo_comes_home", skipped],
  ],
  ["a helper that is on or off", "pending", FRONT, ["input_boolean.turn_on", "input_boolean.guest_mode"]],
  ["a helper that is a button", "pending", FRONT, ["input_button.press", "input_button.doorbell"]],
  [
    ...(["a helper that is a number", "pending", GARAGE] as const),
    ["input_number.set_value", "input_number.garage_opening", { value: 80 }],
  ],
  ["a helper that is a choice", "blocked", ALARM, ["input_select.select_last", "input_select.house_mode"]],
  [
    ...(["a helper that is a text", "pending", FRONT] as const),
    ["input_text.set_value", "input_text.service_to_run", { value: "lock.unlock" }],
  ],
  ["an effect of a light", "pending", FRONT, ["light.turn_on", "light.bed_light", { effect: "rainbow" }]],
  ["somebody comes home", "blocked", FRONT, see("not_home"), see("home")],
  ["a timer of a second", "pending", GARAGE, ["timer.start", "timer.watering", { duration: "00:00:01" }]],
];

const OTHERS: Chapter = [
  // words
  [
    ...(["words, of what no assistant may open", "blocked", "answers"] as const),
    ["conversation.process", "", { text: "open the garage door" }],
  ],
  // MQTT
  ["the state of another's device", "blocked", `${GATE} open`, ["mqtt.publish", "", gateIs("open")]],
  [
    ...(["a device that nobody installed", "blocked", "sensor.test_made open"] as const),
    ["mqtt.publish", "", gateNamed("test made")],
    ["mqtt.publish", "", gateIs("open")],
  ],
  // what a name means
  [
    ...(["another member for a harmless group", "blocked", GARAGE] as const),
    ["group.set", "", { object_id: "harmless", entities: [GARAGE] }],
    ["homeassistant.toggle", "group.harmless"],
  ],
  [
    ...(["another content for a scene that was made", "blocked", GREEN] as const),
    scene("cosy", { "light.bed_light": "on" }),
    scene("cosy", { [GREEN]: "unlocked" }),
    ["scene.turn_on", "scene.cosy"],
  ],
  [
    ...(["an automation that no longer watches", "blocked", "automation.door_opener off"] as const),
    ["automation.turn_off", "automation.door_opener"],
  ],
];

const forged = { name: "Front Door", message: "was locked by Olivia", entity_id: FRONT };
const purged = "sensor.outside_humidity";
/** They leave traces, wipe them off, or reach the machine. */
const HOUSE: Chapter = [
  ["a backup of everything", "blocked", "answers", ["backup.create"]],
  ["a command of the shell", "blocked", "answers", ["shell_command.leave_a_mark", "", { path: MARK }]],
  [
    "a picture in a file",
    "blocked",
    "answers",
    ["camera.snapshot", "camera.demo_camera", { filename: MARK }],
  ],
  ["an entry in the logbook", NO, "answers", ["logbook.log", "", forged]],
  ["history wiped off", "blocked", "refuses", ["recorder.purge_entities", purged, { keep_days: 0 }]],
  ["no more history", "blocked", "refuses", ["recorder.disable"]],
  ["history again", "blocked", "refuses", ["recorder.enable"]],
  ["a log that says less", "blocked", "answers", ["logger.set_default_level", "", { level: "warning" }]],
  [
    ...(["words on the owner's screen", "blocked", "answers"] as const),
    ["persistent_notification.create", "", { message: "[click](http://127.0.0.1)" }],
  ],
  ["an update", "blocked", "answers", ["update.install", "update.demo_add_on"]],
  ["a check of the configuration", "blocked", "refuses", ["homeassistant.check_config"]],
  [
    ...(["another place on Earth", "blocked", "refuses"] as const),
    ["homeassistant.set_location", "", { latitude: 52, longitude: 5 }],
  ],
  ["scripts loaded anew", "blocked", "answers", ["script.reload"]],
  [
    ...(["an entity read anew", NO, "answers"] as const),
    ["homeassistant.update_entity", "", { entity_id: ["sensor.soil_moisture"] }],
  ],
];

export const WAYS: readonly Way[] = Object.entries({
  ...{ spelling: SPELLING, target: TARGETS, "another service": SIBLINGS, homeassistant: GENERIC },
  ...{ script: SCRIPTS, scene: SCENES, "what an automation watches": WATCHED, other: OTHERS, house: HOUSE },
}).flatMap(([chapter, ways]) =>
  ways.map(([way, ends, does, ...calls]) => ({ way: `${chapter}: ${way}`, ends, does, calls })),
);

/** The others, and why no tool can say them. docs/home.md has the same reasons. */
export const UNSAYABLE: Readonly<Record<string, readonly string[]>> = {
  "another command of the WebSocket API, or another route: the bridge has no job that sends one": [
    "execute_script",
    "execute_script with templates",
    "fire_event",
    "POST /api/events",
    "POST /api/webhook, without a token",
    "POST /api/states, of what an automation watches",
    "POST /api/states, of a lock",
  ],
  "words and intents: the bridge has no job that sends them": [
    "POST /api/conversation/process, a sentence of an automation",
    "POST /api/conversation/process, a lock",
    "POST /api/intent/handle, HassTurnOff of a lock",
    "POST /api/intent/handle, HassTurnOn of a cover",
  ],
  "a change of registries, exposure or tokens: the bridge has no job that sends one": [
    "an entity renamed",
    "a label for a lock",
    "a lock exposed to assistants",
    "one more long-lived token",
  ],
  "reading: the tools show what the owner listed": [
    "render_template",
    "POST /api/template",
    "GET /api/states",
    "GET /api/states of a camera",
    "GET /api/history/period",
    "history/history_during_period",
    "GET /api/logbook",
    "GET /api/error_log",
    "system_log/list",
    "config/entity_registry/list",
    "config/auth/list",
    "script/config",
    "automation/config",
    "search/related",
    "homeassistant/expose_entity/list",
    "subscribe_events of states",
    "subscribe_events of calls",
    "subscribe_trigger",
  ],
};

const OPTED_IN = [
  ...[FRONT, KITCHEN, GREEN, GARAGE, ALARM, VALVE, "lock.openable_lock", "lock.all_doors"],
  ...["cover.all_covers", "cover.kitchen_window"],
];
const GIVEN = [
  ...["group.downstairs", "group.everything", "group.harmless", "light.kitchen_lights"],
  ...["light.ceiling_lights", "light.bed_light", "light.porch_light", "switch.gate_opener"],
  ...["switch.grow_light", "button.garage_remote", "siren.siren", "scene.arrive", "scene.mine"],
  ...["scene.cosy", "script.open_everything", "script.relay", "script.slow_unlock"],
  ...["input_boolean.guest_mode", "input_button.doorbell", "input_number.garage_opening"],
  ...["input_select.house_mode", "input_text.service_to_run", "timer.watering", "camera.demo_camera"],
  ...["automation.door_opener", "automation.guest_mode_unlocks_the_door", "update.demo_add_on"],
];

/** tendril.yaml of the most careless owner: all that the ways name is listed, and opted in where that is possible. */
export const CARELESS = [
  "server: { calls_per_second: 100000 }",
  "home:",
  "  entities:",
  ...OPTED_IN.map((id) => `    ${id}: { opt_in: true }`),
  ...GIVEN.map((id) => `    ${id}:`),
  "",
].join("\n");
