import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { seconds } from "../../../drivers/units.js";
import { labelOf } from "../../../runtime/discovery/names.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { type ProcessOptions, RuntimeProcess } from "../../process.js";
import { spawnTendril, tendril } from "../../run-tendril.js";
import { impostorOn } from "./impostor.js";

const NAME = `Tendril on ${labelOf(hostname())}`;
const clock = new SystemClock();

/** A network of its own, on loopback. */
async function network(t: Test) {
  const port = await freeMdnsPort();
  const env = { TENDRIL_MDNS: `127.0.0.1:${port}` };
  const folder = await mkdtemp(join(tmpdir(), "tendril-discover-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const runtime = async (options: ProcessOptions = {}) => {
    const started = await RuntimeProcess.start({ env, ...options });
    t.teardown(() => started.stop());
    return started;
  };
  const tokenOf = ({ state }: RuntimeProcess) => ["--token-file", join(state, "tokens", "agent")];
  const agent = (...args: string[]) => tendril(["agent", "--discover", ...args], env);
  const discover = (...args: string[]) => tendril(["discover", ...args], env);
  return { port, env, folder, runtime, tokenOf, agent, discover };
}

const lines = (text: string) => text.trim().split("\n");

t.test("an agent finds the runtime that knows its token, and an impostor gets nothing of it", async (t) => {
  const { port, runtime, tokenOf, agent, discover } = await network(t);
  const { asked } = await impostorOn(t, port, NAME);
  const [one, other] = [await runtime(), await runtime()];
  await t.test("all are on the list, under names of their own or as who they say they are", async (t) => {
    let listed = await discover("--for", "1s");
    while (lines(listed.out).length < 3) listed = await discover("--for", "1s");
    t.equal(listed.code, 0);
    for (const { url } of [one, other]) t.ok(listed.out.includes(url), listed.out);
  });
  for (const own of [one, other]) {
    const { code, out, err } = await agent("--once", ...tokenOf(own));
    t.equal(code, 0, err);
    t.match(out, new RegExp(`looking +for a runtime .*\\n +found +${NAME}.* at ${own.url}, which knows`));
    t.match(out, /completed/);
  }
  t.ok(asked.length >= 2, "the impostor was asked");
  t.notOk(asked.some((each) => /upgrade|authorization|bearer/i.test(each)));
});

t.test("left running it waits for the runtime, and finds it again at another address", async (t) => {
  const { folder, env, runtime, tokenOf } = await network(t);
  const state = join(folder, "one");
  const first = await runtime({ state });
  await first.stop();
  const { child, ended } = spawnTendril(["agent", "--discover", ...tokenOf(first)], env);
  let out = "";
  child.stdout?.on("data", (part) => (out += part));
  const heard = async (what: string | RegExp) => {
    while (!new RegExp(what).test(out)) await clock.sleep(seconds(0.05));
  };
  await heard(/waiting +a runtime was not found/);
  const second = await runtime({ state });
  await heard(`found .* at ${second.url}`);
  await heard("completed");
  await second.stop();
  const third = await runtime({ state });
  t.not(third.url, second.url);
  await heard(`found .* at ${third.url}`);
  child.kill("SIGTERM");
  t.equal((await ended).code, 0);
});

t.test(
  "tendril discover says what to look at where it finds nothing, and refuses what it does not know",
  async (t) => {
    const { discover } = await network(t);
    t.match(await discover("--for", "1s"), { code: 1, out: "", err: /no runtime was found.*UDP port 5353/ });
    t.match(await discover("--json", "--for", "1s"), { code: 1, out: "[]\n" });
    t.match(await discover("--for", "1h"), { code: 2, err: /from 1s to 1m/ });
  },
);

t.test("--discover and --url are one too many, in flags and in the file", async (t) => {
  const { agent } = await network(t);
  t.match(await agent("--url", "ws://127.0.0.1:9/mcp"), {
    code: 2,
    err: /'--discover \[name\]' cannot be used with/,
  });
});

t.test("with TLS it is the TLS port that is announced, found and cared over", async (t) => {
  const { folder, runtime, tokenOf, agent } = await network(t);
  const tls = "plants: [{ id: basil }]\nserver: { tls: { host: 127.0.0.1, port: 0 } }\n";
  await writeFile(join(folder, "tendril.yaml"), tls);
  const own = await runtime({ state: folder });
  const { code, out, err } = await agent("--once", ...tokenOf(own));
  t.equal(code, 0, err);
  t.match(out, /found .* at wss:.*completed/s);
});
