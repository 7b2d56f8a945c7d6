import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** What comes before the id of a JSON-RPC message, as the benchmark's client writes it. */
const BEFORE_ID = '{"jsonrpc":"2.0","id":'.length;

/**
 * The least that a WebSocket server can do: the first text of a connection is what follows the id in each answer, and each
 * later one is answered so. Requests and answers are as long as ours.
 */
const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
server.on("connection", (socket) => {
  let answer: string | undefined;
  socket.on("message", (data) => {
    const text = String(data);
    if (answer === undefined) answer = text;
    else socket.send(text.slice(0, text.indexOf(",", BEFORE_ID)) + answer);
  });
});
server.on("listening", () => {
  process.stdout.write(`listening on ws://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
