import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../agent-client/clock.js";
import { endOf, type Ran } from "../run-tendril.js";
import { spawnNode } from "../spawn-node.js";
import { AGENT, agentHere } from "../tendril-here.js";
import { FixtureServer, TOKEN } from "./fixture-server.js";
import { FakeServer } from "./models/fake-server.js";
import { fail, ok, type Script } from "./scripted-runtime.js";

const clock = new SystemClock();

async function serve(t: Test, script: Script = {}): Promise<{ server: FixtureServer; url: string }> {
  const server = new FixtureServer(script);
  const url = await server.listen();
  t.teardown(() => server.close());
  return { server, url };
}

const tokenFile = (t: Test, token: string) => [
  "--token-file",
  join(t.testdir({ token: `${token}\n` }), "token"),
];

/** An agent as people run it: for what it is killed by, and what it leaves behind. */
function agentProcess(t: Test, args: readonly string[]) {
  const child = spawnNode([AGENT, ...tokenFile(t, TOKEN), ...args]);
  t.teardown(() => child.kill("SIGKILL"));
  return { child, ended: endOf(child) };
}

/** The same program, to its end, in the process of the test. */
const agent = (t: Test, args: readonly string[], token = TOKEN, env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  agentHere([...tokenFile(t, token), ...args], env).ended;

t.test("--once cares for every plant, shows it, and exits 0", async (t) => {
  const { server, url } = await serve(t, { plants: ["basil", "mint"] });
  const { code, out, err } = await agentProcess(t, ["--url", url, "--once"]).ended;
  t.equal(code, 0, err);
  t.match(
    out,
    /^12:30 {2}cycle 1 · basil\n {7}moisture 60\.0 %.*\n {7}decided +moist enough: nothing to do\n {7}completed .*\n12:30 {2}cycle 1 · mint/,
  );
  t.strictSame(
    server.calls.filter(({ name }) => name === "write_plant_status").map(({ args }) => args.plant),
    ["basil", "mint"],
  );
});

t.test("--once exits 1 when a cycle is not completed", async (t) => {
  const { url } = await serve(t, {
    answers: { write_plant_status: () => ok({ proceed: false, reason: "no" }) },
  });
  const { code, out } = await agent(t, ["--url", url, "--once"]);
  t.equal(code, 1);
  t.match(out, /incomplete +the model stopped without a cleared plant status/);
});

t.test(
  "wrong use exits 2, a runtime that is away 3, a refused token 4, each with a word on stderr",
  async (t) => {
    const { server, url } = await serve(t);
    const usage = agent(t, ["--url", url, "--every", "never"]);
    const token = agent(t, ["--url", url], "wrong");
    t.match(await usage, { code: 2, err: /--every/ });
    t.match(await token, { code: 4, err: /tendril agent: .*401.*--token-file/ });
    await server.close();
    t.match(await agent(t, ["--url", url, "--once"]), {
      code: 3,
      err: /tendril agent: .*refused the connection.*tendril serve/,
    });
  },
);

t.test(
  "left running it waits for a runtime that is away, and stops within a second at SIGTERM",
  async (t) => {
    const { server, url } = await serve(t);
    await server.close();
    const { child, ended } = agentProcess(t, ["--url", url]);
    const [first] = await once(child.stdout, "data");
    t.match(String(first), /waiting +ws:\/\/.*REFUSED.*tried again/s);
    const began = clock.monotonic();
    child.kill("SIGTERM");
    t.equal((await ended).code, 0);
    t.ok(clock.monotonic() - began < 1000);
  },
);

t.test("a SIGINT in the middle of a dose cancels it, and the agent is gone within a second", async (t) => {
  const dry = () =>
    ok({ value: 1, timestamp: "2026-06-01T12:30:00.000Z", percent: 20, noise: 1, quality: "ok" });
  const { server, url } = await serve(t, { answers: { read_moisture: dry } });
  const { child, ended } = agentProcess(t, ["--url", url]);
  let began = 0;
  const cancelled = new Promise<void>((resolve) => {
    server.handler = (call, { mcpReq }) => {
      if (call.name !== "dispense_water") return server.fromScript(call);
      mcpReq.signal.addEventListener("abort", () => resolve());
      began = clock.monotonic();
      child.kill("SIGINT");
      return new Promise(() => undefined);
    };
  });
  await cancelled;
  t.equal((await ended).code, 0);
  t.ok(clock.monotonic() - began < 1000);
});

const KEY = "sk-proj-0123456789abcdef";

/** Beside the test's own folder, which is emptied for every agent's token. */
function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-runs-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Everything that a folder's files hold. */
const held = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");

t.test("a run leaves its log, without token or key, and plays back from it without a model", async (t) => {
  const { server, url } = await serve(t);
  const folder = folderOf(t);
  const [runs, record] = [join(folder, "runs"), join(folder, "record.jsonl")];
  const once = ["--url", url, "--once", "--log-dir", runs];
  const env = { OPENAI_API_KEY: KEY };
  const first = await agent(t, [...once, "--record", record], TOKEN, env);
  const calls = server.calls.splice(0).map(({ name }) => name);
  t.equal(first.code, 0, first.err);
  t.match(
    held(runs),
    /^\{"kind":"run",.*"url":"ws:.*\n\{"kind":"cycle",[\s\S]*"kind":"end",.*"completed":true/,
  );
  t.equal(held(runs), readFileSync(record, "utf8"), "the record is the same");
  t.notOk(held(runs).includes(TOKEN) || held(runs).includes(KEY));
  const second = await agent(t, [...once, "--playback", record]);
  t.equal(second.code, 0, second.err);
  t.strictSame(
    server.calls.map(({ name }) => name),
    calls,
  );
});

t.test("a playback that does not fit ends the agent with a word, and one at its end does too", async (t) => {
  const { url } = await serve(t);
  const record = join(folderOf(t), "record.jsonl");
  t.equal((await agent(t, ["--url", url, "--once", "--record", record])).code, 0);
  const other = await serve(t, { answers: { read_moisture: () => fail("PROBE_FAULT") } });
  t.match(await agent(t, ["--url", other.url, "--playback", record]), {
    code: 1,
    err: /^tendril agent: playback of \S+ reply 2 does not fit: call \d came to "read_moisture PROBE_FAULT"/,
  });
  const several = await serve(t, { plants: ["basil", "mint"] });
  t.match(await agent(t, ["--url", several.url, "--playback", record]), {
    code: 0,
    err: /all \d+ recorded replies are given\n$/,
  });
  t.match(await agent(t, ["--url", url, "--playback", record, "--model", "caretaker"]), {
    code: 2,
    err: /--playback replaces the model: leave out --model/,
  });
  t.match(await agent(t, ["--url", url, "--record", record]), {
    code: 2,
    err: /the file exists already/,
  });
});

t.test("a log that cannot be written is told of once, and care goes on", async (t) => {
  const { url } = await serve(t);
  const state = folderOf(t);
  writeFileSync(join(state, "runs"), "no folder");
  const { code, out } = await agent(t, ["--url", url, "--once", "--agent-state", state]);
  t.equal(code, 0);
  t.equal(out.match(/cannot\s+be\s+written:/g)?.length, 1, out);
  t.match(out, /^ {7}log {9}\S.*[\s\S]*care\s+goes\s+on\s+without\s+it\n12:30 {2}cycle 1/);
});

t.test("a folder for logs that was named and cannot be made is wrong use, also below /proc", async (t) => {
  const file = join(folderOf(t), "file");
  writeFileSync(file, "no folder");
  for (const [folder, why] of [
    ["/proc/nowhere/runs", /\/proc\/nowhere cannot be made: nothing can be made there/],
    [file, /cannot be made: there is a file of that name/],
    [join(file, "runs"), /cannot be made/],
  ] as const)
    t.match(await agent(t, ["--url", "ws://127.0.0.1:1/mcp", "--log-dir", folder]), {
      code: 2,
      err: why,
    });
});

t.test(
  "a model server that accepts and never answers is asked once, and the caretaker has the cycle",
  async (t) => {
    const { url } = await serve(t);
    const silent = new FakeServer("/api/chat", () => "silence");
    const env = { OLLAMA_HOST: await silent.listen(t) };
    const model = [
      "--model",
      "ollama:x",
      "--style",
      "calls",
      "--reply-within",
      "1s",
      "--fallback",
      "caretaker",
    ];
    const { code, out } = await agent(t, ["--url", url, "--once", ...model], TOKEN, env);
    t.equal(code, 0);
    t.match(out.replace(/\s+/g, " "), /ollama:x did not answer within 1 s: .*; caretaker takes this cycle/);
    t.equal(silent.asked.length, 1);
  },
);

t.test("two agents with one token and one folder: the second is told of the first and exits 2", async (t) => {
  const { url } = await serve(t);
  const own = ["--url", url, "--agent-state", folderOf(t)];
  const { child } = agentProcess(t, own);
  await once(child.stdout, "data");
  const { code, err } = await agent(t, own);
  t.equal(code, 2);
  t.match(err, new RegExp(`belongs to another agent, process ${child.pid} on .* since .*--agent-state DIR`));
  t.equal((await agent(t, ["--url", url, "--once", "--agent-state", folderOf(t)])).code, 0);
});

t.test("an agent is the same after it was killed, and another beside it is another", async (t) => {
  const { server, url } = await serve(t);
  const folder = folderOf(t);
  const { child, ended } = agentProcess(t, ["--url", url, "--agent-state", folder]);
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await ended;
  for (const own of [folder, folderOf(t)])
    t.equal((await agent(t, ["--url", url, "--once", "--agent-state", own])).code, 0);
  const names = [...new Set(server.calls.map(({ agent }) => agent))];
  t.equal(names.length, 2);
  t.match(names, [/^.+-[0-9a-f]{6}$/, /^.+-[0-9a-f]{6}$/]);
});
