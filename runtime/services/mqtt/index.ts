import { jobs } from "../bridge/jobs.js";
import { defineModule } from "../module.js";
import { mqttConfig } from "./declarations.js";
import { mqtt } from "./mqtt.js";
import { receiveMqttCommand } from "./tools.js";

/** The plants as a device of Home Assistant, on an MQTT broker. It is on if the configuration has `mqtt:`. */
export const mqttModule = defineModule({
  name: "mqtt",
  canBeOff: true,
  config: mqttConfig,
  isNeeded: ({ mqtt }) => mqtt !== null,
  needsBridge: () => true,
  toolset: "mqtt",
  parts: [mqtt],
  tools: [receiveMqttCommand],
  start: (house) => {
    const { publisher } = house.get(mqtt);
    house.onClose(house.get(jobs).watch(() => publisher.sayAgain()));
    publisher.start();
  },
});
