import dnsPacket from "dns-packet";
import fc from "fast-check";
import t from "tap";
import { tableOf } from "../../../agent-client/discovery/command.js";
import { FoundRuntimes, urlsOf } from "../../../agent-client/discovery/look.js";
import { readMessage, writeResponse } from "../../../runtime/wire/dns-message.js";
import { goodbyeTo, recordsOf } from "../../../runtime/wire/mdns-record.js";

const ANNOUNCED = { port: 8731, path: "/mcp", tls: false, target: "tendril-aaaaaaaa.local" };
const isNear = (address: string) => address.startsWith("192.168.1.") || address.startsWith("fd12:");

const message = (name = "Tendril on balcony", changes = {}, addresses = ["192.168.1.20"]) =>
  writeResponse({ answers: recordsOf(name, { ...ANNOUNCED, ...changes }, addresses) });

function foundIn(...messages: readonly Buffer[]) {
  const findings = new FoundRuntimes();
  for (const bytes of messages) findings.add(bytes, isNear);
  return findings.list();
}

t.test("what a runtime announces is what an agent finds", async (t) => {
  const [found] = foundIn(message("Tendril on balcony", {}, ["fd12::20", "192.168.1.20"]));
  t.match(found, {
    name: "Tendril on balcony",
    host: ANNOUNCED.target,
    port: 8731,
    path: "/mcp",
    tls: false,
  });
  t.same(found && urlsOf(found), ["ws://192.168.1.20:8731/mcp", "ws://[fd12::20]:8731/mcp"]);
  const [secure] = foundIn(message("Tendril on balcony", { tls: true, port: 8732 }));
  t.same(secure && urlsOf(secure), ["wss://192.168.1.20:8732/mcp"]);
});

t.test("told twice it is one, and who uses its name is one more", async (t) => {
  const thief = message("Tendril on balcony", { target: "thief.local" }, ["192.168.1.66"]);
  const addresses = foundIn(message(), message(), thief).map((found) => found.addresses[0]);
  t.same(addresses, ["192.168.1.20", "192.168.1.66"]);
});

t.test("a goodbye, a port below 1024, another layout or another path is no runtime", async (t) => {
  const answers = goodbyeTo(recordsOf("Tendril on balcony", ANNOUNCED, ["192.168.1.20"]));
  t.same(foundIn(writeResponse({ answers })), []);
  for (const changes of [{ port: 22 }, { port: 0 }, { path: "http://evil/" }, { path: "/a\r\nHost: b" }])
    t.same(foundIn(message("Tendril on balcony", changes)), [], JSON.stringify(changes));
  const later = message().toString("latin1").replace("txtvers=1", "txtvers=2");
  t.same(foundIn(Buffer.from(later, "latin1")), []);
});

t.test(
  "only addresses of the network it was heard on count: not loopback, not a server far away",
  async (t) => {
    for (const far of ["127.0.0.1", "8.8.8.8", "169.254.169.254", "192.168.2.20", "::1", "2001:db8::1"])
      t.same(foundIn(message("Tendril on balcony", {}, [far])), [], far);
    t.match(foundIn(message("x", {}, ["127.0.0.1", "192.168.1.20"])), [{ addresses: ["192.168.1.20"] }]);
  },
);

t.test("a hostile name cannot steer the terminal, nor read as another line", async (t) => {
  const names = ["\u001b[2J\u0007evil\u009b31m", "a\nTendril on b   ws://x", "\u202egnp\u2066", "x\u2028y"];
  const all = foundIn(...names.map((name) => message(name)));
  t.equal(all.length, names.length);
  for (const text of [tableOf(all), JSON.stringify(all)])
    t.notMatch(text, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  t.equal(tableOf(all).split("\n").length, names.length + 1);
});

t.test("of a flood of runtimes and addresses only so many are kept", async (t) => {
  const many = Array.from({ length: 500 }, (_, number) => message(`Tendril on ${number}`));
  t.equal(foundIn(...many).length, 64);
  const addresses = Array.from({ length: 60 }, (_, number) => `192.168.1.${number}`);
  t.equal(foundIn(message("x", {}, addresses))[0]?.addresses.length, 4);
});

t.test("no message makes who reads it throw", async (t) => {
  const real = message();
  const spoiled = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 16 }).map((changes) => {
    const bytes = Buffer.from(real);
    for (const [at, value] of changes) bytes[at % bytes.length] = value;
    return bytes;
  });
  let seen = 0;
  const any = fc.uint8Array({ maxLength: 9200 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(spoiled, any), (bytes) => {
      readMessage(bytes);
      foundIn(bytes);
      seen += 1;
    }),
    { numRuns: 3000, seed: 6762 },
  );
  t.equal(seen, 3000);
});

t.test(
  "names that point at themselves, counts that lie and records that end too soon are no message",
  async (t) => {
    const header = (answers: number) => {
      const bytes = Buffer.alloc(12);
      bytes.writeUInt16BE(0x8400, 2);
      bytes.writeUInt16BE(answers, 6);
      return bytes;
    };
    const loop = Buffer.concat([header(1), Buffer.from([0xc0, 12, 0, 33, 0, 1, 0, 0, 0, 9, 0, 0])]);
    const lie = header(65_535);
    const short = message().subarray(0, -3);
    const long = Buffer.concat([message(), Buffer.alloc(9000)]);
    for (const bytes of [loop, lie, short, long, Buffer.alloc(0), header(0).subarray(0, 11)])
      t.same([foundIn(bytes), readMessage(bytes)], [[], undefined], `${bytes.length} bytes`);
    t.equal(dnsPacket.name.encode("a.local").length, 9, "the package is the one that was read");
  },
);
