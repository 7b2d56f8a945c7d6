import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import t from "tap";
import { PlainSockets } from "../../../runtime/server/connections.js";

t.test("a connection that comes while all others call is not closed: it may bring a POST /off", async (t) => {
  const sockets = new PlainSockets(1);
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket.on("error", () => undefined)));
  sockets.bound(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const come = async () => {
    const came = once(server, "connection");
    const client = connect(port, "127.0.0.1").on("error", () => undefined);
    await came;
    return client;
  };
  const clients: Socket[] = [];
  t.teardown(() => {
    for (const each of clients) each.destroy();
    server.close();
  });
  for (let nth = 0; nth < 100; nth += 1) {
    clients.push(await come());
    const newest = accepted.at(-1);
    if (newest) sockets.asks(newest);
    t.equal(newest?.destroyed, false, `connection ${nth}`);
  }
  t.ok(accepted.filter(({ destroyed }) => !destroyed).length < 50, "and there is a limit");
});
