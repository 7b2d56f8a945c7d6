/**
 * The ways around a check of names that were tried on a real Home Assistant 2025.4.4: those that are calls of services, as far as
 * `call_ha_service` can express them. A target that is no entity stands in the data, where the tool has a place for it.
 */
export type WayCall = readonly [domain: string, service: string, entityId?: string, data?: object];

/** What the call ends with when nobody says yes: an error, or a status. */
export type Ending = "INVALID_ARGUMENT" | "blocked" | "pending";

export interface Way {
  readonly way: string;
  readonly calls: readonly WayCall[];
  readonly ends: Ending;
}

const way = (name: string, ends: Ending, ...calls: WayCall[]): Way => ({ way: name, ends, calls });

export const WAYS: readonly Way[] = [
  // the same thing under another spelling
  way("the plain call", "pending", ["lock", "unlock", "lock.greenhouse_door"]),
  way("the plain call by REST", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "",
    { entity_id: "lock.greenhouse_door" },
  ]),
  way("domain and service in capitals", "INVALID_ARGUMENT", ["Lock", "UNLOCK", "lock.greenhouse_door"]),
  way("capitals in the REST path", "INVALID_ARGUMENT", [
    "LOCK",
    "UnLock",
    "",
    { entity_id: "lock.greenhouse_door" },
  ]),
  way("entity id in capitals", "INVALID_ARGUMENT", ["lock", "unlock", "LOCK.Greenhouse_Door"]),
  way("entity id with blanks around", "pending", ["lock", "unlock", "  lock.greenhouse_door "]),
  way("several ids in one string", "blocked", ["lock", "unlock", "lock.nowhere , lock.greenhouse_door"]),
  way("`all`", "INVALID_ARGUMENT", ["lock", "unlock", "all"]),
  way("the registry id in place of the entity id", "INVALID_ARGUMENT", ["lock", "unlock", "<registry id>"]),
  way("the target hidden in service_data", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "",
    { entity_id: "lock.greenhouse_door" },
  ]),
  way("service_data adds an area to a harmless target", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "lock.kitchen_door",
    { area_id: "greenhouse" },
  ]),
  way("service_data adds a label to a harmless target", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "lock.kitchen_door",
    { label_id: "plants" },
  ]),
  way("entity_id in both places: target wins", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "lock.kitchen_door",
    { entity_id: "lock.greenhouse_door" },
  ]),
  way("a template as entity id (WebSocket target)", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "{{ 'lock.greenhouse_door' }}",
  ]),
  way("a template as entity id (service_data)", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "",
    { entity_id: "{{ 'lock.greenhouse_door' }}" },
  ]),
  way("a template as entity id (REST)", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "",
    { entity_id: "{{ 'lock.greenhouse_door' }}" },
  ]),
  way("a template as area (service_data)", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "",
    { area_id: "{{ 'greenhouse' }}" },
  ]),
  way("an unknown key beside the target", "INVALID_ARGUMENT", [
    "lock",
    "unlock",
    "lock.greenhouse_door",
    { force: true },
  ]),
  // targets that are more than they look
  way("area", "INVALID_ARGUMENT", ["lock", "unlock", "", { area_id: "greenhouse" }]),
  way("area by its name", "INVALID_ARGUMENT", ["lock", "unlock", "", { area_id: "Greenhouse" }]),
  way("area by its alias", "INVALID_ARGUMENT", ["lock", "unlock", "", { area_id: "glasshouse" }]),
  way("floor", "INVALID_ARGUMENT", ["lock", "unlock", "", { floor_id: "outside" }]),
  way("label on an entity", "INVALID_ARGUMENT", ["lock", "unlock", "", { label_id: "plants" }]),
  way("device", "INVALID_ARGUMENT", ["cover", "open_cover", "", { device_id: "<device id>" }]),
  way("label on a device", "INVALID_ARGUMENT", ["cover", "open_cover", "", { label_id: "openers" }]),
  way("area of a device", "INVALID_ARGUMENT", ["cover", "open_cover", "", { area_id: "garage" }]),
  way("`group.` with lights and a lock", "pending", ["lock", "unlock", "group.downstairs"]),
  way("a group in a group", "pending", ["lock", "unlock", "group.everything"]),
  way("lock group entity", "pending", ["lock", "unlock", "lock.all_doors"]),
  way("cover group entity", "pending", ["cover", "open_cover", "cover.all_covers"]),
  way("lights by label `evening` (one of them is a template light that unlocks)", "INVALID_ARGUMENT", [
    "light",
    "turn_on",
    "",
    { label_id: "evening" },
  ]),
  way("lights by area `hall`", "INVALID_ARGUMENT", ["light", "turn_on", "", { area_id: "hall" }]),
  way("all lights", "INVALID_ARGUMENT", ["light", "turn_on", "all"]),
  way("a switch that is a gate opener", "pending", ["switch", "turn_on", "switch.gate_opener"]),
  way("the same by switch.toggle", "pending", ["switch", "toggle", "switch.gate_opener"]),
  way("a button that is a garage remote", "pending", ["button", "press", "button.garage_remote"]),
  // another service of the same domain
  way("lock.open (unlatches) in place of lock.unlock", "pending", ["lock", "open", "lock.openable_lock"]),
  way("cover.toggle", "pending", ["cover", "toggle", "cover.garage_door"]),
  way("cover.set_cover_position on a cover without positions", "pending", [
    "cover",
    "set_cover_position",
    "cover.garage_door",
    { position: 100 },
  ]),
  way("valve.toggle", "pending", ["valve", "toggle", "valve.orchard"]),
  way("alarm_disarm with a wrong code", "INVALID_ARGUMENT", [
    "alarm_control_panel",
    "alarm_disarm",
    "alarm_control_panel.security",
    { code: "0000" },
  ]),
  way("alarm_disarm with the right code", "INVALID_ARGUMENT", [
    "alarm_control_panel",
    "alarm_disarm",
    "alarm_control_panel.security",
    { code: "1234" },
  ]),
  way("siren by `toggle`", "pending", ["siren", "toggle", "siren.siren"]),
  // the generic services of `homeassistant`
  way("homeassistant.toggle on the garage door", "blocked", ["homeassistant", "toggle", "cover.garage_door"]),
  way("homeassistant.toggle on an area", "INVALID_ARGUMENT", [
    "homeassistant",
    "toggle",
    "",
    { area_id: "garage" },
  ]),
  way("homeassistant.toggle on a label", "INVALID_ARGUMENT", [
    "homeassistant",
    "toggle",
    "",
    { label_id: "openers" },
  ]),
  way("homeassistant.toggle on a floor", "INVALID_ARGUMENT", [
    "homeassistant",
    "toggle",
    "",
    { floor_id: "outside" },
  ]),
  way("homeassistant.toggle on a group in a group", "blocked", [
    "homeassistant",
    "toggle",
    "group.everything",
  ]),
  way("homeassistant.toggle on a valve", "blocked", ["homeassistant", "toggle", "valve.orchard"]),
  way("homeassistant.turn_on on `all`", "INVALID_ARGUMENT", [
    "homeassistant",
    "turn_on",
    "",
    { entity_id: "all" },
  ]),
  way("homeassistant.turn_on on a lock", "blocked", ["homeassistant", "turn_on", "lock.greenhouse_door"]),
  way("homeassistant.turn_off on a lock", "blocked", ["homeassistant", "turn_off", "lock.greenhouse_door"]),
  way("homeassistant.turn_on on the garage door", "blocked", [
    "homeassistant",
    "turn_on",
    "cover.garage_door",
  ]),
  way("homeassistant.turn_on on a scene", "blocked", ["homeassistant", "turn_on", "scene.arrive"]),
  way("homeassistant.turn_on on a script", "blocked", ["homeassistant", "turn_on", "script.open_everything"]),
  way("homeassistant.turn_on on the switch of the gate", "blocked", [
    "homeassistant",
    "turn_on",
    "switch.gate_opener",
  ]),
  way("homeassistant.turn_on on a helper", "blocked", [
    "homeassistant",
    "turn_on",
    "input_boolean.guest_mode",
  ]),
  // scripts
  way("the script's own service", "blocked", ["script", "open_everything"]),
  way("script.turn_on", "pending", ["script", "turn_on", "script.open_everything"]),
  way("script.toggle", "pending", ["script", "toggle", "script.open_everything"]),
  way("a script that does what its caller says", "blocked", [
    "script",
    "relay",
    "",
    { action: "lock.unlock", entity: "lock.greenhouse_door" },
  ]),
  way("the same by script.turn_on with variables", "INVALID_ARGUMENT", [
    "script",
    "turn_on",
    "script.relay",
    { variables: { action: "lock.unlock", entity: "lock.greenhouse_door" } },
  ]),
  way("the same, its entity given as a template (text stays text)", "INVALID_ARGUMENT", [
    "script",
    "relay",
    "",
    { action: "lock.unlock", entity: "{{ 'lock.greenhouse_door' }}" },
  ]),
  way("a script that unlocks 2 s after the answer", "pending", ["script", "turn_on", "script.slow_unlock"]),
  // scenes
  way("scene.turn_on", "pending", ["scene", "turn_on", "scene.arrive"]),
  way("scene.turn_on `all`", "INVALID_ARGUMENT", ["scene", "turn_on", "all"]),
  way("scene.apply: any entity, any state", "blocked", [
    "scene",
    "apply",
    "",
    { entities: { "lock.greenhouse_door": "unlocked" } },
  ]),
  way("scene.apply by REST, among lights", "blocked", [
    "scene",
    "apply",
    "",
    { entities: { "light.bed_light": "on", "cover.garage_door": { state: "open" } } },
  ]),
  way("scene.apply as a disarm", "blocked", [
    "scene",
    "apply",
    "",
    { entities: { "alarm_control_panel.security": "disarmed" } },
  ]),
  way(
    "scene.create, then scene.turn_on",
    "blocked",
    ["scene", "create", "", { scene_id: "mine", entities: { "lock.greenhouse_door": "unlocked" } }],
    ["scene", "turn_on", "scene.mine"],
  ),
  // things that an automation watches
  way("automation.trigger", "blocked", ["automation", "trigger", "automation.guest_mode_unlocks_the_door"]),
  way("automation.trigger, conditions skipped", "blocked", [
    "automation",
    "trigger",
    "automation.unlock_when_bo_comes_home",
    { skip_condition: true },
  ]),
  way("input_boolean.turn_on", "pending", ["input_boolean", "turn_on", "input_boolean.guest_mode"]),
  way("input_button.press", "pending", ["input_button", "press", "input_button.doorbell"]),
  way("input_number.set_value", "pending", [
    "input_number",
    "set_value",
    "input_number.garage_opening",
    { value: 80 },
  ]),
  way("input_select.select_last", "blocked", ["input_select", "select_last", "input_select.house_mode"]),
  way("input_text.set_value with the name of a service", "pending", [
    "input_text",
    "set_value",
    "input_text.service_to_run",
    { value: "lock.unlock" },
  ]),
  way("light.turn_on with the effect an automation waits for", "pending", [
    "light",
    "turn_on",
    "light.bed_light",
    { effect: "rainbow" },
  ]),
  way(
    "device_tracker.see: somebody comes home",
    "blocked",
    ["device_tracker", "see", "", { dev_id: "bo_phone", location_name: "not_home" }],
    ["device_tracker", "see", "", { dev_id: "bo_phone", location_name: "home" }],
  ),
  way("timer.start with a second", "pending", ["timer", "start", "timer.watering", { duration: "00:00:01" }]),
  // words in place of calls
  way("conversation: `open the garage door`, not exposed", "blocked", [
    "conversation",
    "process",
    "",
    { text: "open the garage door" },
  ]),
  // mQTT, where Home Assistant has a broker
  way("mqtt.publish on another device's command or state topic", "blocked", [
    "mqtt",
    "publish",
    "",
    { topic: "bench/gate/state", payload: "open", retain: true },
  ]),
  way(
    "mqtt.publish of a discovery message makes an entity",
    "blocked",
    [
      "mqtt",
      "publish",
      "",
      {
        topic: "homeassistant/sensor/bench_made/config",
        payload: '{"name": "Bench made", "unique_id": "bench_made", "state_topic": "bench/gate/state"}',
        retain: false,
      },
    ],
    ["mqtt", "publish", "", { topic: "bench/gate/state", payload: "open" }],
  ),
  // changing what a name means
  way(
    "group.set puts a garage door in an allowed group, then toggle",
    "blocked",
    ["group", "set", "", { object_id: "harmless", entities: ["cover.garage_door"] }],
    ["homeassistant", "toggle", "group.harmless"],
  ),
  way(
    "scene.create replaces a scene that is made at run time",
    "blocked",
    ["scene", "create", "", { scene_id: "cosy", entities: { "light.bed_light": "on" } }],
    ["scene", "create", "", { scene_id: "cosy", entities: { "lock.greenhouse_door": "unlocked" } }],
    ["scene", "turn_on", "scene.cosy"],
  ),
  way("automation.turn_off (a leak guard, say)", "blocked", [
    "automation",
    "turn_off",
    "automation.door_opener",
  ]),
  // reading, traces and the house itself
  way("backup.create writes the whole home, secrets and all, to a file", "blocked", ["backup", "create"]),
  way("shell_command", "blocked", ["shell_command", "leave_a_mark"]),
  way("camera.snapshot writes a file (www/ is served without a token)", "blocked", [
    "camera",
    "snapshot",
    "camera.demo_camera",
    { filename: "CONFIG_DIR/www/shot.jpg" },
  ]),
  way("logbook.log writes history that never was", "INVALID_ARGUMENT", [
    "logbook",
    "log",
    "",
    { name: "Front Door", message: "was locked by Olivia", entity_id: "lock.front_door" },
  ]),
  way("recorder.purge_entities erases history", "blocked", [
    "recorder",
    "purge_entities",
    "sensor.outside_humidity",
    { keep_days: 0 },
  ]),
  way("recorder.disable stops recording", "blocked", ["recorder", "disable"]),
  way("recorder.enable", "blocked", ["recorder", "enable"]),
  way("logger.set_default_level", "blocked", ["logger", "set_default_level", "", { level: "warning" }]),
  way("persistent_notification.create", "blocked", [
    "persistent_notification",
    "create",
    "",
    { message: "[click](http://127.0.0.1)" },
  ]),
  way("update.install (done once: the first who tried, resident)", "blocked", [
    "update",
    "install",
    "update.demo_add_on",
  ]),
  way("homeassistant.check_config", "blocked", ["homeassistant", "check_config"]),
  way("homeassistant.set_location", "blocked", [
    "homeassistant",
    "set_location",
    "",
    { latitude: 52.0, longitude: 5.0 },
  ]),
  way("script.reload", "blocked", ["script", "reload"]),
  way("homeassistant.update_entity", "INVALID_ARGUMENT", [
    "homeassistant",
    "update_entity",
    "",
    { entity_id: ["sensor.soil_moisture"] },
  ]),
];

/** The others, and why no tool can express them. */
export const NOT_EXPRESSIBLE: Readonly<Record<string, readonly string[]>> = {
  "a command of the WebSocket API: the adapter sends call_service, and reads": [
    "execute_script, a WebSocket command",
    "execute_script with a template",
  ],
  "another route or command of Home Assistant: nothing of ours sends it": [
    "an event by WebSocket",
    "an event by REST",
    "a webhook, without any token",
    "POST /api/states sets a state that an automation watches",
    "POST /api/states: the lock claims to be unlocked (it is not)",
  ],
  "words and intents: nothing of ours sends them": [
    "conversation: the sentence of an automation",
    "conversation: `unlock the greenhouse door`, not exposed",
    "intent by REST: HassTurnOff on a lock (it unlocks)",
    "intent by REST: HassTurnOn on a cover (it opens)",
  ],
  "a change of the registry: nothing of ours sends one, and the acting token may not": [
    "renaming an entity id in the registry",
    "giving a lock the label of allowed things",
    "exposing the lock to assistants, then saying it",
    "another long-lived token of its own",
  ],
  "reading: the tools show what the owner listed, and no more": [
    "render_template tells any state",
    "POST /api/template",
    "GET /api/states: everything, exposed or not",
    "GET /api/states shows camera tokens",
    "GET /api/history/period of anything",
    "WebSocket history of anything",
    "GET /api/logbook",
    "GET /api/error_log",
    "system_log/list",
    "config/entity_registry/list (names, areas, labels)",
    "config/auth/list (all users)",
    "script/config: the text of a script",
    "automation/config: the text of an automation",
    "search/related",
    "homeassistant/expose_entity/list",
    "subscribe_events: every state of the home",
    "subscribe_events: call_service (what others call)",
    "subscribe_trigger",
  ],
};
