import { z } from "zod";
import type { MqttShow, ShownPlant } from "../../wire/mqtt.js";
import { severity } from "../../wire/notifications.js";
import { DOSE_ML } from "../../wire/plants.js";
import { VERSION } from "../../wire/program.js";
import type { MqttConfig } from "./broker.js";

/** What somebody on the broker has asked for, and for which plant, if for one. */
export interface Command {
  readonly what: string;
  readonly plant: string | undefined;
}

/** Where everything is on the broker. All topics of a house begin with its name. */
export class Topics {
  /** "online" or "offline", retained: also the last will. */
  readonly available: string;
  /** What concerns the whole house. */
  readonly house: string;
  readonly message: string;
  /** Home Assistant's discovery message of the device [home-assistant.io/integrations/mqtt, "Device discovery payload"]. */
  readonly discovery: string;
  /** Home Assistant says here that it has begun [the same page, "Birth and last will messages"]. */
  readonly birth: string;

  /** The house's. */
  readonly name: string;

  constructor({ name, discovery }: Pick<MqttConfig, "name" | "discovery">) {
    this.name = name;
    this.available = `${name}/status`;
    this.house = `${name}/house`;
    this.message = `${name}/message`;
    this.discovery = `${discovery}/device/${name}/config`;
    this.birth = `${discovery}/status`;
  }

  /** "state": one JSON object of all that is to see of the plant. */
  plant(plant: string, what: "state" | "dose" | "dose_ml" | "photo"): string {
    return `${this.name}/plant/${plant}/${what}`;
  }

  /** Where commands come in. `plant` for those about one. */
  command(what: string, plant?: string): string {
    return `${plant === undefined ? this.house : `${this.name}/plant/${plant}`}/set/${what}`;
  }

  /** Every command of the house and of its plants. */
  get commands(): string[] {
    return [this.command("+"), this.command("+", "+")];
  }

  /** What command a topic is; undefined for none. */
  read(topic: string): Command | undefined {
    const [, plant, what] =
      new RegExp(`^${this.name}/(?:house|plant/([a-z0-9_-]+))/set/([a-z_]+)$`).exec(topic) ?? [];
    return what === undefined ? undefined : { what, plant };
  }
}

/** Seconds after which Home Assistant takes a state for unknown. A choice: three of the states of each minute are missing. */
export const EXPIRES_S = 180;

type Component = Readonly<Record<string, unknown>>;
type Components = Readonly<Record<string, Component>>;

/**
 * The house as one device of Home Assistant, with a component for each thing to see or to press
 * [home-assistant.io/integrations/mqtt, "Device discovery payload"]. Home Assistant removes a component that is named with its
 * platform alone: `gone` are keys of these.
 */
export function deviceMessage(show: MqttShow, topics: Topics, gone: readonly string[] = []): object {
  const components = Object.entries(componentsOf(show, topics)).map(
    ([key, component]) => [key, { unique_id: `${topics.name}_${key}`, ...component }] as const,
  );
  const removed = gone.map((key) => [key, { platform: platformOf(key) }] as const);
  return {
    device: {
      identifiers: [`tendril_${topics.name}`],
      name: "Tendril",
      manufacturer: "Tendril",
      sw_version: VERSION,
    },
    origin: { name: "tendril", sw_version: VERSION },
    availability: [{ topic: topics.available }],
    components: Object.fromEntries([...components, ...removed]),
  };
}

/** The components of an earlier message that are not in this one; of a message that is not ours, none. */
export function goneFrom(earlier: unknown, show: MqttShow, topics: Topics): readonly string[] {
  const now = componentsOf(show, topics);
  const { success, data } = discovered.safeParse(earlier);
  if (!success) return [];
  // one that was removed has its platform and nothing else
  return Object.entries(data.components).flatMap(([key, { unique_id }]) =>
    unique_id === undefined || key in now ? [] : [key],
  );
}

const discovered = z.object({
  components: z.record(
    z.string().regex(/^[a-z0-9_-]{1,64}$/),
    z.object({ unique_id: z.string().optional() }),
  ),
});

const componentsOf = (show: MqttShow, topics: Topics): Components =>
  Object.assign(
    {},
    houseComponents(show, topics),
    ...show.plants.map((each) => plantComponents(each, show, topics)),
  );

/** "ON" or "OFF", and unknown for null. */
const asSwitch = (value: string): string =>
  `{{ {true: 'ON', false: 'OFF'}.get(value_json.${value}, 'None') }}`;

/** `icon`: one of Material Design. */
const component = (platform: string, name: string, icon: string, more: Component): Component => ({
  platform,
  name,
  icon: `mdi:${icon}`,
  ...more,
});

function houseComponents({ may }: Pick<MqttShow, "may">, topics: Topics): Components {
  const button = (what: string, name: string, icon: string) =>
    component("button", name, icon, { command_topic: topics.command(what) });
  return {
    sensor_approvals: component("sensor", "Waits for your yes", "help-circle-outline", {
      state_topic: topics.house,
      value_template: "{{ value_json.approvals }}",
      expire_after: EXPIRES_S,
    }),
    event_message: component("event", "Message", "message-alert-outline", {
      event_types: [...severity.options],
      state_topic: topics.message,
    }),
    button_off: button("off", "Everything off", "power-off"),
    ...(may.includes("hold") && { button_hold: button("hold", "Put on hold", "hand-back-right") }),
    ...(may.includes("pause") && {
      switch_paused: component("switch", "Agents paused", "pause-circle-outline", {
        state_topic: topics.house,
        value_template: asSwitch("paused"),
        command_topic: topics.command("paused"),
      }),
    }),
  };
}

function plantComponents(
  { plant, name, ...shown }: ShownPlant,
  { may, photos }: Pick<MqttShow, "may" | "photos">,
  topics: Topics,
): Components {
  const all: Record<string, Component | false> = {
    sensor_moisture: measured("Moisture", "moisture", { device_class: "moisture", unit_of_measurement: "%" }),
    sensor_budget_left: shown.budget_left_ml !== null && volume("Water left of 24 h", "budget_left_ml"),
    sensor_used: shown.used_24h_ml !== null && volume("Water in 24 h", "used_24h_ml"),
    sensor_doses: shown.doses_24h !== null && measured("Doses in 24 h", "doses_24h", { icon: "mdi:water" }),
    binary_sensor_light:
      shown.light !== null &&
      component("binary_sensor", "Grow light", "lightbulb", {
        expire_after: EXPIRES_S,
        value_template: "{{ {'on': 'ON', 'off': 'OFF'}.get(value_json.light, 'None') }}",
      }),
    binary_sensor_held: component("binary_sensor", "On hold", "hand-back-right", {
      expire_after: EXPIRES_S,
      value_template: asSwitch("held"),
    }),
    binary_sensor_problem: {
      platform: "binary_sensor",
      name: "Problem",
      device_class: "problem",
      expire_after: EXPIRES_S,
      value_template: "{{ 'OFF' if value_json.problem is none else 'ON' }}",
      json_attributes_topic: topics.plant(plant, "state"),
      json_attributes_template: "{{ {'problem': value_json.problem} | tojson }}",
    },
    event_dose:
      shown.budget_left_ml !== null &&
      component("event", "Dose", "watering-can", {
        state_topic: topics.plant(plant, "dose"),
        event_types: ["poured", "stopped", "uncertain", "refused", "declined"],
      }),
    ...(may.includes("dose") && shown.budget_left_ml !== null && doseRequest(plant, topics)),
    image_photo: photos &&
      shown.camera && {
        platform: "image",
        name: "Last photo",
        content_type: "image/jpeg",
        image_topic: topics.plant(plant, "photo"),
      },
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, component]) =>
      component === false
        ? []
        : [[`${key}_${plant}`, { ...stateOf(component, plant, topics), name: `${name} ${component.name}` }]],
    ),
  );
}

/** Every component that reads a value reads it from the plant's state, if it names no other topic. */
const stateOf = (component: Component, plant: string, topics: Topics): Component =>
  "value_template" in component && !("state_topic" in component)
    ? { ...component, state_topic: topics.plant(plant, "state") }
    : component;

const measured = (name: string, value: string, more: Component): Component => ({
  platform: "sensor",
  name,
  state_class: "measurement",
  expire_after: EXPIRES_S,
  value_template: `{{ value_json.${value} }}`,
  ...more,
});

const volume = (name: string, value: string): Component =>
  measured(name, value, { device_class: "volume_storage", unit_of_measurement: "mL" });

const doseRequest = (plant: string, topics: Topics): Components => ({
  number_dose_ml: component("number", "Dose to ask for", "cup-water", {
    mode: "box",
    min: DOSE_ML.least,
    max: DOSE_ML.most,
    step: 1,
    unit_of_measurement: "mL",
    state_topic: topics.plant(plant, "dose_ml"),
    command_topic: topics.command("dose_ml", plant),
  }),
  button_dose: component("button", "Ask for a dose", "watering-can-outline", {
    command_topic: topics.command("dose", plant),
  }),
});

/** The keys of components begin with their platform. */
const PLATFORMS = ["binary_sensor", "sensor", "event", "button", "switch", "number", "image"] as const;

const platformOf = (key: string): string =>
  PLATFORMS.find((platform) => key.startsWith(`${platform}_`)) ?? "sensor";
