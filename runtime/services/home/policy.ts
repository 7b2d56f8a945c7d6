import { z } from "zod";

/**
 * What may be done, by service and device class. What is not here is blocked. docs/home.md shows this table; a test
 * compares.
 *
 * allowed: at once. confirm: after a person's yes. opt_in: after a yes, and only for an entity with `opt_in: true`.
 */
const VERDICTS = ["allowed", "confirm", "opt_in", "blocked"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((a, b) => (VERDICTS.indexOf(a) > VERDICTS.indexOf(b) ? a : b), "allowed");

export interface Rule {
  readonly domain: string;
  readonly verdict: Exclude<Verdict, "blocked">;
  readonly services: readonly string[];
  /** What `service_data` may have. Codes of locks and alarms are not among it: no agent shall know them. */
  readonly data: z.ZodObject;
  /** Only for entities of these device classes. */
  readonly classes?: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** A line of the table. `services`: divided by blanks. */
function rule(
  domain: string,
  verdict: Rule["verdict"],
  services: string,
  keys: Readonly<Record<string, z.ZodType>> = {},
): Rule {
  const optional = Object.entries(keys).map(([key, type]) => [key, type.optional()]);
  return { domain, verdict, services: words(services), data: z.strictObject(Object.fromEntries(optional)) };
}

const number = z.number();
const bool = z.boolean();
const word = z.string().min(1).max(100);
const color = z.array(number).min(2).max(5);

const FADE = { transition: number, flash: word };
const BRIGHTNESS = {
  brightness: number,
  brightness_pct: number,
  brightness_step: number,
  brightness_step_pct: number,
};
const COLOR = {
  color_temp_kelvin: number,
  hs_color: color,
  rgb_color: color,
  rgbw_color: color,
  rgbww_color: color,
  xy_color: color,
  color_name: word,
  white: number,
};
const TARGETS = { temperature: number, target_temp_high: number, target_temp_low: number };

/** Covers of a window or a terrace: nobody comes in through them [Home Assistant, cover, device classes]. */
export const SHADES = ["awning", "blind", "curtain", "damper", "shade", "shutter"];

const ON_OFF = "turn_on turn_off toggle";
const PLAY = "media_play media_pause media_play_pause media_stop volume_up volume_down";
const COVER_OPENS = "open_cover toggle set_cover_position open_cover_tilt toggle_cover_tilt";
const COVER_OTHER = "close_cover stop_cover close_cover_tilt stop_cover_tilt";
const POSITION = { position: number };
const ARM = "alarm_arm_home alarm_arm_away alarm_arm_night";
const CAMERA = "turn_on turn_off enable_motion_detection disable_motion_detection";

/** In the order of docs/home.md. */
export const RULES: readonly Rule[] = [
  rule("light", "allowed", "turn_on toggle", { ...BRIGHTNESS, ...COLOR, ...FADE, effect: word }),
  rule("light", "allowed", "turn_off", FADE),
  rule("switch", "allowed", ON_OFF),
  rule("fan", "allowed", `${ON_OFF} set_percentage`, { percentage: number, preset_mode: word }),
  rule("fan", "allowed", "oscillate set_direction set_preset_mode", {
    oscillating: bool,
    direction: word,
    preset_mode: word,
  }),
  rule("humidifier", "allowed", ON_OFF),
  rule("humidifier", "allowed", "set_humidity set_mode", { humidity: number, mode: word }),
  rule("climate", "allowed", ON_OFF),
  rule("climate", "allowed", "set_temperature set_hvac_mode", { ...TARGETS, hvac_mode: word }),
  rule("climate", "allowed", "set_fan_mode set_preset_mode set_humidity", {
    fan_mode: word,
    preset_mode: word,
    humidity: number,
  }),
  rule("media_player", "allowed", ON_OFF),
  rule("media_player", "allowed", PLAY),
  rule("media_player", "allowed", "volume_set volume_mute", { volume_level: number, is_volume_muted: bool }),
  rule("vacuum", "allowed", "start pause stop return_to_base locate"),
  { ...rule("cover", "allowed", `${COVER_OPENS} ${COVER_OTHER}`, POSITION), classes: SHADES },
  rule("cover", "confirm", COVER_OTHER),
  rule("cover", "opt_in", COVER_OPENS, POSITION),
  rule("lock", "confirm", "lock"),
  rule("lock", "opt_in", "unlock open"),
  rule("valve", "confirm", "close_valve stop_valve"),
  rule("valve", "opt_in", "open_valve toggle set_valve_position", POSITION),
  rule("alarm_control_panel", "confirm", ARM),
  rule("alarm_control_panel", "opt_in", "alarm_disarm alarm_trigger"),
  rule("camera", "confirm", CAMERA),
  rule("siren", "confirm", ON_OFF),
  rule("water_heater", "confirm", ON_OFF),
  rule("water_heater", "confirm", "set_temperature set_operation_mode", {
    temperature: number,
    operation_mode: word,
  }),
  rule("lawn_mower", "confirm", "start_mowing pause dock"),
  // what they set off is never in their name: these are opaque, so a yes is needed all the same
  rule("button", "allowed", "press"),
  rule("input_button", "allowed", "press"),
  rule("scene", "allowed", "turn_on", { transition: number }),
  rule("script", "allowed", ON_OFF),
  rule("input_boolean", "allowed", ON_OFF),
  rule("number", "allowed", "set_value", { value: number }),
  rule("input_number", "allowed", "set_value", { value: number }),
  rule("select", "allowed", "select_option", { option: word }),
  rule("input_select", "allowed", "select_option", { option: word }),
  rule("input_text", "allowed", "set_value", { value: word }),
  rule("timer", "allowed", "start pause cancel finish", { duration: word }),
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
export const PLAIN_DOMAINS: ReadonlySet<string> = new Set(
  words(`
    light switch fan humidifier climate media_player vacuum cover lock valve alarm_control_panel camera siren
    water_heater lawn_mower
  `),
);

/**
 * Integrations whose entities are one device each, as the registry names them [home-assistant.io/integrations, category
 * "hub" or "device"]. A choice of common ones; what is not here is opaque: template, group, mqtt, switch_as_x and all that
 * a home's own programs make. `demo` has simulated devices.
 */
export const DEVICE_PLATFORMS: ReadonlySet<string> = new Set(
  words(`
    august aqara bond bosch_shc broadlink daikin deconz demo dyson ecobee elgato enphase_envoy fritz fritzbox
    govee_light_local homekit_controller homematicip_cloud homewizard honeywell hue hunterdouglas_powerview
    insteon ipp isy994 keba kef kitchen_sink lg_thinq lifx litterrobot lutron lutron_caseta matter meross mill miele
    motion_blinds nanoleaf nest netatmo nuki overkiz philips_js rachio rainbird reolink ring roborock roomba
    samsungtv schlage sensibo shelly sonos somfy switchbot switcher_kis tado tasmota tessie tplink tradfri
    twinkly unifi velbus velux wemo wiz wled yale yeelight zha zwave_js
  `),
);

/** Domains that no table allows, and why; for the answer to the agent. */
export const NEVER: Readonly<Record<string, string>> = {
  homeassistant: "its services reach everything",
  hassio: "it runs the machine",
  group: "it changes what a name means",
  scene: "only scene.turn_on of a listed scene is possible",
  script: "only script.turn_on, turn_off and toggle of a listed script are possible",
  automation: "it sets off or switches off what others rely on",
};
