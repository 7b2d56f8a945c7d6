import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import type { Runtime } from "../agent-client/link/runtime.js";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { seconds } from "../drivers/units.js";
import { defaultConfig } from "../runtime/configuration.js";
import type { Result } from "../runtime/doctor/check.js";
import { modulesOn, toolsOf } from "../runtime/services/modules.js";
import { connectTo } from "./connect-once.js";
import { RuntimeHere, RuntimeProcess, type Served } from "./process.js";
import { failsClearly, type Ran, spawnTendril, TENDRIL, tendril } from "./run-tendril.js";
import { agentHere, tendrilHere } from "./tendril-here.js";
import { hasTerminals, Terminal } from "./terminal.js";

const clock = new SystemClock();

/** A runtime that serves while the test runs, and its command line. */
async function running(t: Test, config?: string) {
  // tap would take its own folder away while the runtime still writes there
  const state = mkdtempSync(join(tmpdir(), "tendril-running-"));
  if (config !== undefined) writeFileSync(join(state, "tendril.yaml"), config);
  const runtime = await RuntimeHere.start({ state });
  t.teardown(() => runtime.stop().finally(() => rmSync(state, { recursive: true })));
  const run = (...args: string[]): Promise<Ran> => tendrilHere([...args, "--state", state]);
  const says = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await run(...args);
    t.equal(code, 0, `tendril ${args.join(" ")}: ${err}`);
    return out;
  };
  return { state, runtime, run, says };
}

/** A state folder whose last run died with a relay on; `relay`: "1" while it is. */
function crashed(folder: string) {
  const relay = join(folder, "relay");
  mkdirSync(folder, { recursive: true });
  writeFileSync(relay, "1");
  writeFileSync(join(folder, "relays.off"), `0 ${relay}\n`);
  return { relay: () => readFileSync(relay, "utf8") };
}

t.test("beside a runtime that runs no second one starts, and the first goes on", async (t) => {
  const { state, runtime, says } = await running(t);
  const serve = (state: string, port: string) => ["serve", "--bench", "--state", state, "--port", port];

  await t.test(
    "a port in use is refused by its code, and keeps nothing on that a crash has left on",
    async (t) => {
      const another = join(state, "another");
      const { relay } = crashed(another);
      const port = new URL(runtime.http).port;
      failsClearly(t, await tendrilHere(serve(another, port)), new RegExp(`${port}.*LISTEN_FAILED`));
      t.equal(relay(), "0");
    },
  );

  await t.test(
    "a state in use is refused by its code, and nothing of the first one's is switched",
    async (t) => {
      const { relay } = crashed(state);
      failsClearly(t, await tendril(serve(state, "0")), /STATE_IN_USE/);
      t.equal(relay(), "1");
    },
  );

  t.match(await says("status"), /Basil/);
});

t.test("status, tools and history show what is there", async (t) => {
  const { says } = await running(t);
  t.match(
    await says("status"),
    /UTC · bench\n\nBasil \(basil\)\n {2}moisture .*\n {2}water +0 ml in 24 h by 0 doses, 500 ml left\n/,
  );
  t.match(JSON.parse(await says("status", "--json")), { board: "bench", plants: [{ plant: "basil" }] });
  const tools = (await says("tools")).trim().split("\n");
  const listed = toolsOf(modulesOn(defaultConfig())).filter(({ scopesOnly }) => !scopesOnly);
  t.equal(tools.length, listed.length, "all but those of the bridge");
  t.match(tools, [/^write_plant_status +Open a care cycle\.$/]);
  t.match(JSON.parse(await says("tools", "--json")), [
    { name: "write_plant_status", inputSchema: { type: "object" } },
  ]);
  t.match(
    await says("history", "moisture", "--hours", "1"),
    /^moisture of the last 1 h \(\d+ records?\)\n[\s\S]*%/,
  );
  t.match(await says("history", "water"), /^nothing in the water history of the last 24 h\n/);
  t.match(await says("history", "light"), /^nothing in the light history/);
});

t.test("a Pi's own file runs on simulated hardware with --bench, and the log says so", async (t) => {
  const light = "{ output: { gpio: 18 } }";
  const file = `board: pi\nplants:\n  - { id: mint, pump: { output: { gpio: 17 } }, light: ${light} }\n`;
  const state = t.testdir({ "tendril.yaml": file });
  const runtime = await RuntimeHere.start({ state });
  const { out } = await tendrilHere(["status", "--state", state]);
  t.match(out, /UTC · bench\n\nmint\n/);
  const { log } = await runtime.stop();
  t.match(log, /board: pi runs on simulated hardware \(--bench\)/);
});

t.test(
  "a bench that a person may break has a leak sensor, its configuration's own if there is one",
  async (t) => {
    const controls = "bench: { controls: true }\n";
    for (const [config, name] of [
      [controls, "tray"],
      [`${controls}inputs: [{ kind: leak, name: floor, gpio: 6 }]\n`, "floor"],
    ] as const) {
      const { says } = await running(t, config);
      const { inputs } = JSON.parse(await says("status", "--json"));
      t.match(inputs, [{ kind: "leak", name }]);
      t.equal(inputs.length, 1);
    }
  },
);

t.test("a person writes to the agent, holds, resumes and clears", async (t) => {
  const { state, says, run } = await running(t);
  t.equal(await says("messages"), "no messages yet\n");
  t.equal(await says("reply", "not", "so", "wet"), "sent as #1\n");
  t.match(await says("messages"), /^#1 .* you, not read yet\n {2}│ not so wet\n$/);
  failsClearly(t, await run("reply", "to nobody", "--to", "99"), /UNKNOWN_MESSAGE/);
  t.match(await says("hold", "basil", "--reason", "repotting"), /basil is on hold/);
  t.match(await says("status"), /on hold .*: repotting/);
  if (hasTerminals()) {
    const terminal = new Terminal([TENDRIL, "status", "--state", state]);
    await terminal.until(/^ {2}on hold .*: repotting/m); // in red, and not with what makes it so in letters
    t.equal(await terminal.end(), 0);
  }
  t.match(await says("resume", "basil"), /lifted the hold of basil .*repotting/);
  t.notMatch(await says("status"), /on hold/);
  t.match(await says("clear"), /no pump was locked/);
  failsClearly(t, await run("hold", "tulip"), /no plant "tulip".*UNKNOWN_PLANT/);
});

t.test(
  "on a bench at sixty times real time a request waits until a person had time to answer it",
  async (t) => {
    const { state, runtime, says } = await running(t, "confirm: { dispense_water: always }");
    const agent = await connectAs(t, runtime, "agent");
    const get = async (name: string, args = {}) => {
      const result = await agent.call(name, args);
      return result.ok ? (result.value as Record<string, unknown>) : result.error;
    };
    await get("write_plant_status", {
      timestamp: ((await get("get_current_time")) as { timestamp: string }).timestamp,
      sensor_reading: ((await get("read_moisture")) as { value: number }).value,
      water_24h: 0,
      light_today: 0,
      plant_state: "healthy",
      next_action_sequence: [{ order: 1, action: "water", value: 10 }],
      reasoning: "a test",
    });
    const asked = await get("dispense_water", { ml: 10 });
    t.match(asked, { code: "APPROVAL_NEEDED" });
    const waiting = await says("approvals");
    t.match(
      waiting,
      /^\? agent wants to pour 10 ml for Basil: .* 1, or .* 1 \(until \d\d:\d\d UTC, 5 min left\)/,
    );
    const hint = /Basil: \.\/tendril (.*), or/.exec(waiting)?.[1]?.split(" ") ?? [];
    const time = async () => Date.parse(((await get("get_current_time")) as { timestamp: string }).timestamp);
    const before = await time();
    await clock.sleep(seconds(1));
    t.ok((await time()) - before < 5000, "its time is as slow as ours meanwhile");
    t.same(hint, ["approve", "--state", state, "1"], "it is printed for the runtime that was asked");
    t.match((await tendrilHere(hint)).out, /approved/);
  },
);

t.test("a command of a family that is not set up says where its owner sets it up", async (t) => {
  const { state, run } = await running(t, "modules: { planner: false }\n");
  const file = join(state, "tendril.yaml");
  for (const [args, family, page] of [
    [["audit"], "web", "web-search"],
    [["home"], "home", "home"],
    [["home", "suggest"], "home", "home"],
    [["events"], "calendars", "bridge"],
    [["channel", "list"], "channels", "telegram"],
  ] as const) {
    const { code, err } = await run(...args);
    t.equal(code, 1);
    t.equal(
      err,
      `tendril: \`${family}:\` is not set up: write \`${family}:\` into ${file}, as docs/${page}.md shows, and restart the runtime\n`,
    );
  }
  t.match((await run("tasks")).err, `take \`planner: false\` out of \`modules:\` in ${file}`);
});

t.test("a token that is added works at once, and a wrong one is told what to do", async (t) => {
  const { state, says, run } = await running(t);
  const file = (await says("token", "add", "observer", "kitchen")).trim();
  t.equal(file, join(state, "tokens", "observer.kitchen"));
  await clock.sleep(seconds(1));
  t.notMatch(await says("tools", "--token-file", file), /set_hold/);
  failsClearly(t, await run("hold", "--token-file", file), /FORBIDDEN/);
  writeFileSync(join(state, "wrong"), "0".repeat(43));
  failsClearly(
    t,
    await run("status", "--token-file", join(state, "wrong")),
    /does not know this token.*--token-file/,
  );
  failsClearly(t, await run("status", "--token-file", join(state, "none")), /none cannot be read \(ENOENT\)/);
});

t.test("a token with a scope does its one thing: metrics are read, and nothing else", async (t) => {
  const { state, says, run } = await running(t);
  const file = (await says("token", "add", "metrics", "prometheus")).trim();
  t.equal(file, join(state, "tokens-scoped", "metrics.prometheus"));
  t.match(await says("token", "list"), /^human .*\n.*observer .*\nmetrics\.prometheus +since /m);
  await clock.sleep(seconds(1));
  const { url } = JSON.parse(readFileSync(join(state, "runtime.json"), "utf8")) as { url: string };
  const base = url.replace("ws:", "http:").replace("/mcp", "");
  const Authorization = `Bearer ${readFileSync(file, "utf8").trim()}`;
  const answer = await fetch(`${base}/metrics`, { headers: { Authorization } });
  t.match(await answer.text(), /^tendril_soil_moisture_ratio\{plant="basil"\} 0\.\d+$/m);
  t.match(await (await fetch(base)).text(), /This is a Tendril runtime/, "the program finds its pages");
  failsClearly(t, await run("status", "--token-file", file), /FORBIDDEN/);
  await says("token", "revoke", "metrics.prometheus");
  t.notMatch(await says("token", "list"), /metrics/);
});

t.test("a token that is revoked opens nothing more, and what it has opened closes at once", async (t) => {
  const { state, says, run, runtime } = await running(t);
  const file = (await says("token", "add", "agent", "attic")).trim();
  await clock.sleep(seconds(1));
  const Authorization = `Bearer ${readFileSync(file, "utf8").trim()}`;
  const socket = new WebSocket(runtime.url, ["mcp"], { headers: { Authorization } });
  await once(socket, "open");
  const closed = once(socket, "close").then(([code]) => ({ code, at: clock.monotonic() }));
  const begun = clock.monotonic();
  t.match(
    await says("token", "revoke", "agent.attic"),
    /agent\.attic is revoked, and its connections are closed/,
  );
  const { code, at } = await closed;
  t.equal(code, 1008);
  t.ok(at - begun < seconds(10), "no heartbeat later");
  t.equal((await fetch(runtime.http, { method: "POST", headers: { Authorization } })).status, 401);
  t.notOk(existsSync(file));
  // the owner's own token goes too, and then the file is all that is left to remove
  failsClearly(t, await run("token", "revoke", "human"), /nothing was revoked.*closed to you.*--yes/);
  t.match(await says("token", "revoke", "human", "--yes"), /human is revoked, and/);
  failsClearly(
    t,
    await run("status"),
    /tokens\/human cannot be read \(ENOENT\): ".*tendril token add .*human" makes it/,
  );
  const { checks } = JSON.parse((await run("doctor", "--json")).out) as { checks: Result[] };
  const found = (name: string) => checks.find((check) => check.name === name);
  t.match(found("tokens"), { verdict: "failure", mend: "tendril token add human" });
  t.match(found("runtime"), { verdict: "skipped", found: /without the token human/ });
  const said = await says("token", "revoke", "observer");
  t.match(
    said.replaceAll(/\s+/g, " "),
    /observer is revoked\. The runtime was not asked .*within half a minute/,
  );
  t.notOk(existsSync(join(state, "tokens", "observer")));
});

t.test("off switches everything off and holds; without any token it still switches off", async (t) => {
  const { state, says, run } = await running(t);
  t.match(await says("off"), /everything is off\non hold/);
  t.match(await says("status"), /on hold .*: tendril off/);
  writeFileSync(join(state, "wrong"), "0".repeat(43));
  const wrong = await run("off", "--token-file", join(state, "wrong"));
  t.match(wrong, {
    code: 1,
    out: "everything is off\n",
    err: /everything is off, but not on hold: .*does not know this token/,
  });
  rmSync(join(state, "tokens", "human"));
  const { code, out, err } = await run("off");
  t.equal(out, "everything is off\n");
  t.match(err, /everything is off, but not on hold: .*tokens\/human cannot be read/);
  t.not(code, 0, "the hold was not set, and it says so");
});

t.test("where no runtime runs, every command says so", async (t) => {
  const state = t.testdir({ tokens: { human: "x" } });
  for (const command of ["status", "off"]) {
    failsClearly(
      t,
      await tendrilHere([command, "--state", state]),
      /no runtime is running on .*tendril serve --state \S+ --bench/,
    );
  }
  const away = await tendrilHere(["status", "--state", state, "--url", "ws://127.0.0.1:1/mcp"]);
  failsClearly(t, away, /nothing answers at http:\/\/127\.0\.0\.1:1\/mcp/);
});

t.test("agent --once completes a cycle and exits 0; with the runtime away it does not", async (t) => {
  const { state, runtime, says } = await running(t);
  const { code, out, err } = await tendril(["agent", "--once", "--state", state]);
  t.equal(code, 0, err);
  t.match(out, /cycle 1 .*moisture[\s\S]*completed/);
  t.match(await says("status"), /state {5}\w+, says agent, at /);
  const { url } = runtime;
  await runtime.stop();
  const away = await agentHere(["--once", "--url", url, "--token-file", join(state, "tokens", "agent")])
    .ended;
  t.equal(away.code, 3);
  t.match(away.err, /REFUSED/);
});

const connectHuman = (t: Test, runtime: Served) => connectAs(t, runtime, "human");

async function connectAs(t: Test, runtime: Served, name: "human" | "agent"): Promise<Runtime> {
  const link = await connectTo(runtime, name);
  t.teardown(() => link.close());
  return link;
}

/** A dose is admitted, and charged. */
async function untilPouring(human: Runtime): Promise<void> {
  for (let pouring = false; !pouring; ) {
    const answer = await human.call("get_overview", {});
    const { plants } = (answer.ok ? answer.value : { plants: [] }) as {
      plants: { water: { used_ml: number } }[];
    };
    pouring = (plants[0]?.water.used_ml ?? 0) > 0;
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  t.test(
    `${signal} stops a runtime that waters and lights: relays off first, then exit code 0`,
    async (t) => {
      const state = mkdtempSync(join(tmpdir(), "tendril-running-"));
      const runtime = await RuntimeProcess.start({ state, speed: 1 });
      t.teardown(() => runtime.stop("SIGKILL").finally(() => rmSync(state, { recursive: true })));
      const human = await connectHuman(t, runtime);
      await human.call("turn_on_light", { minutes: 60 });
      const pouring = human.call("dispense_water", { ml: 25 }).catch(() => undefined);
      await untilPouring(human);
      t.match(await runtime.stop(signal), { code: 0, signal: null });
      await pouring;
      const journal = (name: string) => readFileSync(join(state, "journal", `${name}.jsonl`), "utf8");
      t.match(journal("water").trim().split("\n").at(-1), /"kind":"stopped".*"outcome":"stopped"/);
      t.match(journal("light").trim().split("\n").at(-1), /"kind":"off"/);
      const { err } = await tendrilHere(["status", "--state", state]);
      t.match(err, /no runtime is running/, "and its address is gone");
    },
  );
}

t.test("a pipe among the tokens keeps no revoked token, no hold and no end waiting", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "tendril-running-"));
  const runtime = await RuntimeProcess.start({ state, speed: 1 });
  t.teardown(() => runtime.stop("SIGKILL").finally(() => rmSync(state, { recursive: true })));
  const pipe = join(state, "tokens", "agent.zz");
  t.equal(spawnSync("mkfifo", ["-m", "600", pipe]).status, 0);
  await clock.sleep(seconds(1.1));
  const agent = await connectAs(t, runtime, "agent");
  t.ok((await agent.call("get_overview", {})).ok);
  const began = clock.monotonic();
  const run = (...args: string[]) => tendrilHere([...args, "--state", state]);
  t.match(await run("token", "revoke", "agent"), { out: /agent is revoked, and its connections are closed/ });
  t.match(await run("off"), { code: 0, out: /on hold/ });
  t.ok(clock.monotonic() - began < seconds(5));
  t.match(await runtime.stop("SIGTERM"), { code: 0, log: /agent\.zz is no file/ });
});

t.test("off says after some seconds without an answer what else helps, and goes on", async (t) => {
  const state = mkdtempSync(join(tmpdir(), "tendril-running-"));
  const runtime = await RuntimeProcess.start({ state, speed: 1 });
  t.teardown(() => runtime.stop("SIGKILL").finally(() => rmSync(state, { recursive: true })));
  runtime.signal("SIGSTOP");
  const { child, ended } = spawnTendril(["off", "--state", state]);
  const began = clock.monotonic();
  const [said] = await once(child.stderr as Readable, "data");
  t.match(String(said), /NO ANSWER YET: PUMPS AND LIGHTS MAY BE ON\n.*\n.*stop button, or pull the plugs/);
  t.ok(clock.monotonic() - began < seconds(9));
  runtime.signal("SIGCONT");
  t.match(await ended, { code: 0, out: /everything is off and on hold/ });
});

t.test("tendril water pours by hand, and onto wet soil only with --yes", async (t) => {
  const { run, says } = await running(t, "plants: [{ id: basil, water: { not_above: 10 } }]");
  const refused = await run("water", "10");
  t.equal(refused.code, 1);
  t.match(
    `${refused.out}${refused.err}`,
    /^tendril: nothing was poured: .*above the 10 % \(configured\) [\s\S]*--yes\n$/,
  );
  t.match(
    await says("water", "10", "--plant", "basil", "--yes"),
    /poured 10 ml on basil; 490 ml are left for these 24 h/,
  );
  failsClearly(t, await run("water", "26"), /10 to 25/);
});

t.test(
  "on a terminal of 80 columns no line of a command is wider, but for one long word",
  { skip: !hasTerminals() && "there is no script(1)" },
  async (t) => {
    const config = "server: { tls: { host: 127.0.0.1, port: 0 } }\n";
    const { state, says } = await running(t, config);
    await says(
      "hold",
      "--reason",
      "the owner is away until Sunday and asks that nobody waters before that day",
    );
    for (const args of [["status"], ["tools"], ["doctor"], ["pair"]]) {
      const terminal = new Terminal([TENDRIL, ...args, "--state", state], {}, 80);
      await terminal.end();
      const lines = terminal.lines();
      t.ok(lines.length > 1, args.join(" "));
      const wide = lines.filter((line) => line.length > 80 && line.trim().includes(" "));
      t.same(wide, [], args.join(" "));
    }
  },
);
