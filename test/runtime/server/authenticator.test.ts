import type { IncomingMessage } from "node:http";
import t from "tap";
import { checkOrigin, isLoopback } from "../../../runtime/server/authenticator.js";

const arriving = (localAddress: string, host?: string, origin?: string) =>
  ({ headers: { host, origin }, socket: { localAddress } }) as unknown as IncomingMessage;

t.test("requests for this machine's own names pass, with or without an Origin", async (t) => {
  for (const host of [
    "localhost:8731",
    "127.0.0.1:8731",
    "[::1]:8731",
    "LOCALHOST",
    "garden.local:80",
    "192.168.1.5:8731",
  ]) {
    t.doesNotThrow(() => checkOrigin(arriving("192.168.1.5", host), ["Garden.local"]), host);
    t.doesNotThrow(
      () => checkOrigin(arriving("::ffff:192.168.1.5", host, `http://${host}`), ["garden.local"]),
      host,
    );
  }
  t.doesNotThrow(() => checkOrigin(arriving("fe80::1", "[fe80::1]:8731"), ["fd00::2"]));
  t.doesNotThrow(() => checkOrigin(arriving("fe80::1", "[fd00::2]"), ["fd00::2"]));
});

t.test("a foreign Host or Origin is refused by name", async (t) => {
  const refused = { code: "ORIGIN_REFUSED" };
  for (const host of [
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "192.168.1.6:8731",
    "a b",
    "127.0.0.1@evil",
  ]) {
    t.throws(() => checkOrigin(arriving("192.168.1.5", host), []), refused, `Host ${host}`);
  }
  for (const origin of [
    "null",
    "https://evil.example",
    "http://localhost.evil.example",
    "garbage",
    "file://",
  ]) {
    t.throws(() => checkOrigin(arriving("127.0.0.1", "127.0.0.1", origin), []), refused, `Origin ${origin}`);
  }
  t.throws(() => checkOrigin(arriving("127.0.0.1", "evil.example"), []), {
    message: /Host "evil.example".*allowed_hosts/,
  });
});

t.test("only this machine's own addresses are loopback", async (t) => {
  for (const own of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]) t.ok(isLoopback(own), own);
  const others = [
    undefined,
    "",
    "192.168.1.5",
    "10.127.0.1",
    "::ffff:192.168.1.5",
    "fe80::1",
    "::",
    "127.evil.example",
  ];
  for (const other of others) t.notOk(isLoopback(other), String(other));
});
