import { get } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { Finder } from "../../../agent-client/discovery/find-runtime.js";
import { placeGiven } from "../../../agent-client/discovery/look.js";
import { seconds } from "../../../drivers/units.js";
import { secureSocket } from "../../../runtime/wire/secure-socket.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { serverRig } from "../../runtime/server/fixture-rig.js";
import { materialOf, ownKeyRig } from "../../runtime/server/tls/fixture-tls.js";
import { announce, QuickClock } from "./impostor.js";

const NAME = "Tendril on balcony";
const signal = new AbortController().signal;

async function network(t: Test) {
  const port = await freeMdnsPort();
  const place = placeGiven({ TENDRIL_MDNS: `127.0.0.1:${port}` });
  const said: string[] = [];
  const finder = (token: string, wanted?: string, pin?: string) =>
    new Finder({
      wanted,
      token,
      pin,
      place,
      clock: new QuickClock(),
      say: (label, text) => said.push(`${label} ${text}`),
    });
  return {
    port,
    said,
    finder,
    announced: (name: string, at: number, tls = false) => announce(t, port, name, at, tls),
  };
}

t.test("a name, the part of it that is the computer's, its host or its address pick one", async (t) => {
  const { finder, announced } = await network(t);
  const [rig, other] = [await serverRig(t), await serverRig(t)];
  await announced(NAME, rig.server.port);
  await announced("Tendril on kitchen", other.server.port);
  for (const wanted of [NAME, "BALCONY", "127.0.0.1", `port-${rig.server.port}.local`, undefined])
    t.same(
      await finder(rig.token, wanted).address(signal),
      { url: rig.server.url },
      wanted ?? "whichever knows the token",
    );
  await t.rejects(finder(rig.token, "kitchen").address(signal), {
    code: "NOT_OURS",
    message: /^"Tendril on kitchen" at 127\.0\.0\.1: none knows this token: .*--token-file/,
  });
  await t.rejects(finder(rig.token, "attic").address(signal), {
    code: "NOT_FOUND_NEAR",
    message:
      /^"attic" was not found on this network, only "Tendril on .*" at .*, "Tendril on .*server\.host.*5353/,
  });
});

t.test("nobody there is told with what to look at, and may change", async (t) => {
  const { finder, said } = await network(t);
  const looking = finder("x");
  for (let looks = 0; looks < 2; looks += 1)
    await t.rejects(looking.address(signal), { code: "NOT_FOUND_NEAR", retryable: true });
  t.same(said, ["looking for a runtime on this network, 3 s at most"], "said once");
});

t.test(
  "two that know one token are not guessed between; a name settles it, and so does the last time",
  async (t) => {
    const { finder, announced } = await network(t);
    const rig = await serverRig(t);
    const copy = await serverRig(t, { folder: rig.folder }); // with the same tokens
    await rig.clock.advance(seconds(2));
    const { token } = copy;
    const own = finder(token);
    await announced(NAME, rig.server.port);
    t.same(await own.address(signal), { url: rig.server.url });
    await announced("Tendril on copy", copy.server.port);
    await t.rejects(finder(token).address(signal), {
      code: "SEVERAL",
      retryable: false,
      message: /^"Tendril on .*" at 127.*, "Tendril on .*" at .*know this token.*--discover "NAME"/,
    });
    t.same(await finder(token, "copy").address(signal), { url: copy.server.url });
    t.same(await own.address(signal), { url: rig.server.url });
  },
);

t.test("one runtime under several names is one", async (t) => {
  const { finder, announced } = await network(t);
  const rig = await serverRig(t);
  for (const name of [NAME, "Tendril on nothing of the kind"]) await announced(name, rig.server.port);
  t.same(await finder(rig.token).address(signal), { url: rig.server.url });
});

t.test(
  "over TLS the key is the one that was proven, and from then on nothing without TLS will do",
  async (t) => {
    const { finder, announced } = await network(t);
    const rig = await ownKeyRig(t);
    const { port = 0, pin = "" } = rig.server.tls() ?? {};
    await announced(NAME, rig.server.port);
    t.same(await finder(rig.token).address(signal), { url: rig.server.url }, "there was no TLS");
    await announced(NAME, port, true);
    const own = finder(rig.token);
    const { url, trust } = await own.address(signal);
    t.equal(url, `wss://127.0.0.1:${port}/mcp`);
    const { socket, peer } = await secureSocket(url, signal);
    trust?.admit(peer);
    socket.destroy();
    t.equal((await finder(rig.token, undefined, pin).address(signal)).url, url);
    const other = `sha256:${"A".repeat(43)}=`;
    await t.rejects(finder(rig.token, undefined, other).address(signal), { code: "NOT_OURS" });
  },
);

t.test("an impostor that hands on what is asked over TLS is found out by its key", async (t) => {
  const { finder, announced } = await network(t);
  const rig = await serverRig(t);
  const { key, cert } = materialOf();
  const asked: string[] = [];
  const impostor = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    const { url: path } = request;
    get({ host: "127.0.0.1", port: rig.server.port, path }, (answer) => answer.pipe(response));
  });
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  t.teardown(() => impostor.close());
  await announced(NAME, (impostor.address() as AddressInfo).port, true);
  await t.rejects(finder(rig.token).address(signal), { code: "NOT_OURS" });
  t.match(asked, [/^\/proof\?/]);
  t.notOk(asked.join().includes(rig.token));
});

t.test("the address of last time is asked again each time, and without a look", async (t) => {
  const { finder, announced, said } = await network(t);
  const rig = await serverRig(t);
  await announced(NAME, rig.server.port);
  const own = finder(rig.token);
  for (let times = 0; times < 3; times += 1) await own.address(signal);
  t.equal(said.length, 2);
  await rig.stop();
  await t.rejects(own.address(signal), { code: "NOT_OURS" });
});

t.test("who is told to stop looks no longer", async (t) => {
  const { finder } = await network(t);
  const stop = new AbortController();
  const ended = finder("x").address(stop.signal);
  stop.abort(new Error("enough"));
  await t.rejects(ended, { message: "enough" });
});

t.test("a computer without any network says so", async (t) => {
  const place = { port: 5353, interfaces: () => [] };
  const own = new Finder({
    wanted: undefined,
    token: "x",
    pin: undefined,
    place,
    clock: new QuickClock(),
    say: () => undefined,
  });
  await t.rejects(own.address(signal), { message: /\(this computer has no network\)/ });
});
