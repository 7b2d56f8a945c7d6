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
  (home, id) => {
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

/** What the scenes and scripts of test/home/real/config do to what could hurt. */
const RUNS: Readonly<Record<string, (home: StandInHome) => unknown>> = {
  "scene.arrive": (home) => setCover("open")(home, "cover.garage_door", {}),
  "scene.welcome": (home) => setLock("unlocked")(home, "lock.front_door", {}),
  "scene.movie": (home) => home.set("light.kitchen_lights", "on", { brightness: 40 }),
  "script.evening_lights": (home) => home.set("light.kitchen_lights", "on"),
  "script.slow_unlock": (home) => setLock("unlocked")(home, "lock.front_door", {}),
  "script.open_everything": (home) => {
    setCover("open")(home, "cover.garage_door", {});
    return setLock("unlocked")(home, "lock.front_door", {});
  },
};
/** Answers before it is done. */
const runs: Work = (home, id, data) => {
  if (id.startsWith("scene.")) now(home, id, data);
  void RUNS[id]?.(home);
};

const COVERS = {
  open_cover: setCover("open"),
  close_cover: setCover("closed"),
  toggle: toggleCover,
  stop_cover: NOTHING,
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
  automation: { turn_on: to("on"), turn_off: to("off"), trigger: NOTHING },
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
  scene: { turn_on: runs },
  script: { turn_on: runs, turn_off: NOTHING, toggle: runs },
  homeassistant: { restart: NOTHING },
};
