import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { parseConfig } from "../../runtime/configuration.js";
import { startRuntime } from "../../runtime/main.js";
import { type Standby, startOrStandBy } from "../../runtime/standby.js";
import { TENDRIL } from "../run-tendril.js";
import { tendrilHere } from "../tendril-here.js";

const config = parseConfig("server: { port: 0 }", "t.yaml");
const board = () => ({ clock: new SimulatedClock("2026-06-01T08:30:00Z"), speed: 1, seed: 1 });

async function folder(t: Test): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "tendril-standby-"));
  t.teardown(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** A state folder that has served before. */
async function used(t: Test): Promise<string> {
  const state = join(await folder(t), "state");
  const runtime = await startRuntime({ config, state, board: board(), log: () => undefined });
  await runtime.stop();
  return state;
}

/** A list of relays to switch off with one, that is on. */
async function relayLeftOn(state: string): Promise<() => Promise<string>> {
  const relay = join(state, "relay");
  await writeFile(relay, "1");
  await writeFile(join(state, "relays.off"), `0 ${relay}\n`);
  return () => readFile(relay, "utf8");
}

const post = (url: string) => fetch(url.replace(/^ws(.*)\/mcp$/, "http$1/off"), { method: "POST" });

t.test(
  "a start on a full disk switches off, answers POST /off, and says why nothing else works",
  async (t) => {
    const state = await used(t);
    // no file may grow; tap's own hooks (NODE_OPTIONS) would write files too
    const script = 'unset NODE_OPTIONS && ulimit -S -f 0 && exec "$0" "$@"';
    const serve = [TENDRIL, "serve", "--bench", "--port", "0", "--state", state];
    const child = spawn("bash", ["-c", script, process.execPath, ...serve], {
      stdio: ["ignore", "pipe", "pipe"], // a file for stderr could not be written either
    });
    t.teardown(async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const [, url = ""] = /^standing by on (ws:\S+): nothing can be switched on$/.exec(line) ?? [];
    t.match(await (await post(url)).json(), { off: true });
    const status = await tendrilHere(["status", "--state", state, "--url", url]);
    t.match(status.err, /everything is off, and this runtime waits .*lock\.sqlite failed .*STORE_FAILED/s);
    t.not(status.code, 0);
    const off = await tendrilHere(["off", "--state", state, "--url", url]);
    t.match(off.out, /everything is off/);
    t.match(off.err, /not on hold.*STORE_FAILED/s, "no hold is promised");
    const water = await tendrilHere(["water", "10", "--state", state, "--url", url]);
    t.match(water.err, /STORE_FAILED/);
  },
);

for (const { what, block, why } of [
  { what: "be opened", block: (journal: string) => mkdir(journal), why: /water\.jsonl.*STORE_FAILED/ },
  {
    what: "take the ledger's first line",
    block: (journal: string) => symlink("/dev/full", journal),
    why: /LEDGER_UNAVAILABLE/,
  },
])
  t.test(
    `a runtime that stands by switches off at each POST /off, and starts when its store can ${what}`,
    async (t) => {
      const state = await used(t);
      const journal = join(state, "journal/water.jsonl");
      await rename(journal, `${journal}.kept`);
      await block(journal);
      const waits = new EventEmitter();
      const attempts = {
        sleep: async () => {
          waits.emit("waiting");
          await once(waits, "over");
        },
      };
      const log: string[] = [];
      const standbys: Standby[] = [];
      const starting = startOrStandBy({
        ...{ config, state, board: board(), attempts, onStandby: (standby) => standbys.push(standby) },
        log: (level, message) => log.push(`${level} ${message}`),
      });
      await once(waits, "waiting");
      t.match(await standbys[0]?.health(), [why]);
      const url = standbys[0]?.url ?? "";
      const relay = await relayLeftOn(state);
      t.equal((await post(url)).status, 200);
      t.equal(await relay(), "0");
      waits.emit("over");
      await once(waits, "waiting");
      t.equal((await post(url)).status, 200, "it still stands by");
      t.equal(standbys.length, 1);
      t.equal(log.filter((line) => line.includes("standing by")).length, 1, "told once");
      await rm(journal, { recursive: true });
      await rename(`${journal}.kept`, journal);
      waits.emit("over");
      const runtime = await starting;
      t.teardown(() => runtime.stop().then(() => undefined));
      t.same(await runtime.health(), []);
      t.equal((await post(runtime.url)).status, 200);
    },
  );

for (const name of [
  ...["tendril.sqlite", "care.json", "photo-link.key", "token-uses.json", "sessions.json", "used"],
  ...["relays.off", "journal/water.jsonl.lost"],
])
  t.test(`no start waits for a pipe in place of ${name}`, async (t) => {
    const state = await used(t);
    const file = join(state, name);
    await rm(file, { force: true });
    t.equal(spawnSync("mkfifo", [file]).status, 0);
    const standbys: Standby[] = [];
    const attempts = {
      sleep: async () => {
        t.equal((await post(standbys[0]?.url ?? "")).status, 200);
        await rm(file);
      },
    };
    const options = { config, state, board: board(), attempts, log: () => undefined };
    const runtime = await startOrStandBy({ ...options, onStandby: (standby) => standbys.push(standby) });
    t.equal((await post(runtime.url)).status, 200);
    await runtime.stop();
  });
