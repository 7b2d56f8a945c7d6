import type { Answering, Json } from "./fake-server.js";
import type { Speaker } from "./speaker.js";

const LOOKS = ["get_current_time", "read_moisture", "get_water_usage_24h", "get_light_status"];

/** What the model was told when it called a tool, as it reads it in the conversation. */
export function answerTo(speaker: Speaker, body: Json, tool: string): Json {
  const answer = speaker.hears(body).messages.findLast((message) => message.tool === tool);
  return JSON.parse(String(answer?.text)) as Json;
}

/** The replies of a model that waters 20 ml, as its fake server gives them, one after the other. */
export function wateringBy(speaker: Speaker) {
  const calls = (name: string, args: Json): Answering => speaker.says({ calls: [{ name, arguments: args }] });
  /** Reports the figures it was told, nothing else. */
  const decides: Answering = (body, headers) => {
    const told = (tool: string) => answerTo(speaker, body, tool);
    const status = {
      timestamp: told("get_current_time").timestamp,
      sensor_reading: told("read_moisture").value,
      water_24h: told("get_water_usage_24h").used_ml,
      light_today: told("get_light_status").light_today,
      plant_state: "healthy",
      next_action_sequence: [{ order: 1, action: "water", value: 20 }],
      reasoning: "A little dry.",
    };
    return calls("write_plant_status", status)(body, headers);
  };
  const logs: Answering = (body, headers) => {
    const details = { ml: answerTo(speaker, body, "dispense_water").dispensed };
    return calls("log_action", { type: "water", details })(body, headers);
  };
  return {
    looks: speaker.says({ calls: LOOKS.map((name) => ({ name, arguments: {} })) }),
    decides,
    waters: calls("dispense_water", { ml: 20 }),
    logs,
    ends: speaker.says({ content: "Done." }),
  };
}
