import t, { type Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import { Finder } from "../../../agent-client/discovery/find-runtime.js";
import { placeOf } from "../../../agent-client/discovery/interfaces.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { serverRig } from "../../runtime/server/fixture-rig.js";
import { announce } from "./impostor.js";

const NAME = "Tendril on balcony";
const signal = new AbortController().signal;

/** Ten times as fast as real time: a look takes 0.3 s. */
class QuickClock extends SystemClock {
  override monotonic() {
    return super.monotonic() * 10;
  }
  override sleep(duration: number, signal?: AbortSignal) {
    return super.sleep(duration / 10, signal);
  }
}

async function network(t: Test) {
  const port = await freeMdnsPort();
  const place = placeOf({ TENDRIL_MDNS: `127.0.0.1:${port}` });
  const said: string[] = [];
  const finder = (token: string, wanted?: string) =>
    new Finder({
      wanted,
      token,
      place,
      clock: new QuickClock(),
      say: (label, text) => said.push(`${label} ${text}`),
    });
  return { port, said, finder, announced: (name: string, at: number) => announce(t, port, name, at) };
}

t.test("a name, the part of it that is the computer's, its host or its address pick one", async (t) => {
  const { finder, announced } = await network(t);
  const [rig, other] = [await serverRig(t), await serverRig(t)];
  await announced(NAME, rig.server.port);
  await announced("Tendril on kitchen", other.server.port);
  for (const wanted of [NAME, "BALCONY", "127.0.0.1", `port-${rig.server.port}.local`, undefined])
    t.equal(
      await finder(rig.token, wanted).address(signal),
      rig.server.url,
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
    const own = finder(rig.token);
    await announced(NAME, rig.server.port);
    t.equal(await own.address(signal), rig.server.url);
    await announced("Tendril on copy", rig.server.port);
    await t.rejects(finder(rig.token).address(signal), {
      code: "SEVERAL",
      retryable: false,
      message: /^"Tendril on .*" at 127.*, "Tendril on .*" at .*know this token.*--discover "NAME"/,
    });
    t.equal(await finder(rig.token, "copy").address(signal), rig.server.url);
    t.equal(await own.address(signal), rig.server.url);
  },
);

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
    place,
    clock: new QuickClock(),
    say: () => undefined,
  });
  await t.rejects(own.address(signal), { message: /\(this computer has no network\)/ });
});
