import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { discoverCommand } from "../../../agent-client/discovery/command.js";
import { look, placeGiven } from "../../../agent-client/discovery/look.js";
import { parseAgentOptions } from "../../../agent-client/options/options.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { seconds } from "../../../drivers/units.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import { labelOf } from "../../../runtime/wire/mdns-record.js";
import { newCode } from "../../../runtime/wire/pairing.js";
import { freeMdnsPort } from "../../mdns-port.js";
import { type ProcessOptions, RuntimeHere } from "../../process.js";
import { tendril } from "../../run-tendril.js";
import { agentHere, tendrilHere } from "../../tendril-here.js";
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
    const started = await RuntimeHere.start({ env, ...options });
    t.teardown(() => started.stop());
    return started;
  };
  const tokenOf = ({ state }: { state: string }) => ["--token-file", join(state, "tokens", "agent")];
  const start = (...args: string[]) => agentHere(["--discover", ...args], env);
  const agent = (...args: string[]) => start(...args).ended;
  const discover = (...args: string[]) => tendril(["discover", ...args], env);
  return { port, env, folder, runtime, tokenOf, start, agent, discover };
}

/** Waits until so many are heard on that network: who takes a name that is taken is two seconds late. */
async function announcedOn(port: number, count: number): Promise<void> {
  const place = placeGiven({ TENDRIL_MDNS: `127.0.0.1:${port}` });
  const enough = new AbortController();
  const onFound = ({ length }: readonly unknown[]) => {
    if (length >= count) enough.abort();
  };
  while (!enough.signal.aborted) await look({ place, clock, signal: enough.signal, onFound }, seconds(3));
}

const lines = (text: string) => text.trim().split("\n");

t.test("an agent finds the runtime that knows its token, and an impostor gets nothing of it", async (t) => {
  const { port, folder, runtime, tokenOf, agent, discover } = await network(t);
  const { asked } = await impostorOn(t, port, NAME);
  await writeFile(join(folder, "tendril.yaml"), "server: { tls: { host: 127.0.0.1, port: 0 } }\n");
  const [plain, secure] = await Promise.all([runtime(), runtime({ state: folder })]);
  await announcedOn(port, 3);
  const [listed, ...ran] = await Promise.all([
    discover(),
    agent("--once", ...tokenOf(plain)),
    agent("--once", ...tokenOf(secure)),
  ]);
  t.match(listed, { code: 0 });
  t.equal(lines(listed.out).length, 3, "the list has all, the impostor as who it says it is");
  t.ok(listed.out.includes(plain.url), listed.out);
  // of a runtime with TLS it is that port that is announced, found and cared over
  for (const [index, url] of [plain.url, "wss://127.0.0.1:\\d+/mcp"].entries()) {
    const { code, out = "", err = "" } = ran[index] ?? {};
    t.equal(code, 0, err);
    t.match(out, new RegExp(`looking +for a runtime .*\\n +found +${NAME}.* at ${url}, which knows`));
    t.match(out, /completed/);
  }
  t.ok(asked.length >= 2, "the impostor was asked");
  t.notOk(asked.some((each) => /upgrade|authorization|bearer/i.test(each)));
});

t.test("left running it waits for the runtime, and finds it again at another address", async (t) => {
  const { folder, runtime, tokenOf, start } = await network(t);
  const state = join(folder, "one");
  await TokenStore.open(join(state, "tokens"), clock, () => undefined);
  const agent = start(...tokenOf({ state }));
  t.teardown(() => agent.signal("SIGTERM"));
  await agent.until(/waiting +a runtime was not found/);
  const second = await runtime({ state });
  await agent.until(new RegExp(`found .* at ${second.url}`));
  await agent.until(/completed/);
  await second.stop();
  const third = await runtime({ state });
  t.not(third.url, second.url);
  await agent.until(new RegExp(`found .* at ${third.url}`));
  agent.signal("SIGTERM");
  t.match(await agent.ended, { code: 0 });
});

t.test("a code pairs with the runtime that takes it, of all on this network, and for good", async (t) => {
  const { port, env, folder, runtime, agent } = await network(t);
  const [mine, other] = [join(folder, "mine"), join(folder, "other")];
  for (const state of [mine, other]) {
    await mkdir(state);
    await writeFile(join(state, "tendril.yaml"), "server: { tls: { host: 127.0.0.1, port: 0 } }\n");
  }
  await Promise.all([runtime(), runtime({ state: mine }), runtime({ state: other })]);
  await announcedOn(port, 3);
  const codeOf = async (state: string) =>
    lines((await tendrilHere(["pair", "--state", state], env)).out)[0] ?? "";
  const [code] = await Promise.all([codeOf(mine), codeOf(other)]);
  const own = ["--once", "--state", "/nowhere", "--agent-state", join(folder, "agent")];
  const paired = await agent("--pair", code, ...own);
  t.match(
    paired,
    { code: 0, out: /paired +with 127\.0\.0\.1:\d+ as [\s\S]* found [\s\S]*completed/ },
    paired.err,
  );
  t.match(await agent(...own), { code: 0, out: /completed/ }, "the next start needs no code");
  t.match(await agent("--pair", code, ...own), { code: 4, err: /does not take this code: make a new code/ });
  const left = await tendrilHere(["pair", "--list", "--state", other], env);
  t.match(left.out, /[34] tries left/, "where it is not the code, it was a try, no more");
});

t.test("a code is shown to no runtime without TLS", async (t) => {
  const { port, runtime, agent } = await network(t);
  await runtime();
  await announcedOn(port, 1);
  t.match(await agent("--pair", newCode(), "--once"), {
    code: 3,
    err: /a runtime with TLS was not found on this network, only "Tendril on /,
  });
});

t.test(
  "tendril discover says what to look at where it finds nothing, and refuses what it does not know",
  async (t) => {
    const { discover } = await network(t);
    const [plain, json] = await Promise.all([discover("--for", "1s"), discover("--json", "--for", "1s")]);
    t.match(plain, { code: 1, out: "", err: /no runtime was found.*UDP port 5353/ });
    t.match(json, { code: 1, out: "[]\n" });
    t.throws(
      () => discoverCommand().exitOverride().parse(["--for", "1h"], { from: "user" }),
      /from 1s to 1m/,
    );
  },
);

t.test("--discover and --url are one too many", async (t) => {
  await t.rejects(parseAgentOptions(["--discover", "--url", "ws://127.0.0.1:9/mcp"], {}), {
    message: /'--discover \[name\]' cannot be used with/,
    exitCode: 1,
  });
});
