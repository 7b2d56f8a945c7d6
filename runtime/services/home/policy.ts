import { z } from "zod";

/**
 * What may be done, by service and device class. What is not here is blocked. docs/home.md shows this table; a test
 * compares.
 *
 * allowed: at once. confirm: after a person's yes. opt_in: after a yes, and only for an entity with `opt_in: true`.
 */
export const VERDICTS = ["allowed", "confirm", "opt_in", "blocked"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((a, b) => (VERDICTS.indexOf(a) > VERDICTS.indexOf(b) ? a : b), "allowed");

export interface Rule {
  readonly domain: string;
  readonly services: readonly string[];
  readonly verdict: Exclude<Verdict, "blocked">;
  /** Only for entities of these device classes. */
  readonly classes?: readonly string[];
  /** What `service_data` may have. Codes of locks and alarms are not among it: no agent shall know them. */
  readonly data: z.ZodObject;
}

const number = z.number();
const word = z.string().min(1).max(100);
const color = z.array(number).min(2).max(5);
const data = (keys: Readonly<Record<string, z.ZodType>>): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(keys).map(([key, type]) => [key, type.optional()])));
const none = data({});

const LIGHT = data({
  ...{ brightness: number, brightness_pct: number, brightness_step: number, brightness_step_pct: number },
  ...{ color_temp_kelvin: number, hs_color: color, rgb_color: color, rgbw_color: color, rgbww_color: color },
  ...{ xy_color: color, color_name: word, white: number, transition: number, flash: word, effect: word },
});

/** Covers of a window or a terrace: nobody comes in through them [Home Assistant, cover, device classes]. */
export const SHADES = ["awning", "blind", "curtain", "damper", "shade", "shutter"];

const COVER_OPENS = ["open_cover", "toggle", "set_cover_position", "open_cover_tilt", "toggle_cover_tilt"];
const COVER_OTHER = ["close_cover", "stop_cover", "close_cover_tilt", "stop_cover_tilt"];
const COVER = data({ position: number });
const onOff = (domain: string, verdict: Rule["verdict"]): Rule => ({
  ...{ domain, services: ["turn_on", "turn_off", "toggle"], verdict, data: none },
});

/** In the order of docs/home.md. */
export const RULES: readonly Rule[] = [
  { domain: "light", services: ["turn_on", "toggle"], verdict: "allowed", data: LIGHT },
  {
    domain: "light",
    services: ["turn_off"],
    verdict: "allowed",
    data: data({ transition: number, flash: word }),
  },
  onOff("switch", "allowed"),
  {
    ...{ domain: "fan", services: ["turn_on", "turn_off", "toggle", "set_percentage"], verdict: "allowed" },
    data: data({ percentage: number, preset_mode: word }),
  },
  {
    ...{ domain: "fan", services: ["oscillate", "set_direction", "set_preset_mode"], verdict: "allowed" },
    data: data({ oscillating: z.boolean(), direction: word, preset_mode: word }),
  },
  onOff("humidifier", "allowed"),
  {
    ...{ domain: "humidifier", services: ["set_humidity", "set_mode"], verdict: "allowed" },
    data: data({ humidity: number, mode: word }),
  },
  onOff("climate", "allowed"),
  {
    ...{ domain: "climate", services: ["set_temperature", "set_hvac_mode"], verdict: "allowed" },
    data: data({ temperature: number, target_temp_high: number, target_temp_low: number, hvac_mode: word }),
  },
  {
    ...{
      domain: "climate",
      services: ["set_fan_mode", "set_preset_mode", "set_humidity"],
      verdict: "allowed",
    },
    data: data({ fan_mode: word, preset_mode: word, humidity: number }),
  },
  onOff("media_player", "allowed"),
  {
    domain: "media_player",
    services: ["media_play", "media_pause", "media_play_pause", "media_stop", "volume_up", "volume_down"],
    ...{ verdict: "allowed", data: none },
  },
  {
    ...{ domain: "media_player", services: ["volume_set", "volume_mute"], verdict: "allowed" },
    data: data({ volume_level: number, is_volume_muted: z.boolean() }),
  },
  {
    ...{ domain: "vacuum", services: ["start", "pause", "stop", "return_to_base", "locate"] },
    ...{ verdict: "allowed", data: none },
  },
  {
    ...{ domain: "cover", services: [...COVER_OPENS, ...COVER_OTHER], classes: SHADES },
    ...{ verdict: "allowed", data: COVER },
  },
  { domain: "cover", services: COVER_OTHER, verdict: "confirm", data: none },
  { domain: "cover", services: COVER_OPENS, verdict: "opt_in", data: COVER },
  { domain: "lock", services: ["lock"], verdict: "confirm", data: none },
  { domain: "lock", services: ["unlock", "open"], verdict: "opt_in", data: none },
  { domain: "valve", services: ["close_valve", "stop_valve"], verdict: "confirm", data: none },
  {
    ...{ domain: "valve", services: ["open_valve", "toggle", "set_valve_position"], verdict: "opt_in" },
    data: data({ position: number }),
  },
  {
    ...{ domain: "alarm_control_panel", services: ["alarm_arm_home", "alarm_arm_away", "alarm_arm_night"] },
    ...{ verdict: "confirm", data: none },
  },
  {
    ...{ domain: "alarm_control_panel", services: ["alarm_disarm", "alarm_trigger"] },
    ...{ verdict: "opt_in", data: none },
  },
  {
    domain: "camera",
    services: ["turn_on", "turn_off", "enable_motion_detection", "disable_motion_detection"],
    ...{ verdict: "confirm", data: none },
  },
  onOff("siren", "confirm"),
  onOff("water_heater", "confirm"),
  {
    ...{ domain: "water_heater", services: ["set_temperature", "set_operation_mode"], verdict: "confirm" },
    data: data({ temperature: number, operation_mode: word }),
  },
  { domain: "lawn_mower", services: ["start_mowing", "pause", "dock"], verdict: "confirm", data: none },
  // what they set off is never in their name: these are opaque, so a yes is needed all the same
  { domain: "button", services: ["press"], verdict: "allowed", data: none },
  { domain: "input_button", services: ["press"], verdict: "allowed", data: none },
  { domain: "scene", services: ["turn_on"], verdict: "allowed", data: data({ transition: number }) },
  onOff("script", "allowed"),
  onOff("input_boolean", "allowed"),
  { domain: "number", services: ["set_value"], verdict: "allowed", data: data({ value: number }) },
  { domain: "input_number", services: ["set_value"], verdict: "allowed", data: data({ value: number }) },
  { domain: "select", services: ["select_option"], verdict: "allowed", data: data({ option: word }) },
  { domain: "input_select", services: ["select_option"], verdict: "allowed", data: data({ option: word }) },
  { domain: "input_text", services: ["set_value"], verdict: "allowed", data: data({ value: word }) },
  {
    ...{ domain: "timer", services: ["start", "pause", "cancel", "finish"], verdict: "allowed" },
    data: data({ duration: word }),
  },
];

/** The rules of a service; none if it is blocked whatever it is for. */
export const rulesOf = (domain: string, service: string): readonly Rule[] =>
  RULES.filter((rule) => rule.domain === domain && rule.services.includes(service));

/** The rule for an entity of this class: the one for its class, else the one for all. */
export const ruleFor = (rules: readonly Rule[], deviceClass: string | undefined): Rule | undefined =>
  rules.find(({ classes }) => deviceClass !== undefined && classes?.includes(deviceClass)) ??
  rules.find(({ classes }) => classes === undefined);

/** The rules of all services that an entity of this class has. */
export const rulesForEntity = (entityId: string, deviceClass: string | undefined): readonly Rule[] => {
  const rules = RULES.filter(({ domain }) => domain === domainOf(entityId));
  const isTheOne = (rule: Rule) =>
    rule.services.some((service) => ruleFor(rulesOf(rule.domain, service), deviceClass) === rule);
  return rules.filter(isTheOne);
};

export const domainOf = (entityId: string): string => entityId.slice(0, entityId.indexOf("."));

/** Whether there is a service for which an entity of this domain needs the owner's opt-in. */
export const canNeedOptIn = (entityId: string): boolean =>
  RULES.some(({ domain, verdict }) => domain === domainOf(entityId) && verdict === "opt_in");

/**
 * Domains whose entities are what their name says, if a device's own integration made them. All others set off what
 * somebody has tied to them.
 */
export const PLAIN_DOMAINS: ReadonlySet<string> = new Set([
  ...["light", "switch", "fan", "humidifier", "climate", "media_player", "vacuum", "cover"],
  ...["lock", "valve", "alarm_control_panel", "camera", "siren", "water_heater", "lawn_mower"],
]);

/**
 * Integrations whose entities are one device each, as the registry names them [home-assistant.io/integrations, category
 * "hub" or "device"]. A choice of common ones; what is not here is opaque: template, group, mqtt, switch_as_x and all that
 * a home's own programs make. `demo` has simulated devices.
 */
export const DEVICE_PLATFORMS: ReadonlySet<string> = new Set([
  ...[
    "august",
    "aqara",
    "bond",
    "bosch_shc",
    "broadlink",
    "daikin",
    "deconz",
    "demo",
    "dyson",
    "ecobee",
    "elgato",
  ],
  ...["enphase_envoy", "fritz", "fritzbox", "govee_light_local", "homekit_controller", "homematicip_cloud"],
  ...["homewizard", "honeywell", "hue", "hunterdouglas_powerview", "insteon", "ipp", "isy994", "keba", "kef"],
  ...[
    "kitchen_sink",
    "lg_thinq",
    "lifx",
    "litterrobot",
    "lutron",
    "lutron_caseta",
    "matter",
    "meross",
    "mill",
  ],
  ...["miele", "motion_blinds", "nanoleaf", "nest", "netatmo", "nuki", "overkiz", "philips_js", "rachio"],
  ...[
    "rainbird",
    "reolink",
    "ring",
    "roborock",
    "roomba",
    "samsungtv",
    "schlage",
    "sensibo",
    "shelly",
    "sonos",
  ],
  ...[
    "somfy",
    "switchbot",
    "switcher_kis",
    "tado",
    "tasmota",
    "tessie",
    "tplink",
    "tradfri",
    "twinkly",
    "unifi",
  ],
  ...["velbus", "velux", "wemo", "wiz", "wled", "yale", "yeelight", "zha", "zwave_js"],
]);

/** Domains that no table allows, and why; for the answer to the agent. */
export const NEVER: Readonly<Record<string, string>> = {
  homeassistant: "its services reach everything",
  hassio: "it runs the machine",
  group: "it changes what a name means",
  scene: "only scene.turn_on of a listed scene is possible",
  script: "only script.turn_on, turn_off and toggle of a listed script are possible",
  automation: "it sets off or switches off what others rely on",
};
