import { ENTITY_DOMAINS, type StatesAnswer } from "../../wire/home.js";
import type { EntityState } from "../../wire/home-tools.js";

/**
 * Which words of Home Assistant are no free text. States that are one of a fixed set, numbers and times tell an agent
 * nothing but themselves; all other text may be anybody's, and taints the turn that reads it.
 */

/** What results name as the source of such words. */
export const SOURCE = "home assistant";

/** States and values that Home Assistant's own components define [developers.home-assistant.io/docs/core/entity]. */
const ENUMERATED: ReadonlySet<string> = new Set(
  [
    "on off true false none unknown unavailable open closed opening closing stopped home not_home idle",
    "locked unlocked locking unlocking jammed playing paused standby buffering cleaning docked returning error",
    "heat cool auto heat_cool dry fan_only heating cooling drying fan preheating defrosting eco electric",
    "performance high_demand heat_pump gas disarmed armed_home armed_away armed_night armed_vacation",
    "armed_custom_bypass arming disarming pending triggered mowing active above_horizon below_horizon",
    "recording streaming single double hold forward reverse low medium high",
    "onoff brightness color_temp hs xy rgb rgbw rgbww white measurement total total_increasing",
  ].flatMap((line) => line.split(" ")),
);

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?(e-?\d{1,3})?$/i;
const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Of a state, and of a text in an attribute. */
export const isFreeText = (text: string): boolean =>
  !ENUMERATED.has(text.toLowerCase()) && !NUMBER.test(text) && !TIME.test(text);

/** Attributes whose values are short words of Home Assistant's own or of the device's maker. */
const SHORT_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["unit_of_measurement", /^[\p{L}\d%°/³²µ·]{1,10}$/u],
  ["device_class", /^[a-z0-9_]{1,24}$/],
  ["state_class", /^[a-z0-9_]{1,24}$/],
  ["icon", /^mdi:[a-z0-9-]{1,40}$/],
]);

/**
 * Names of attributes in Home Assistant's own components, and of what Zigbee and Z-Wave devices report. Any other name may be somebody's
 * free text: an entity of MQTT takes its attributes, names included, from whoever may write to its topic.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  `assumed_state attribution auto_update available away_mode battery battery_level battery_state brightness brightness_pct calibration
  changed_by code_arm_required code_format color_mode color_temp color_temp_kelvin consumption cost current current_activity
  current_cover_position current_direction current_humidity current_position current_temperature current_tilt_position
  current_valve_position device_class dew_point direction duration editable effect effect_list elevation energy entity_id event_type
  event_types fan_mode fan_modes fan_speed fan_speed_list finishes_at finish_time friendly_name gps_accuracy has_date has_time hs_color
  humidifier_action hvac_action hvac_mode hvac_modes icon id illuminance illuminance_lux in_progress initial installed_version
  is_volume_muted last_changed last_reset last_seen last_triggered latest_version latitude lightest linkquality longitude max
  max_color_temp_kelvin max_humidity max_mireds max_temp maximum media_duration media_position media_position_updated_at min
  min_color_temp_kelvin min_humidity min_mireds min_temp minimum mode next_dawn next_dusk next_midnight next_noon next_rising next_setting
  node_id occupancy off_brightness open operation_list operation_mode options oscillating oscillation percentage percentage_step
  position power power_factor preset_mode preset_modes pressure pressure_unit precipitation_unit raw remaining repeat restored rgb_color
  rgbw_color rgbww_color rising schedule sensor_state shuffle sound_mode sound_mode_list source_list speed state_class step
  suggested_display_precision supported_color_modes supported_features swing_mode swing_modes tamper target_humidity target_temp_high
  target_temp_low target_temp_step target_temperature temperature temperature_unit tilt_position timestamp today_energy_kwh total_energy_kwh
  unit_of_measurement update_available uv_index visibility visibility_unit voltage volume_level volume_step white_value wind_bearing
  wind_gust_speed wind_speed wind_speed_unit x xy_color y year month day hour minute second h s r g b w c azimuth`.split(
    /\s+/,
  ),
);

/** The form of an id of Home Assistant's own, such as an area's. A choice: those are shorter. */
const KEY = /^[a-z][a-z0-9_]{0,31}$/;

/** Whether it is a short id of Home Assistant's own form, such as an area's: no free text. */
export const isShortId = (id: string): boolean => KEY.test(id);

/** A unit or a device class as Home Assistant and makers have them; undefined for any other text. */
export const shortWord = (key: "unit_of_measurement" | "device_class", value: unknown): string | undefined =>
  typeof value === "string" && SHORT_WORDS.get(key)?.test(value) === true ? value : undefined;

export function hasFreeText(key: string, value: unknown): boolean {
  if (!ATTRIBUTES.has(key)) return true;
  if (typeof value === "string") return isFreeText(value) && SHORT_WORDS.get(key)?.test(value) !== true;
  if (Array.isArray(value)) return value.some((each) => hasFreeText(key, each));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).some(([inner, each]) => hasFreeText(inner, each));
  return false;
}

type State = StatesAnswer["states"][number];

/** Entity ids within a text: what has another domain is a version or a file name. */
const IDS = new RegExp(`\\b(?:${ENTITY_DOMAINS.join("|")})\\.[a-z0-9_]+\\b`, "g");

/** What stands in place of an entity that the owner did not list. */
const HIDDEN = "(not listed)";

/** What an agent is shown of an entity: nothing in it names an entity that is not listed. */
export function shownState(
  { friendly_name, ...state }: State,
  { name, isListed }: { readonly name: string | undefined; isListed(id: string): boolean },
): EntityState {
  const { friendly_name: _, ...attributes } = state.attributes;
  const masked = mask(attributes, isListed) as EntityState["attributes"];
  return {
    ...state,
    state: maskText(state.state, isListed),
    attributes: { friendly_name: name ?? friendly_name, ...masked },
  };
}

/** Whether it has words that the owner did not see when listing it. */
export function hasStrangersWords({ state, attributes }: EntityState, isNameKnown: boolean): boolean {
  const { friendly_name: _, ...others } = attributes;
  const isStrange = Object.entries(others).some(([key, value]) => hasFreeText(key, value));
  return isStrange || !isNameKnown || isFreeText(state);
}

type IsListed = (id: string) => boolean;

function mask(value: unknown, isListed: IsListed): unknown {
  if (typeof value === "string") return maskText(value, isListed);
  if (Array.isArray(value))
    return value.map((each) => mask(each, isListed)).filter((each) => each !== HIDDEN);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [maskText(key, isListed), mask(each, isListed)]),
  );
}

/** The text without the ids of entities that are not listed. */
export const maskText = (text: string, isListed: IsListed): string =>
  text.replaceAll(IDS, (id) => (isListed(id) ? id : HIDDEN));
