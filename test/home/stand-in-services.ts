import type { Attributes, StandInHome } from "./stand-in-home.js";

/** An error as Home Assistant answers it. */
export class StandInError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Work = (home: StandInHome, id: string, data: Attributes) => unknown;

const TARGETS = ["entity_id", "device_id", "area_id", "floor_id", "label_id"];

function takesOnly(data: Attributes, keys: readonly string[]): void {
  const extra = Object.keys(data).find((key) => ![...TARGETS, ...keys].includes(key));
  if (extra !== undefined)
    throw new StandInError("invalid_format", `extra keys not allowed @ data['${extra}']`);
}

const to =
  (state: string): Work =>
  (home, id) =>
    home.set(id, state);
const moves =
  (through: string, state: string): Work =>
  (home, id) =>
    home.move(id, through, state);
const flips: Work = (home, id) => home.set(id, home.stateOf(id) === "on" ? "off" : "on");
const now: Work = (home, id) => home.set(id, new Date().toISOString());
const value =
  (key: string): Work =>
  (home, id, data) =>
    home.set(id, String(data[key]));
const number: Work = (home, id, data) => home.set(id, Number(data.value).toFixed(1));

const ON_OFF = { turn_on: to("on"), turn_off: to("off"), toggle: flips };
const NOTHING: Work = () => undefined;

const setLock =
  (state: "locked" | "unlocked" | "open"): Work =>
  (home, id, data) => {
    takesOnly(data, ["code"]);
    if (id === "lock.greenhouse_door")
      return home.set("input_boolean.greenhouse_latch", state === "locked" ? "on" : "off");
    const jams = id === "lock.poorly_installed_door" && state === "locked";
    const through = { locked: "locking", unlocked: "unlocking", open: "opening" }[state];
    return home.move(id, through, jams ? "jammed" : state);
  };

const setCover =
  (state: "open" | "closed"): Work =>
  (home, id) => {
    const hasPosition = home.states.get(id)?.a.current_position !== undefined;
    home.set(id, state, hasPosition ? { current_position: state === "open" ? 100 : 0 } : {});
  };
const toggleCover: Work = (home, id, data) =>
  setCover(home.stateOf(id) === "closed" ? "open" : "closed")(home, id, data);

const lightOn: Work = (home, id, { brightness_pct: percent, ...data }) => {
  if (id === "light.porch_light") return setLock("unlocked")(home, "lock.front_door", {});
  if (Number(percent) > 100)
    throw new StandInError(
      "invalid_format",
      "value must be at most 100 for dictionary value @ data['brightness_pct']",
    );
  // the demo's bed light has its effect as soon as it is on
  const {
    effect = id === "light.bed_light" ? "rainbow" : undefined,
    brightness = percent === undefined ? undefined : Math.round(Number(percent) * 2.55),
  } = data;
  return home.set(id, "on", {
    ...(effect !== undefined && { effect }),
    ...(brightness !== undefined && { brightness }),
  });
};
const lightOff: Work = (home, id) =>
  id === "light.porch_light"
    ? setLock("locked")(home, "lock.front_door", {})
    : home.set(id, "off", { brightness: null, effect: null });

const switchOn: Work = (home, id) => {
  if (id === "switch.gate_opener") return setLock("unlocked")(home, "lock.front_door", {});
  return home.set(id === "switch.grow_light" ? "input_boolean.grow_light_relay" : id, "on");
};
const switchOff: Work = (home, id) =>
  home.set(id === "switch.grow_light" ? "input_boolean.grow_light_relay" : id, "off");

const pressed: Work = (home, id, data) => {
  now(home, id, data);
  if (id === "button.garage_remote") setCover("open")(home, "cover.garage_door", {});
};

const disarm: Work = (home, id, { code }) => {
  if (code !== "1234")
    throw new StandInError("service_validation_error", "Validation error: Invalid alarm code provided");
  return home.set(id, "disarmed");
};

const unlockFront = (home: StandInHome) => setLock("unlocked")(home, "lock.front_door", {});
const openGarage = (home: StandInHome) => setCover("open")(home, "cover.garage_door", {});

/** How a scene brings an entity of these domains to a state; of all others it just has it. */
const BRINGS: Readonly<Record<string, (state: string) => Work>> = {
  alarm_control_panel: () => disarm,
  lock: (state) => setLock(state === "locked" ? "locked" : "unlocked"),
  cover: (state) => setCover(state === "open" ? "open" : "closed"),
};

/** Sets any entity to any state, as a scene does. */
function apply(home: StandInHome, entities: Attributes): void {
  for (const [id, wanted] of Object.entries(entities)) {
    const state = typeof wanted === "string" ? wanted : String((wanted as Attributes).state);
    const bring = BRINGS[id.slice(0, id.indexOf("."))]?.(state) ?? to(state);
    void bring(home, id, {});
  }
}

/** What `script.relay` does: anything that its caller says. */
const relay: Run = (home, { action, entity }) => {
  if (!home.states.has(String(entity)))
    throw new StandInError("home_assistant_error", `Template rendered invalid entity IDs: ${entity}`);
  const [domain = "", service = ""] = String(action).split(".");
  return SERVICES[domain]?.[service]?.(home, String(entity), {});
};

type Run = (home: StandInHome, variables: Attributes) => unknown;
/** What the scenes, scripts and automations of test/home/real/config do to what could hurt. */
const RUNS: Readonly<Record<string, Run>> = {
  "scene.arrive": openGarage,
  "scene.welcome": unlockFront,
  "scene.movie": (home) => home.set("light.kitchen_lights", "on", { brightness: 40 }),
  "script.evening_lights": (home) => home.set("light.kitchen_lights", "on"),
  "script.slow_unlock": unlockFront,
  "script.relay": relay,
  "script.open_everything": (home) => {
    openGarage(home);
    return unlockFront(home);
  },
  "automation.guest_mode_unlocks_the_door": unlockFront,
  "automation.unlock_when_bo_comes_home": unlockFront,
};
/** Answers before it is done. */
const runs: Work = (home, id, data) => {
  if (id.startsWith("scene.")) now(home, id, data);
  const made = home.scenes.get(id);
  if (made) apply(home, made);
  void RUNS[id]?.(home, (data.variables as Attributes | undefined) ?? {});
};
/** A script as a service of its own: it answers when it is done. */
const runsScript =
  (id: string): Work =>
  (home, _, data) =>
    RUNS[id]?.(home, data);

/** The service of the entity's own domain, if it has one of that name. */
const generic =
  (service: string): Work =>
  (home, id, data) => {
    const { entity_id: _, ...own } = data;
    return SERVICES[id.slice(0, id.indexOf("."))]?.[service]?.(home, id, own);
  };
const notForUsers: Work = () => {
  throw new StandInError("home_assistant_error", "Unauthorized");
};

/** Without a broker: what it is told comes back at once. */
const publish: Work = (home, _, { topic, payload }) => {
  const [, component, name] = /^homeassistant\/(\w+)\/(\w+)\/config$/.exec(String(topic)) ?? [];
  if (component === undefined) return home.hear(String(topic), String(payload));
  const id = `${component}.${name}`;
  if (payload === "") return home.remove(id);
  const { name: friendly_name, state_topic } = JSON.parse(String(payload)) as Record<string, string>;
  home.topics.set(id, String(state_topic));
  home.set(id, "unknown", { friendly_name });
};

const COVERS = {
  open_cover: setCover("open"),
  close_cover: setCover("closed"),
  toggle: toggleCover,
  stop_cover: NOTHING,
  set_cover_position: ((home, id) => {
    if (home.states.get(id)?.a.current_position === undefined)
      throw new StandInError("service_validation_error", `Entity ${id} does not support it`);
  }) satisfies Work,
};

/** The services that the stand-in knows; any other is not found, as in the real one. */
export const SERVICES: Readonly<Record<string, Readonly<Record<string, Work>>>> = {
  light: {
    turn_on: lightOn,
    turn_off: lightOff,
    toggle: (home, id, data) => (home.stateOf(id) === "on" ? lightOff : lightOn)(home, id, data),
  },
  switch: {
    turn_on: switchOn,
    turn_off: switchOff,
    toggle: (home, id, data) => (home.stateOf(id) === "on" ? switchOff : switchOn)(home, id, data),
  },
  fan: ON_OFF,
  siren: ON_OFF,
  input_boolean: ON_OFF,
  automation: { turn_on: to("on"), turn_off: to("off"), trigger: runs },
  lock: { lock: setLock("locked"), unlock: setLock("unlocked"), open: setLock("open") },
  cover: COVERS,
  valve: {
    open_valve: moves("opening", "open"),
    close_valve: moves("closing", "closed"),
    toggle: (home, id) => home.move(id, "opening", home.stateOf(id) === "open" ? "closed" : "open"),
  },
  button: { press: pressed },
  input_button: { press: pressed },
  input_number: { set_value: number },
  number: { set_value: number },
  input_text: { set_value: value("value") },
  input_select: { select_option: value("option"), select_last: (home, id) => home.set(id, "Party") },
  select: { select_option: value("option") },
  timer: { start: to("active"), cancel: to("idle") },
  alarm_control_panel: {
    alarm_disarm: disarm,
    alarm_arm_home: to("armed_home"),
    alarm_arm_away: to("armed_away"),
  },
  climate: {
    set_temperature: (home, id, { temperature }) => home.set(id, home.stateOf(id) ?? "", { temperature }),
  },
  scene: { turn_on: runs, delete: (home, id) => home.remove(id) },
  script: { turn_on: runs, turn_off: NOTHING, toggle: runs },
  homeassistant: {
    turn_on: generic("turn_on"),
    turn_off: generic("turn_off"),
    toggle: generic("toggle"),
    update_entity: NOTHING,
  },
  update: { install: (home, id) => home.set(id, "off") },
  camera: { snapshot: NOTHING },
};

/** Those that have no target; their data says what they are for. */
export const WITHOUT_TARGET: Readonly<Record<string, Work>> = {
  "script.open_everything": runsScript("script.open_everything"),
  "script.relay": runsScript("script.relay"),
  "script.reload": NOTHING,
  "scene.apply": (home, _, { entities }) => apply(home, entities as Attributes),
  "scene.create": (home, _, { scene_id, entities }) => {
    home.scenes.set(`scene.${scene_id}`, entities as Attributes);
    home.set(`scene.${scene_id}`, "unknown", { entity_id: Object.keys(entities as object) });
  },
  "group.set": (home, _, { object_id, entities }) => {
    const id = `group.${object_id}`;
    home.set(id, home.stateOf(id) ?? "off", { entity_id: entities });
  },
  "device_tracker.see": (home, _, { dev_id, location_name }) =>
    home.set(`device_tracker.${dev_id}`, String(location_name)),
  "mqtt.publish": publish,
  "conversation.process": NOTHING,
  "backup.create": NOTHING,
  "shell_command.leave_a_mark": NOTHING,
  "logbook.log": NOTHING,
  "logger.set_default_level": NOTHING,
  "persistent_notification.create": NOTHING,
  "recorder.purge_entities": notForUsers,
  "recorder.disable": notForUsers,
  "recorder.enable": notForUsers,
  "homeassistant.check_config": notForUsers,
  "homeassistant.set_location": notForUsers,
  "homeassistant.restart": notForUsers,
};
