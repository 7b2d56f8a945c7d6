import { messagesIn, says } from "./fake-ollama.js";
import type { Answering, Json } from "./fake-server.js";

/** The replies of a model that waters 20 ml, as a fake Ollama gives them, one after the other. */

const LOOKS = ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"];

/** What the model was told when it called a tool, as it reads it in the conversation. */
export function told(body: Json, tool: string): Json {
  const answer = messagesIn(body).findLast(({ tool_name }) => tool_name === tool);
  return JSON.parse(String(answer?.content)) as Json;
}

export const looks = says({ calls: LOOKS.map((name) => ({ name, arguments: {} })) });

/** Reports the figures it was told, nothing else. */
export const decides: Answering = (body, headers) => {
  const status = {
    timestamp: told(body, "get_current_time").timestamp,
    sensor_reading: told(body, "read_moisture").value,
    water_24h: told(body, "get_water_usage_24h").used_ml,
    light_today: told(body, "get_light_status").light_today,
    plant_state: "healthy",
    next_action_sequence: [{ order: 1, action: "water", value: 20 }],
    reasoning: "A little dry.",
  };
  return says({ calls: [{ name: "write_plant_status", arguments: status }] })(body, headers);
};

export const waters = says({ calls: [{ name: "dispense_water", arguments: { ml: 20 } }] });
