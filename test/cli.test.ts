import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as realWait } from "node:timers/promises";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { failsClearly, spawnTendril, TENDRIL, tendril } from "./run-tendril.js";
import { PLAIN_NODE, spawnNode } from "./spawn-node.js";
import { tendrilHere } from "./tendril-here.js";

const COMMANDS =
  "serve demo agent status tools history messages reply hold resume off clear when config setup doctor token backup restore support-bundle".split(
    " ",
  );

t.test("--help lists every command, each command explains itself, and both end well", async (t) => {
  const { code, out } = await tendril(["--help"]);
  t.equal(code, 0);
  for (const command of COMMANDS) t.match(out, new RegExp(`^ {2}${command}\\b.* [A-Z]`, "m"), command);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  t.equal((await tendrilHere(["--version"])).out, `${version}\n`);
  t.match((await tendrilHere(["serve", "--help"])).out, /--speed <x>.*\n[\s\S]*--replay/);
  t.match(await tendril(["agent", "--help"]), { code: 0, out: /--once[\s\S]*Exit codes/ });
});

const MISUSES: readonly [string, readonly string[], RegExp][] = [
  ["no such command", ["sevre"], /unknown command 'sevre'[\s\S]*serve/],
  [
    "no such command, with signs that steer a terminal",
    ["\u001b[31mserve"],
    /unknown command '\u{fffd}\[31mserve'/u,
  ],
  ["no such option", ["status", "--colour"], /unknown option '--colour'/],
  ["too fast", ["serve", "--bench", "--speed", "61"], /--speed <x>.*61.*from 0\.01 to 60/],
  ["no speed at all", ["serve", "--bench", "--speed", ""], /--speed <x>.*must be a number/],
  ["no such port", ["serve", "--bench", "--port", "65536"], /--port <n>.*from 0 to 65535/],
  ["no host at all", ["serve", "--bench", "--host", ""], /--host <host>.*must not be empty/],
  ["no state folder", ["serve", "--bench", "--state", ""], /--state <dir>.*must not be empty/],
  ["no configuration", ["config", "--config", ""], /--config <file>.*must not be empty/],
  ["no plant", ["status", "--plant", ""], /--plant <plant>.*must not be empty/],
  ["no plant to export", ["export", "--plant", ""], /--plant <name>.*must not be empty/],
  [
    "an agent of no runtime",
    ["agent", "--state", ""],
    /--state <dir>.*must not be empty[\s\S]*see "\.\/tendril agent --help"/,
  ],
  ["no report", ["simulate", "--report", ""], /--report <dir>.*must not be empty/],
  ["a simulation of nonsense", ["simulate", "--wind"], /'--wind'\n\(see "\.\/tendril simulate --help"\)/],
  ["a check of no model", ["models", "check"], /'name'\n\(see "\.\/tendril models check --help"\)/],
  [
    "a port without TLS for everybody",
    ["serve", "--bench", "--host", "0.0.0.0"],
    /--host 0\.0\.0\.0 would leave.*--plain-too/,
  ],
  ["half a port", ["serve", "--bench", "--port", "80.5"], /--port <n>.*whole number/],
  ["no such history", ["history", "wind"], /error: 'wind' is none of moisture, water, light/],
  ["a history of nothing", ["history"], /missing required argument 'what': one of moisture, water, light/],
  ["no such role", ["token", "add", "root"], /root.*observer, agent, human/],
  [
    "hours that are no number",
    ["history", "water", "--hours", "x"],
    /error: --hours <n> is x, and must be a/,
  ],
  [
    "an approval of nothing",
    ["approve"],
    /missing required argument 'id'[\s\S]*see "\.\/tendril approve --help"/,
  ],
  ["a token of no role", ["token", "add"], /see "\.\/tendril token add --help"/],
  ["an approval of a word", ["approve", "abc"], /abc.*must be a number, as `\.\/tendril approvals`/],
  ["an approval of no request", ["deny", "0"], /0.*must be a number, as/],
  ["no backup at all to keep", ["backup", "--keep", "0"], /--keep <n>.*0.*from 1/],
  ["two questions at once", ["backup", "--list", "a", "--verify", "b"], /give only one of/],
  ["a restore of nothing", ["restore"], /missing required argument 'file'/],
  ["an address that is none", ["status", "--url", "foo"], /--url foo: must be written as ws:\/\/HOST/],
  [
    "a runtime to join that is no address",
    ["join", "foo", "123456"],
    /tendril: foo: must be the address that/,
  ],
  ["a dose that is too much", ["water", "500"], /error: ml is 500, and must be a number from 10 to 25\./],
  ["answers that are not there", ["setup", "--yes", "--from", "no.yaml"], /no file no\.yaml with answers/],
  ["an address without a host", ["status", "--url", "ws://"], /--url ws:\/\/: must be written as/],
];
/** They are started as programs of their own, and what these print is theirs. */
const OWN_PROGRAMS: ReadonlySet<string> = new Set(["agent", "simulate", "models"]);
for (const [what, args, message] of MISUSES) {
  t.test(`${what} is refused by name, as wrong use`, async (t) => {
    const ran = await (OWN_PROGRAMS.has(args[0] ?? "") ? tendril(args) : tendrilHere(args));
    failsClearly(t, ran, message);
    t.equal(ran.code, 2);
  });
}

t.test("a reader that has seen enough, such as head, ends every output without a word", async (t) => {
  for (const args of [
    ["config", "--state", t.testdir()],
    ["simulate", "--list"],
  ]) {
    const child = spawnNode([TENDRIL, ...args]);
    child.stdout.destroy();
    t.equal(await text(child.stderr), "", args.join(" "));
  }
});

t.test("serve does not pretend to have hardware: the bench must be asked for", async (t) => {
  const serve = ["serve", "--state", t.testdir(), "--port", "0"];
  failsClearly(t, await tendrilHere(serve), /simulated hardware: add --bench, or write board: pi/);
});

t.test("`config` and a start on a Pi say which plant has no pump, and so gets no water", async (t) => {
  const state = t.testdir({ "tendril.yaml": "board: pi\nplants: [{ id: basil, pump: {} }]\n" });
  const said = /basil has no pump \(pump\.output\): it gets no water/;
  t.match(await tendrilHere(["config", "--state", state]), { code: 0, out: /id: basil/, err: said });
  t.match(await tendrilHere(["serve", "--state", state, "--port", "0"]), { err: said });
});

t.test("a species that is nearly a known one is asked about, and any may be written", async (t) => {
  const plants = "plants: [{ id: a, species: Tomatoe }, { id: b, species: ficus, probe: { channel: 1 } }]";
  const state = t.testdir({ "tendril.yaml": plants });
  const { code, err } = await tendrilHere(["config", "--state", state]);
  t.match({ code, err }, { code: 0, err: "tendril: species of a: Tomatoe: did you mean tomato?\n" });
});

t.test("real hardware keeps real time: the bench's options are refused with it", async (t) => {
  const state = t.testdir({ "tendril.yaml": "board: pi\n" });
  for (const option of [
    ["--speed", "10"],
    ["--replay", "soil.csv"],
  ])
    failsClearly(t, await tendrilHere(["serve", "--state", state, ...option]), /add --bench/);
});

t.test(
  "a state folder that cannot be made is wrong use, also below /proc, where Node would try for ever",
  async (t) => {
    for (const [run, ...args] of [
      [tendrilHere, "serve", "--bench", "--port", "0"],
      [tendril, "demo"], // starts a program
      [tendrilHere, "token", "add", "agent"],
    ] as const) {
      const { code, err } = await run([...args, "--state", "/proc/nowhere/state"]);
      t.match(
        { code, err },
        { code: 2, err: /^tendril: the state folder \/proc\/nowhere\/state cannot be made .*--state\n$/ },
      );
    }
  },
);

/** A state folder whose last run died with a relay on. */
function crashed(t: Test, files: Record<string, string | object> = {}) {
  const state = t.testdir({ relay: "1", ...files });
  const relay = join(state, "relay");
  writeFileSync(join(state, "relays.off"), `0 ${relay}\n`);
  return { serve: ["serve", "--state", state, "--port", "0"], relay: () => readFileSync(relay, "utf8") };
}

const REFUSALS: readonly [string, Record<string, string | object>, RegExp, number][] = [
  ["a mistake in the configuration", { "tendril.yaml": "bord: pi\n" }, /CONFIG_INVALID/, 78],
  ["hardware that nobody asked for", {}, /add --bench/, 78],
  ["tokens that are no folder", { "tendril.yaml": "board: pi\n", tokens: "" }, /EEXIST|ENOTDIR|tokens/, 1],
];
for (const [what, files, message, code] of REFUSALS) {
  t.test(`what a crash has left on goes off although the start fails: ${what}`, async (t) => {
    const { serve, relay } = crashed(t, files);
    const ran = await tendrilHere(serve);
    t.match(ran.err, message);
    t.equal(ran.code, code, "78: the service manager is not to try it again");
    t.equal(relay(), "0");
  });
}

t.test("every command that reads the configuration ends with 78 where it is wrong", async (t) => {
  const state = t.testdir({ "tendril.yaml": "bord: pi\n" });
  const { code, err } = await tendrilHere(["config", "--state", state]);
  t.match(err, /CONFIG_INVALID/);
  t.equal(code, 78);
});

const STAND_BY: readonly [string, Record<string, string | object>, RegExp][] = [
  ["a lock that cannot be had", { "tendril.yaml": "board: pi\n", "lock.sqlite": {} }, /lock\.sqlite/],
  ["a damaged store", { "tendril.yaml": "board: pi\n", journal: "" }, /the state folder /],
];
for (const [what, files, message] of STAND_BY) {
  t.test(`what a crash has left on goes off although the start has to stand by: ${what}`, async (t) => {
    const { serve, relay } = crashed(t, files);
    const { child, ended } = spawnTendril(serve);
    await once(createInterface({ input: child.stdout as Readable }), "line");
    t.equal(relay(), "0");
    child.kill();
    t.match(await ended, { out: /^standing by on ws:/, err: message });
  });
}

t.test(
  "a configuration that cannot be read this time, as from a card that fails, is worth another start",
  async (t) => {
    const { serve, relay } = crashed(t, {});
    const ran = await tendril([...serve, "--config", "/proc/self/mem"]); // the kernel: EIO
    t.match(ran, { code: 1, err: /\/proc\/self\/mem: cannot be read \(EIO\)/ });
    t.equal(relay(), "0");
  },
);

t.test("a runtime whose log is on a full disk serves on, and stops in order", async (t) => {
  const state = t.testdir({});
  const full = openSync("/dev/full", "w"); // each write fails with ENOSPC
  const [node = "", ...before] = PLAIN_NODE;
  const serve = [...before, TENDRIL, "serve", "--bench", "--port", "0", "--state", state];
  const child = spawn(node, serve, { stdio: ["ignore", full, full] });
  const gone = once(child, "exit");
  t.teardown(() => child.kill("SIGKILL"));
  const file = join(state, "runtime.json");
  while (!existsSync(file) && child.exitCode === null) await realWait(20);
  const { url } = JSON.parse(readFileSync(file, "utf8")) as { url: string };
  const answer = await fetch(url.replace("ws:", "http:").replace("/mcp", "/off"), { method: "POST" });
  t.equal(answer.status, 200);
  child.kill("SIGTERM");
  t.same(await gone, [0, null]);
  closeSync(full);
});

t.test("a relay that will not go off is told, and does not hide why the start fails", async (t) => {
  const state = t.testdir({ relay: {} });
  writeFileSync(join(state, "relays.off"), `0 ${join(state, "relay")}\n`);
  const ran = await tendrilHere(["serve", "--state", state]);
  failsClearly(t, ran, /not switched off: EISDIR[\s\S]*add --bench/);
});

t.test("every mistake in the configuration is named with file, line, key and reason", async (t) => {
  const file = join(t.testdir({ "bad.yaml": "a: 1\nwater:\n  daily_limit_ml: 501\n" }), "bad.yaml");
  const args = ["--bench", "--config", file, "--state", t.testdirName, "--port", "0"];
  const ran = await tendrilHere(["serve", ...args]);
  failsClearly(t, ran, /bad\.yaml:1: a: unknown key/);
  failsClearly(t, ran, /bad\.yaml:3: water\.daily_limit_ml: .*500.*\(got 501\)/);
  t.match(ran.err, /CONFIG_INVALID/);
});

t.test("config prints what is in force, as a file that could be used", async (t) => {
  const state = t.testdir({ "tendril.yaml": "water: { daily_limit_ml: 300 }" });
  const { out } = await tendrilHere(["config", "--state", state]);
  t.match(out, /^ +address: 0x48$/m, "as it is written");
  t.match(parse(out), { water: { daily_limit_ml: 300 }, plants: [{ id: "basil" }], server: { port: 8731 } });
  writeFileSync(join(state, "tendril.yaml"), out);
  t.equal((await tendrilHere(["config", "--state", state])).out, out);
  failsClearly(
    t,
    await tendrilHere(["config", "--config", join(state, "none.yaml")]),
    /there is no configuration \S*none\.yaml: correct --config/,
  );
});
