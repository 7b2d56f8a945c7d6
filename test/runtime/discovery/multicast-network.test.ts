import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { seconds } from "../../../drivers/units.js";
import { Announcer } from "../../../runtime/discovery/announcer.js";
import { MulticastNetwork, servedInterfaces } from "../../../runtime/discovery/network.js";
import { type Message, readMessage } from "../../../runtime/wire/dns-message.js";
import { type MulticastSocket, type Place, placeOf } from "../../../runtime/wire/multicast.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { query, WHO } from "./segment.js";

const GROUP = "224.0.0.251";
const own = (address: string) => address === "127.0.0.1";

async function listener(t: Test, port: number): Promise<{ socket: Socket; heard: Message[] }> {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.bind(port);
  await once(socket, "listening");
  socket.addMembership(GROUP, "127.0.0.1");
  socket.setMulticastInterface("127.0.0.1");
  t.teardown(() => socket.close());
  const heard: Message[] = [];
  socket.on("message", (bytes) => heard.push(...[readMessage(bytes)].flatMap((each) => each ?? [])));
  return { socket, heard };
}

async function until(isSo: () => boolean): Promise<void> {
  const clock = new SystemClock();
  while (!isSo()) await clock.sleep(seconds(0.01));
}

t.test(
  "over real sockets, beside another program on that port, it tells, answers and says goodbye",
  async (t) => {
    const port = await freeMdnsPort();
    const { socket, heard } = await listener(t, port);
    const place = placeOf({ TENDRIL_MDNS: `127.0.0.1:${port}` });
    const clock = new SystemClock();
    const network = new MulticastNetwork({ place, isServed: own, clock, log: (_, text) => t.fail(text) });
    const announced = { port: 8731, path: "/mcp", tls: false, target: "tendril-aaaaaaaa.local" };
    const announcer = new Announcer({
      network,
      clock,
      random: () => 0,
      hostName: "pi",
      announced,
      log: () => 0,
    });
    announcer.begin();
    await until(() => heard.some(({ isResponse }) => isResponse));
    socket.send(query({ questions: [{ name: announced.target, type: "A" }] }), port, GROUP);
    const legacy = createSocket("udp4");
    legacy.bind(0, "127.0.0.1");
    t.teardown(() => legacy.close());
    legacy.send(query({ id: 9, ...WHO }), port, "127.0.0.1");
    const [answer] = await once(legacy, "message");
    t.match(readMessage(answer), { id: 9, isResponse: true, additionals: [{ type: "SRV" }] });
    await announcer.stop();
    await until(() => heard.some(({ answers }) => answers.some(({ ttl }) => ttl === 0)));
    await announcer.stop();
  },
);

t.test(
  "an interface whose socket fails is told of once, tried again, and keeps nobody from stopping",
  async (t) => {
    const clock = new SimulatedClock();
    const told: string[] = [];
    // an address that this computer does not have (RFC 5737)
    const gone = { ...info("203.0.113.7"), cidr: "203.0.113.7/24" };
    const place: Place = { port: await freeMdnsPort(), interfaces: () => [["wlan7", [gone]]] };
    const network = new MulticastNetwork({
      place,
      isServed: () => true,
      clock,
      log: (level, text) => told.push(`${level} ${text}`),
    });
    let changes = 0;
    network.open({ heard: () => undefined, changed: () => (changes += 1) });
    for (let looks = 0; looks < 5; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const link of network.links()) link.multicast(Buffer.from("x"));
      await clock.advance(seconds(10));
    }
    t.equal(changes, 6);
    t.same(told.length, 1);
    t.match(told[0], /^warn .*--discover.*wlan7 \(IPv4\): .*(ENODEV|EADDRNOTAVAIL)/);
    await network.close();
    t.same(network.links(), []);
  },
);

t.test(
  "what comes from port 0, where nobody can be answered, is not heard, and cannot stop the runtime",
  async (t) => {
    const place = placeOf({ TENDRIL_MDNS: `127.0.0.1:${await freeMdnsPort()}` });
    const network = new MulticastNetwork({
      place,
      isServed: own,
      clock: new SimulatedClock(),
      log: (_, text) => t.fail(text),
    });
    t.teardown(() => network.close());
    const heard: number[] = [];
    network.open({ heard: (_, __, { port }) => heard.push(port), changed: () => undefined });
    const [link] = network.links();
    const { socket: inner } = link as unknown as { socket: MulticastSocket };
    await until(() => inner.works);
    // only a raw socket, which wants root, can send from port 0: so it comes out of the socket as if one had
    const { socket } = inner as unknown as { socket: Socket };
    for (const port of [0, 4000]) socket.emit("message", Buffer.from("x"), { address: "127.0.0.1", port });
    t.same(heard, [4000]);
  },
);

t.test("interfaces that come, go or change address are noticed within ten seconds", async (t) => {
  const clock = new SimulatedClock();
  let now: ReturnType<Place["interfaces"]> = [];
  const place: Place = { port: await freeMdnsPort(), interfaces: () => now };
  const network = new MulticastNetwork({
    place,
    isServed: () => true,
    clock,
    log: (_, text) => t.fail(text),
  });
  const seen: string[] = [];
  const changed = () =>
    seen.push(
      network
        .links()
        .flatMap(({ addresses }) => addresses)
        .join(" "),
    );
  network.open({ heard: () => undefined, changed });
  t.same(seen, [], "no network yet");
  const lo: ReturnType<Place["interfaces"]> = [["lo", [info("127.0.0.1")]]];
  for (const next of [lo, lo, [], lo]) {
    now = next;
    await clock.advance(seconds(10));
    await new Promise((resolve) => setTimeout(resolve, 30)); // sockets open in real time
  }
  t.same(seen, ["127.0.0.1", "", "127.0.0.1"]);
  await network.close();
});

const info = (address: string) => {
  const [lo] = networkInterfaces().lo ?? [];
  if (lo?.family !== "IPv4") throw new Error("lo has no IPv4 address");
  return { ...lo, address };
};

const PI = [
  ["lo", [{ ...info("127.0.0.1"), internal: true }]],
  [
    "eth0",
    [
      { ...info("192.168.1.20"), cidr: "192.168.1.20/24" },
      six("fd12::20", "fd12::20/64"),
      six("fe80::1", "fe80::1/64"),
    ],
  ],
  ["tailscale0", [{ ...info("100.64.0.7"), cidr: "100.64.0.7/32" }]],
] as const;

function six(address: string, cidr: string) {
  const { internal, mac } = info("127.0.0.1");
  return {
    address,
    cidr,
    internal,
    mac,
    netmask: "ffff:ffff:ffff:ffff::",
    family: "IPv6" as const,
    scopeid: 0,
  };
}

t.test(
  "each family has its socket where the runtime is reached in it, with the addresses that fit a URL",
  async (t) => {
    const shown = (isServed: (address: string) => boolean) =>
      servedInterfaces(PI, isServed).map(({ name, family, local, addresses }) => [
        name,
        family,
        local,
        ...addresses,
      ]);
    t.same(
      shown((address) => !address.startsWith("127.")),
      [
        ["eth0", "udp4", "192.168.1.20", "192.168.1.20", "fd12::20"],
        ["eth0", "udp6", "::%eth0", "192.168.1.20", "fd12::20"],
      ],
    );
    t.same(
      shown((address) => address === "192.168.1.20"),
      [["eth0", "udp4", "192.168.1.20", "192.168.1.20"]],
    );
    t.same(
      shown(() => false),
      [],
    );
  },
);

t.test("only neighbours on the same network are near", async (t) => {
  const [eth0] = servedInterfaces(PI, (address) => address === "192.168.1.20");
  for (const near of ["192.168.1.9", "192.168.1.20", "fd12::9", "fe80::9%eth0"])
    t.ok(eth0?.isNear(near), near);
  for (const far of ["192.168.2.9", "127.0.0.1", "8.8.8.8", "2001:db8::1", "fe80::9%wlan0", "", "x"])
    t.notOk(eth0?.isNear(far), far);
});

t.test("TENDRIL_MDNS that is no address and port is refused, with an example", async (t) => {
  for (const wrong of ["lo:5399", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:5", "::1:5399"])
    t.throws(() => placeOf({ TENDRIL_MDNS: wrong }), { message: /such as 127\.0\.0\.1:5399/ });
  t.equal(placeOf({}).port, 5353);
  for (const [, all] of placeOf({}).interfaces()) t.notOk(all.some(({ internal }) => internal));
});
