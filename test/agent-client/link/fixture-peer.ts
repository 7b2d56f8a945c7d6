import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Test } from "tap";

export interface Keys {
  readonly key: string;
  readonly cert: string;
}

/** Somebody who answers with TLS and keeps every byte that was meant for the runtime. */
export async function peer(t: Test, keys: Keys, answer = "") {
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(keys, (socket: TLSSocket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard.push(data);
      if (answer) socket.end(answer);
    });
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `wss://127.0.0.1:${port}/mcp`,
    port,
    connections: () => sockets.size,
    /** Once every connection is over. */
    heard: async () => {
      await Promise.all([...sockets].map((socket) => socket.closed || once(socket, "close")));
      return Buffer.concat(heard).toString();
    },
  };
}
