import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A port that nobody else speaks multicast DNS on: so no test hears another, and none leaves this computer. */
export async function freeMdnsPort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}
