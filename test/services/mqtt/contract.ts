import type { FamilyContract } from "../contract.js";

export const contract: FamilyContract = {
  toolset: "mqtt",
  config: "mqtt: {}",
  tools: {
    receive_mqtt_command: {
      parameters: "command plant? ml?",
      result: "text",
      role: "human",
      scopesOnly: true,
      valid: { command: "dose", plant: "basil", ml: 20 },
      calls: [],
    },
  },
};
