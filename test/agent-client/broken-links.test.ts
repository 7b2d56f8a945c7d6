import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { connectTo } from "../connect-once.js";
import { RuntimeHere, RuntimeProcess, type Served } from "../process.js";
import type { Ran } from "../run-tendril.js";
import { TcpProxy } from "../tcp-proxy.js";
import { agentHere } from "../tendril-here.js";
import { fakeOllama, OLLAMA } from "./models/fake-ollama.js";
import { type Answering, inOrder, type Json } from "./models/fake-server.js";
import { answerTo, wateringBy } from "./models/watering.js";

/** A dose of 20 ml takes 13 s of the plant's time: long enough to be in its middle. */
const SPEED = 10;

const portOf = (url: string) => Number(new URL(url).port);
const { decides, ends, logs, looks, waters } = wateringBy(OLLAMA);

interface Scene {
  readonly proxy: TcpProxy;
  readonly ran: Ran;
  /** What the model was told of its dose. */
  readonly outcome: Json;
  readonly used: { readonly used_ml: number; readonly events: number };
}

interface Play {
  readonly proxy: TcpProxy;
  runtime: Served;
  /** Ends the runtime, and starts another in its place; the link is down meanwhile. */
  restart(signal: NodeJS.Signals): void;
  restarted: Promise<void>;
}

/** A whole cycle of a real agent against a real runtime; `trouble` begins when the model asks for water. */
async function cycle(
  t: Test,
  trouble: (play: Play) => void,
  kind: typeof RuntimeHere | typeof RuntimeProcess = RuntimeHere,
): Promise<Scene> {
  const state = await mkdtemp(join(tmpdir(), "tendril-links-"));
  const play: Play = await staged(t, state, kind);
  let outcome: Json = {};
  const watersInTrouble: Answering = (body, headers) => {
    trouble(play);
    return waters(body, headers);
  };
  const hears: Answering = (body, headers) => {
    outcome = answerTo(OLLAMA, body, "dispense_water");
    play.proxy.latency = 0;
    return logs(body, headers);
  };
  const { url } = fakeOllama(t, inOrder(looks, decides, watersInTrouble, hears, ends));
  const link = `ws://127.0.0.1:${await play.proxy.listen()}/mcp`;
  const args = [
    "--url",
    link,
    "--token-file",
    join(state, "tokens", "agent"),
    "--once",
    "--style",
    "calls",
    "--model",
    "ollama:x",
  ];
  const own = { OLLAMA_HOST: await url, XDG_STATE_HOME: join(state, "own") };
  const ran = await agentHere(args, own).ended;
  await play.restarted;
  return { proxy: play.proxy, ran, outcome, used: await usage(play.runtime) };
}

async function staged(
  t: Test,
  state: string,
  kind: typeof RuntimeHere | typeof RuntimeProcess,
): Promise<Play> {
  const start = () => kind.start({ state, speed: SPEED });
  const runtime = await start();
  const proxy = new TcpProxy(portOf(runtime.url));
  const play: Play = {
    runtime,
    proxy,
    restarted: Promise.resolve(),
    restart: (signal) => {
      proxy.away = true;
      proxy.cut();
      play.restarted = (async () => {
        await play.runtime.stop(signal);
        play.runtime = await start();
        proxy.targetPort = portOf(play.runtime.url);
        proxy.away = false;
      })();
    },
  };
  t.teardown(async () => {
    await proxy.close();
    await play.restarted;
    await play.runtime.stop();
    await rm(state, { recursive: true, force: true });
  });
  return play;
}

async function usage(runtime: Served): Promise<Scene["used"]> {
  const direct = await connectTo(runtime, "agent");
  const result = await direct.call("get_water_usage_24h", {});
  await direct.close();
  return (result.ok ? result.value : result) as Scene["used"];
}

/** How much of the piece passes before the reset, once a piece holds `mark`. */
const resetAt =
  (mark: string, share: number): TcpProxy["resetIn"] =>
  (piece) =>
    piece.includes(mark) ? Math.floor(piece.length * share) : undefined;

/** Does it the first time only. */
const once = (reset: TcpProxy["resetIn"]): TcpProxy["resetIn"] => {
  let done = false;
  return (piece, to) => {
    const bytes = done ? undefined : reset(piece, to);
    done ||= bytes !== undefined;
    return bytes;
  };
};

t.test("a link cut in the middle of a dose: poured once, and the model learns that it was", async (t) => {
  const { ran, outcome, used, proxy } = await cycle(t, ({ proxy }) => {
    proxy.resetIn = once(resetAt("notifications/progress", 1));
  });
  t.match(outcome, { dispensed: 20 });
  t.match(used, { used_ml: 20, events: 1 });
  t.equal(proxy.connections, 2);
  t.match(ran.out, /did +dispense_water 20 ml/);
});

t.test(
  "a reset in the middle of the frame with the result: poured once, and the result comes again",
  async (t) => {
    const { outcome, used, proxy } = await cycle(t, ({ proxy }) => {
      proxy.resetIn = once(resetAt("dispensed", 0.5));
    });
    t.match(outcome, { dispensed: 20 });
    t.match(used, { used_ml: 20, events: 1 });
    t.equal(proxy.connections, 2);
  },
);

t.test("a reset in the middle of the frame with the call: it is sent again, and poured once", async (t) => {
  const { outcome, used, proxy } = await cycle(t, ({ proxy }) => {
    proxy.resetIn = once((piece, to) => (to === "up" ? Math.floor(piece.length / 2) : undefined));
  });
  t.match(outcome, { dispensed: 20 });
  t.match(used, { used_ml: 20, events: 1 });
  t.equal(proxy.connections, 2);
});

t.test("a link that takes two seconds is waited for, and nothing is sent twice", async (t) => {
  const { outcome, used, proxy } = await cycle(t, ({ proxy }) => {
    proxy.latency = 2000;
  });
  t.match(outcome, { dispensed: 20 });
  t.match(used, { used_ml: 20, events: 1 });
  t.equal(proxy.connections, 1);
});

t.test(
  "a runtime restarted between two calls is waited for, and the cycle goes on where it was",
  async (t) => {
    const { ran, outcome, used } = await cycle(t, ({ restart }) => {
      restart("SIGTERM");
    });
    t.match(outcome, { dispensed: 20 });
    t.match(used, { used_ml: 20, events: 1 });
    t.match(ran.out, /waiting +ws:/);
  },
);

t.test(
  "a power cut in the middle of a dose: it counts in full, is not poured again, and the model is told",
  async (t) => {
    const cut = ({ proxy, restart }: Play) => {
      proxy.resetIn = once((piece) => {
        if (!piece.includes("notifications/progress")) return undefined;
        restart("SIGKILL");
        return piece.length;
      });
    };
    const { outcome, used } = await cycle(t, cut, RuntimeProcess);
    t.match(outcome, { error: { code: "OUTCOME_UNKNOWN" } });
    t.match(used, { used_ml: 20, events: 1 });
  },
);
