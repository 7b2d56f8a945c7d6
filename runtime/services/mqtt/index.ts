import { z } from "zod";
import { TendrilError } from "../../errors.js";
import { acts, defineTool, FOR_BRIDGE } from "../../tools/tool.js";
import { mqttCommand, mqttReply } from "../../wire/mqtt.js";
import { DOSE_ML } from "../../wire/plants.js";
import { jobs } from "../bridge/jobs.js";
import { defineModule } from "../module.js";
import { mqttConfig } from "./declarations.js";
import { mqtt } from "./mqtt.js";

const receiveMqttCommand = defineTool({
  name: "receive_mqtt_command",
  service: mqtt,
  description:
    "What somebody on the MQTT broker asks for: a hold or a pause of agents at once; its end or a dose, for which a person is asked.",
  facts: acts("Receive a command"),
  ...FOR_BRIDGE,
  holds: true,
  input: z.strictObject({
    command: mqttCommand,
    plant: z.string().optional().describe("with dose"),
    ml: z.int().min(DOSE_ML.least).max(DOSE_ML.most).optional().describe("with dose"),
  }),
  output: mqttReply,
  run: async ({ command, plant, ml }, { service }) => {
    if (command === "hold") return { text: await service.hold() };
    if (command === "pause") return { text: await service.pause() };
    if (command === "unpause") return { text: await service.askToUnpause() };
    if (plant !== undefined && ml !== undefined) return { text: await service.askForDose(plant, ml) };
    throw new TendrilError("INVALID_ARGUMENT", "receive_mqtt_command: a dose needs `plant` and `ml`");
  },
});

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
