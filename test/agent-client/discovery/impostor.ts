import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import { writeResponse } from "../../../runtime/wire/dns-message.js";
import { recordsOf } from "../../../runtime/wire/mdns-record.js";
import { MDNS } from "../../../runtime/wire/multicast.js";

/** So many times as fast as real time. Four times, a look takes 0.75 s, which a busy machine keeps too. */
export class QuickClock extends SystemClock {
  constructor(private readonly times = 4) {
    super();
  }

  override monotonic() {
    return super.monotonic() * this.times;
  }

  override sleep(duration: number, signal?: AbortSignal) {
    return super.sleep(duration / this.times, signal);
  }
}

/** Somebody on the network who answers in a runtime's name, and takes down what is sent to it. */
export async function impostorOn(t: Test, mdnsPort: number, name: string): Promise<{ asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url, rawHeaders }, response) => {
    asked.push(`${url} ${rawHeaders.join(" ")}`);
    response.end(JSON.stringify({ proof: "0".repeat(64) }));
  });
  server.on("upgrade", ({ url, rawHeaders }, socket) => {
    asked.push(`upgrade ${url} ${rawHeaders.join(" ")}`);
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await announce(t, mdnsPort, name, (server.address() as AddressInfo).port);
  return { asked };
}

/** Answers every question at once, faster than any runtime. */
export async function announce(
  t: Test,
  mdnsPort: number,
  name: string,
  port: number,
  tls = false,
): Promise<void> {
  const announced = { port, path: "/mcp", tls, target: `port-${port}.local` };
  const answer = writeResponse({ answers: recordsOf(name, announced, ["127.0.0.1"]) });
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.bind(mdnsPort);
  await once(socket, "listening");
  socket.addMembership(MDNS.group4, "127.0.0.1");
  socket.setMulticastInterface("127.0.0.1");
  const isQuery = (bytes: Buffer) => (bytes[2] ?? 0x80) < 0x80;
  socket.on("message", (bytes) => {
    if (isQuery(bytes)) socket.send(answer, mdnsPort, MDNS.group4);
  });
  t.teardown(() => socket.close());
}
