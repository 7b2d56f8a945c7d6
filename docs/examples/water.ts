// Waters one plant: measure, write a plan, pour 15 ml. Usage: node water.ts ws://127.0.0.1:8731/mcp TOKEN_FILE
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";

const [url = "", tokenFile = ""] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}` };
const socket = new WebSocket(url, "mcp", { headers });
await once(socket, "open");

async function call(name: string, args = {}) {
  socket.send(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  );
  const [message] = await once(socket, "message");
  const { result, error } = JSON.parse(String(message));
  if (error || result.isError)
    throw new Error(`${name} was refused: ${JSON.stringify(error ?? result.content)}`);
  return result.structuredContent;
}

const { timestamp } = await call("get_current_time");
const { value: sensor_reading } = await call("read_moisture");
const { used_ml: water_24h } = await call("get_water_usage_24h");
const { light_today } = await call("get_light_status");
const plan = [{ order: 1, action: "water", value: 15 }];
const words = { plant_state: "healthy", next_action_sequence: plan, reasoning: "a little water" };
const status = { timestamp, sensor_reading, water_24h, light_today, ...words };
const { proceed, reason } = await call("write_plant_status", status);
console.log(proceed ? await call("dispense_water", { ml: 15 }) : reason);
await call("release_care");
socket.close();
