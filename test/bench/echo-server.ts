import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** The least that a WebSocket server can do: every text frame goes back as it came. */
const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
server.on("connection", (socket) => socket.on("message", (data) => socket.send(String(data))));
server.on("listening", () => {
  process.stdout.write(`listening on ws://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
