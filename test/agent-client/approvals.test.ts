import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { RuntimeHere } from "../process.js";
import type { Ran } from "../run-tendril.js";
import { TcpProxy } from "../tcp-proxy.js";
import { agentHere, tendrilHere } from "../tendril-here.js";
import { fakeOllama, OLLAMA } from "./models/fake-ollama.js";
import { type Answering, inOrder, type Json } from "./models/fake-server.js";
import { answerTo, wateringBy } from "./models/watering.js";

const WAITS =
  /waiting\s+dispense_water\s+waits\s+for\s+your\s+yes:\s+tendril\s+approve\s+(?:--url\s+\S+\s+)?(\d+)\s+\(until\s+\d\d:\d\d\s+UTC\)/;
const { decides, ends, logs, looks, waters } = wateringBy(OLLAMA);

interface Scene {
  readonly state: string;
  readonly proxy: TcpProxy;
  readonly stop: (signal: NodeJS.Signals) => void;
}

interface Outcome extends Ran {
  /** What the model was told of its dose. */
  readonly outcome: Json;
  /** What the command line says then. */
  readonly approvals: string;
}

/** A whole cycle of a real agent with a real runtime; the person acts once the agent says that it waits. */
async function cycle(t: Test, person: (id: string, scene: Scene) => unknown): Promise<Outcome> {
  const state = await mkdtemp(join(tmpdir(), "tendril-approve-"));
  await writeFile(join(state, "tendril.yaml"), "confirm: { dispense_water: always }\n");
  const runtime = await RuntimeHere.start({ state, speed: 10 });
  const proxy = new TcpProxy(Number(new URL(runtime.url).port));
  t.teardown(async () => {
    await proxy.close();
    await runtime.stop();
    await rm(state, { recursive: true, force: true });
  });
  let outcome: Json = {};
  const hears: Answering = (body, headers) => {
    outcome = answerTo(OLLAMA, body, "dispense_water");
    return logs(body, headers);
  };
  const { url } = fakeOllama(t, inOrder(looks, decides, waters, hears, ends));
  const link = `ws://127.0.0.1:${await proxy.listen()}/mcp`;
  const own = { OLLAMA_HOST: await url, XDG_STATE_HOME: join(state, "own") };
  const token = join(state, "tokens", "agent");
  const model = ["--style", "calls", "--model", "ollama:x"];
  const agent = agentHere(["--url", link, "--token-file", token, "--once", ...model], own);
  const [, id = ""] = await agent.until(WAITS);
  await person(id, { state, proxy, stop: (signal) => agent.signal(signal) });
  const ran = await agent.ended;
  const { out: approvals } = await tendrilHere(["approvals", "--state", state]);
  return { ...ran, outcome, approvals };
}

t.test("the agent waits for `tendril approve`, and then waters", async (t) => {
  let status = "";
  const { outcome, out, approvals } = await cycle(t, async (id, { state }) => {
    status = (await tendrilHere(["status", "--state", state])).out;
    t.match(await tendrilHere(["approvals", "--state", state]), { out: /^\? agent .*tendril approve .*\d+/ });
    t.match(await tendrilHere(["approve", id, "--state", state]), {
      code: 0,
      out: /^approved, this once: agent .* wants to pour 20 ml for Basil\n/,
    });
    t.match(await tendrilHere(["approve", id, "--state", state]), { code: 0, out: /^already approved: #/ });
  });
  t.match(
    status,
    /\? agent \(.+\) wants to pour 20 ml for Basil: \.\/tendril approve .*\d+, or \.\/tendril deny/,
  );
  t.match(outcome, { dispensed: 20 });
  t.match(out, /did +dispense_water 20 ml/);
  t.match(approvals, /^nothing waits for your yes\n#\d+ .*: used \d\d:\d\d \(approved by human\)\n/);
});

t.test("the agent takes a no, waters nothing and goes on with its cycle", async (t) => {
  const { outcome, out, approvals } = await cycle(t, async (id, { state }) => {
    t.match(await tendrilHere(["deny", id, "--state", state]), { code: 0, out: /^refused: / });
    t.match(await tendrilHere(["approve", id, "--state", state]), {
      code: 1,
      err: /request \d+ is refused already.*UNKNOWN_APPROVAL/,
    });
  });
  t.match(outcome, { error: { code: "APPROVAL_DENIED", retryable: false } });
  t.match(out, /completed/);
  t.match(approvals, /refused by human/);
});

t.test("a link cut while it waits: asked once, poured once", async (t) => {
  const { outcome, out, approvals } = await cycle(t, async (id, { state, proxy }) => {
    await new Promise<void>((resolve) => {
      proxy.resetIn = (piece, to) => {
        if (to !== "up" || proxy.connections > 1) return undefined;
        resolve();
        return piece.length; // the call that waits has just arrived
      };
    });
    await tendrilHere(["approve", id, "--state", state]);
  });
  t.match(outcome, { dispensed: 20 });
  t.equal(out.match(/waits for your yes/g)?.length, 1);
  t.equal(approvals.match(/#\d+/g)?.length, 1);
});

t.test("Ctrl-C ends the wait", async (t) => {
  const { outcome, out } = await cycle(t, (_, { stop }) => stop("SIGINT"));
  t.same(outcome, {});
  t.notMatch(out, /did +dispense_water/);
});
