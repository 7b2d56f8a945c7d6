import { defineAdapter, notConfigured } from "../adapter.js";
import { mqttConfig } from "./broker.js";
import { MqttHouse } from "./house.js";

const NAME = "mqtt";

/** Tendril as a device of Home Assistant: `mqtt:` in bridge.yaml has the broker. */
export const mqttAdapter = defineAdapter({
  name: NAME,
  key: NAME,
  config: mqttConfig.optional(),
  secrets: (config) => [config?.user, config?.password].filter((each) => each !== undefined),
  open: (config, context) => {
    if (!config) return { show: notConfigured("`mqtt:`"), photo: notConfigured("`mqtt:`") };
    const house = new MqttHouse(config, context);
    house.open().catch((error: unknown) => context.say(`mqtt: ${String(error)}`));
    return { show: house.show, photo: house.photo };
  },
});
