import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { runtimeApi } from "../../../runtime/core.js";
import { Authenticator } from "../../../runtime/server/authenticator.js";
import { Exchanges, Heartbeat, PlainSockets } from "../../../runtime/server/connections.js";
import { HttpRoutes } from "../../../runtime/server/http-server.js";
import { DEFAULT_LIMITS } from "../../../runtime/server/limits.js";
import { McpOverHttp } from "../../../runtime/server/mcp-transports.js";
import { Sessions } from "../../../runtime/server/sessions.js";
import { TokenUses } from "../../../runtime/server/token-files.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import { Arrivals, Pace, Turns } from "../../../runtime/server/turns.js";
import { rigFor } from "../../rig.js";
import { FixtureHost } from "./fixture-host.js";

/** POST /off as if it had come from `remoteAddress`: tests talk over loopback alone, so the socket is told. */
async function offFrom(t: Test, remoteAddress: string, localAddress = "127.0.0.1") {
  const [clock, log, host] = [new SimulatedClock(), () => undefined, new FixtureHost()];
  const heartbeat = new Heartbeat(clock, DEFAULT_LIMITS.heartbeat, log);
  const pace = new Pace();
  const turns = new Turns(DEFAULT_LIMITS.maxInFlight, pace);
  const own = { arrivals: new Arrivals(pace), turns, sockets: new PlainSockets(1), limits: DEFAULT_LIMITS };
  const exchanges = new Exchanges(DEFAULT_LIMITS.maxConnections);
  const parts = { host, clock, log, heartbeat, exchanges, ...own };
  const tokens = await TokenStore.open(`${t.testdir()}/tokens`, clock, log);
  const uses = await TokenUses.open(tokens, clock, log);
  const authenticator = new Authenticator(tokens, uses, await Sessions.open(tokens, uses, clock, log), []);
  const addresses = { remoteAddress: { value: remoteAddress }, localAddress: { value: localAddress } };
  const socket = Object.defineProperties(new Socket(), addresses);
  const request = Object.assign(new IncomingMessage(socket), { method: "POST", url: "/off" });
  const response = new ServerResponse(request);
  await new HttpRoutes(parts, authenticator, [new McpOverHttp(parts).route()]).answer(request, response);
  return { status: response.statusCode, offs: host.offs };
}

t.test("this machine may switch everything off", async (t) => {
  for (const own of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    t.match(await offFrom(t, own), { status: 200, offs: [String] }, own);
  }
});

t.test(
  "POST /off without a token switches off and never holds: a web page could otherwise starve plants",
  async (t) => {
    const rig = await rigFor(t);
    await runtimeApi(rig.core).switchEverythingOff("POST /off on this machine");
    t.match(await rig.get("get_overview"), { plants: [{ hold: null }] });
  },
);

t.test("so it may where the runtime listens on the machine's address in the network alone", async (t) => {
  for (const own of ["192.168.1.5", "fd00::2", "::ffff:192.168.1.5"])
    t.match(await offFrom(t, own, own), { status: 200, offs: [String] }, own);
});

t.test("another machine may not", async (t) => {
  for (const other of ["192.168.1.9", "fe80::1", "::ffff:10.0.0.1"])
    for (const own of ["127.0.0.1", "192.168.1.5"])
      t.same(await offFrom(t, other, own), { status: 403, offs: [] }, other);
});
