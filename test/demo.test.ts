import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Command } from "commander";
import t, { type Test } from "tap";
import { folderWords, hintLines } from "../runtime/cli/demo.js";
import { calledAs, repeatInHints } from "../runtime/cli/print.js";
import { RUNTIME_FILE } from "../runtime/places.js";
import { quoted } from "../runtime/wire/phrases.js";
import { spawnTendril } from "./run-tendril.js";

const shell = promisify(execFile);
const RECORDING = join(process.cwd(), "test/fixtures/real-plant/soil.csv");

/** A demo that runs until it has said `said`, then gets Ctrl-C; all that it said. */
async function demoUntil(t: Test, said: RegExp, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { child, ended } = spawnTendril(["demo", "--port", "0", ...args], env);
  t.teardown(async () => {
    if (child.kill("SIGINT")) await ended;
  });
  let text = "";
  child.stdout?.on("data", (chunk) => {
    text += chunk;
  });
  const says = (words: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => words.test(text) && resolve();
      child.stdout?.on("data", look);
      child.once("exit", () => reject(new Error(`ended without ${words}: ${text}`)));
      look();
    });
  await says(said);
  return { ended, text: () => text, says, ctrlC: () => child.kill("SIGINT") };
}

/** Asks the demo's runtime as its owner. */
function askRuntime(state: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { url } = JSON.parse(readFileSync(join(state, RUNTIME_FILE), "utf8")) as { url: string };
  const token = readFileSync(join(state, "tokens", "human"), "utf8").trim();
  const base = url.replace(/^ws(.*)\/mcp$/, "http$1");
  return fetch(base + path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });
}

const callTool = (state: string, name: string): Promise<string> =>
  askRuntime(state, "/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name, arguments: {} },
    }),
  }).then((answer) => answer.text());

/** The settings of the bench, as the page asks for them. */
async function settingsOn(state: string): Promise<readonly { key: string }[]> {
  const answer = await askRuntime(state, "/configuration");
  const { settings } = (await answer.json()) as { settings: { key: string }[] };
  return settings.filter(({ key }) => key.startsWith("bench."));
}

t.test("a demo from its start to Ctrl-C", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "tendril-demo-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const config = join(state, "no-certificate.yaml");
  const tls = "{ host: 127.0.0.1, port: 0, cert: /nonexistent/cert.pem, key: /nonexistent/key.pem }";
  writeFileSync(config, `server: { tls: ${tls} }\n`);
  const demo = await demoUntil(t, /completed/, ["--state", state, "--config", config]);
  const lines = demo.text().split("\n");

  t.test("what the runtime tells is shown, once, and as a message", async (t) => {
    const told = /^#1 {2}\S+ \S+ {2}runtime, warning\n {2}│ TLS is not served: \/nonexistent/gm;
    t.equal(demo.text().match(told)?.length, 1, demo.text());
  });

  t.test("its hints work as they are printed", async (t) => {
    const folder = /^In another terminal: cd (.*), then$/m.exec(demo.text())?.[1];
    for (const command of ["status", "messages", "log"]) {
      const hint = lines.find((line) => line.includes(`tendril ${command} `)) ?? "";
      const { stdout } = await shell("sh", ["-c", `cd ${folder} && ${hint}`]); // what it is for is a comment
      t.match(stdout, { status: /Basil/, messages: /./, log: /cycle 1/ }[command], hint);
    }
    t.notMatch(demo.text(), /npx/);
    t.same(
      lines.filter((line) => line.length > 80 && !line.includes(state)),
      [],
      "no line is wider than a terminal",
    );
  });

  t.test(
    "it begins in the plant's morning, whatever time it is here, and the page has the bench",
    async (t) => {
      t.match(demo.text(), /^09:\d\d {2}cycle 1 /m);
      t.match(await settingsOn(state), [{ key: "bench.controls", value: "true" }]);
    },
  );

  t.test("a power cut on the bench ends the runtime; the demo starts it again where it was", async (t) => {
    const { url } = JSON.parse(readFileSync(join(state, RUNTIME_FILE), "utf8")) as { url: string };
    t.match(await callTool(state, "get_bench"), /can_cut_power[^,]*true/);
    await t.rejects(callTool(state, "cut_bench_power"), "nobody is there to answer");
    await demo.says(/the power was cut: the runtime starts again\n[\s\S]*^listening on/m);
    t.match(JSON.parse(readFileSync(join(state, RUNTIME_FILE), "utf8")), { url }, "at the same address");
    t.match(await callTool(state, "get_bench"), /moisture_percent/);
  });

  t.test("Ctrl-C says what it does, and ends it in good order", async (t) => {
    demo.ctrlC();
    const { code, out } = await demo.ended;
    t.equal(code, 0);
    const [said = ""] = /stopping: first the agent[\s\S]*\nstopped\n$/.exec(out) ?? [];
    t.not(said, "");
    t.notMatch(said, /refused|REFUSED/);
  });
});

t.test("Ctrl-C is on record neither as a no to what waits for a yes, nor as an off", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "tendril-demo-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const config = join(state, "ask.yaml");
  writeFileSync(config, "confirm: { dispense_water: always }\n");
  const demo = await demoUntil(t, /\(request 1,/, ["--state", state, "--config", config]);
  demo.ctrlC();
  await demo.ended;
  const noted = (journal: string) => {
    const file = join(state, "journal", `${journal}.jsonl`);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    return lines.filter((line) => line !== "").map((line) => (JSON.parse(line) as { kind?: string }).kind);
  };
  t.same(noted("approvals"), ["asked"], "the next start tells that the runtime was restarted");
  t.same(noted("refused-doses"), []);
  t.notOk(noted("control").includes("all_off"));
});

t.test("what a hint is for stands behind each command, or above each where one is long", async (t) => {
  t.teardown(() => repeatInHints({}));
  const hints = [
    ["chat", "talk with the agent"],
    ["open", "the page"],
  ] as const;
  t.same(hintLines(hints), [
    `  ${calledAs()} chat  # talk with the agent`,
    `  ${calledAs()} open  # the page`,
  ]);
  const command = new Command("tendril").addCommand(new Command("chat").option("--state <dir>"));
  const state = `/tmp/${"long/".repeat(20)}`;
  repeatInHints({ "--state": state }, command);
  t.same(hintLines(hints), [
    `  # talk with the agent\n  ${calledAs()} chat --state ${state}`,
    `  # the page\n  ${calledAs()} open`,
  ]);
});

t.test("a replay leaves no folder behind, and goes into the state that a person names", async (t) => {
  const own = mkdtempSync(join(tmpdir(), "tendril-demo-tmp-"));
  t.teardown(() => rmSync(own, { recursive: true, force: true }));
  const replay = ["--replay", RECORDING];
  const passing = await demoUntil(t, /--state\s+\S*tendril-replay-/, replay, { TMPDIR: own });
  passing.ctrlC();
  await passing.ended;
  t.same(
    readdirSync(own).filter((name) => name.startsWith("tendril-replay-")),
    [],
  );
  const state = join(own, "mine");
  const named = await demoUntil(t, /In another terminal/, replay, { TENDRIL_STATE: state, TMPDIR: own });
  named.ctrlC();
  await named.ended;
  t.ok(existsSync(join(state, "bench.json")), "TENDRIL_STATE counts there too");
});

t.test(
  "in a clone the command is that of the clone, wherever it is called from; else it is tendril",
  async (t) => {
    const home = "/home/you/plants/";
    const clone = { home, isClone: true };
    t.equal(calledAs({ ...clone, cwd: "/home/you/plants" }), "./tendril");
    t.equal(calledAs({ ...clone, cwd: "/home/you" }), "./plants/tendril");
    t.equal(calledAs({ ...clone, cwd: "/srv" }), "/home/you/plants/tendril");
    t.equal(calledAs({ home: "/usr/lib/tendril/", cwd: "/srv", isClone: false }), "tendril");
    t.equal(quoted("/a folder"), "'/a folder'");
    t.equal(folderWords(join(homedir(), "plants")), "~/plants");
  },
);
