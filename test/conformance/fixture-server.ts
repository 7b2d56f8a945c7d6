import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { lineLog } from "../../runtime/log.js";
import { startServer } from "../../runtime/server/server.js";
import { TokenStore } from "../../runtime/server/tokens.js";
import { tokenOf } from "../runtime/server/fixture-host.js";
import { ConformanceHost } from "./fixture-host.js";

/**
 * Tendril's own server with the conformance suite's tools. The suite brings no token, so a door in front adds
 * one; Host, Origin and all else pass as they came, for our server to judge. Usage: fixture-server.js FOLDER
 */
const [folder = "."] = process.argv.slice(2);
const clock = new SystemClock();
const log = lineLog(clock, process.stderr, false);
const tokens = await TokenStore.open(join(folder, "tokens"), clock, log);
const server = await startServer({ host: new ConformanceHost(), tokens, clock, listen: { port: 0 }, log });
const authorization = `Bearer ${await tokenOf(folder, "agent")}`;

const door = createServer((incoming, outgoing) => {
  const { method = "GET", url = "/" } = incoming;
  const headers = { ...incoming.headers, authorization };
  const onward = send({ host: "127.0.0.1", port: server.port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
});
door.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://localhost:${(door.address() as AddressInfo).port}/mcp\n`);
});
