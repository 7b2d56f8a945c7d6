import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { WebSocketServer } from "ws";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { seconds } from "../../drivers/units.js";
import { HomeSocket } from "../../runtime/bridge/home/socket.js";
import { statesAnswer } from "../../runtime/wire/home.js";
import { bridgeFolder, spawnBridge } from "../runtime/bridge/bridge-process.js";
import { HomeStandIn } from "./stand-in.js";
import { adapterOf, failureOf, until } from "./tested-adapter.js";

const tokens = {
  owner: "token-of-nobody-at-all",
  resident: "token-of-nobody-at-all",
  viewer: "token-of-nobody-at-all",
};

/** A server that is not Home Assistant: it sends the first of these frames, and another one for each that it gets. */
async function otherServer(
  t: Test,
  ...frames: readonly string[]
): Promise<{ url: string; tokens: typeof tokens }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (ws) => {
    const [first, ...others] = frames;
    if (first !== undefined) ws.send(first);
    ws.on("message", () => ws.send(others.shift() ?? "{}"));
  });
  t.teardown(() => {
    for (const ws of server.clients) ws.terminate();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens };
}

const REQUIRED = JSON.stringify({ type: "auth_required" });
const OK = JSON.stringify({ type: "auth_ok", ha_version: "2025.4.4" });

/** Answers to all that comes before the states: features, and five registries. */
const PREPARED = [1, 2, 3, 4, 5, 6].map((id) => JSON.stringify({ id, type: "result", success: true }));

t.test("what answers and is not Home Assistant is a connection that failed, and no more", async (t) => {
  for (const frames of [
    ["no JSON"],
    ["null"],
    ["[null]"],
    ['{"type":"hello"}'],
    [REQUIRED, OK, "no JSON"],
    [REQUIRED, OK, ...PREPARED, '{"id":7,"type":"event","event":null}'],
    [REQUIRED, OK, '{"id":1,"type":"result","success":false}'],
  ]) {
    const { job } = adapterOf(t, await otherServer(t, ...frames));
    const work = job("states", { entity_ids: ["sun.sun"] }, statesAnswer);
    t.equal((await failureOf(work)).code, "NOT_CONNECTED", frames.join(" "));
  }
  const gone = await otherServer(t);
  const { job } = adapterOf(t, { ...gone, url: "http://127.0.0.1:1" });
  const { code, message } = await failureOf(job("states", { entity_ids: ["sun.sun"] }, statesAnswer));
  t.same([code, message], ["NOT_CONNECTED", "Home Assistant cannot be reached (ECONNREFUSED)"]);
});

t.test("a connection that was cut without a word is noticed", async (t) => {
  const home = await HomeStandIn.start(t);
  const clock = new SimulatedClock();
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const url = `${home.url.replace("http", "ws")}/api/websocket`;
  const socket = await HomeSocket.open({ url, token: home.tokens.viewer, clock, signal: stop.signal });
  for (let beat = 0; beat < 3; beat += 1) {
    await clock.advance(seconds(20));
    await socket.ask("auth/current_user"); // by then its pong was read
  }
  t.ok(socket.isOpen, "whoever answers is not cut");
  home.mute();
  await clock.advance(seconds(40));
  await socket.closed;
  t.notOk(socket.isOpen);
});

t.test(
  "a question that is not answered in its time is cut off, and its late answer hurts nobody",
  async (t) => {
    const home = await HomeStandIn.start(t);
    home.silent.add("light.turn_on");
    const clock = new SimulatedClock();
    const stop = new AbortController();
    t.teardown(() => stop.abort());
    const url = `${home.url.replace("http", "ws")}/api/websocket`;
    const socket = await HomeSocket.open({ url, token: home.tokens.resident, clock, signal: stop.signal });
    const target = { entity_id: "light.bed_light" };
    const asked = socket.ask("call_service", { domain: "light", service: "turn_on", target });
    const failed = t.rejects(asked, { name: "CutOff" });
    await clock.advance(seconds(20));
    await failed;
    t.match(await socket.ask("auth/current_user"), { name: "resident" });
  },
);

t.test(
  "the program connects with both tokens as soon as it starts, shows none, and ends by a signal",
  async (t) => {
    const home = await HomeStandIn.start(t);
    const { viewer, resident } = home.tokens;
    const yaml = `home:\n  url: ${home.url}\n  read_token: ${viewer}\n  act_token: ${resident}\n`;
    const folder = await bridgeFolder(t, yaml);
    await writeFile(join(folder, "token"), "token-of-the-runtime");
    const { child, ended } = spawnBridge(["--state", folder, "--url", "ws://127.0.0.1:1/mcp"]);
    t.teardown(() => child.kill("SIGKILL"));
    await until(async () => home.accepted === 2);
    child.kill("SIGTERM");
    const { code, out, err } = await ended;
    t.equal(code, 0);
    t.notMatch(out + err, /token-of/);
  },
);
