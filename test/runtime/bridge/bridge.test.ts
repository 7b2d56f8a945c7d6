import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { seconds } from "../../../drivers/units.js";
import { ADAPTERS } from "../../../runtime/bridge/adapters.js";
import { readSecrets, UsageError } from "../../../runtime/bridge/secrets.js";
import { bridgeFolder as benchFolder } from "../../../runtime/places.js";
import { servedWithTokens } from "../../contract/served.js";
import { RuntimeHere } from "../../process.js";
import { type Rig, rigFor } from "../../rig.js";
import type { Ran } from "../../run-tendril.js";
import { type ProgramHere, tendrilHere } from "../../tendril-here.js";
import { allText, bridgeFolder, bridgeHere, spawnBridge, spawnOrphan, until } from "./bridge-process.js";
import { calendar, event } from "./calendars.js";
import { answers, gives, OutsideServer } from "./outside-server.js";
import { searxngPage } from "./search-pages.js";

const PATH = "/ical/anna%40example.com/private-0123456789abcdef/basic.ics";
const CONFIG = "server: { calls_per_second: 100000 }\ncalendars: [{ name: family }]";
const START = "2026-11-23T08:00:00.000Z";
/** It repeats its own address, as some servers do. */
const dentist = (origin: string) =>
  calendar(
    event(
      ...["UID:1", "DTSTART:20261124T100000Z", "DTEND:20261124T110000Z", "SUMMARY:Dentist"],
      `URL:${origin}${PATH}`,
    ),
  );

const named = (address: string) => `calendars:\n  family: ${address}\n`;

/** A runtime on a real port, whose time stands still, and a bridge, in this process or as one of its own. */
async function withBridge(t: Test, server: OutsideServer, { config = CONFIG, more = "" } = {}) {
  const rig = await rigFor(t, { config, start: START, peopleToo: true });
  const { url, close } = await servedWithTokens(t, rig);
  const folder = await bridgeFolder(t, `${named(`${server.origin}${PATH}`)}${more}`);
  const token = join(rig.state, "tokens-scoped", "bridge");
  const args = ["--url", url, "--token-file", token, "--state", folder];
  const startProcess = () => {
    const started = spawnBridge(args);
    t.teardown(() => started.child.kill("SIGKILL"));
    return started;
  };
  const start = () => {
    const bridge = bridgeHere(args);
    t.teardown(() => ended(bridge));
    return bridge;
  };
  return { rig, url, close, start, startProcess };
}

/** Ends it in good order. */
function ended(bridge: ProgramHere): Promise<Ran> {
  bridge.signal("SIGTERM");
  return bridge.ended;
}

const eventsOf = async (rig: Rig) =>
  (await rig.get("list_events")) as {
    events: { title: string; external_url: string | null }[];
    calendars: { trouble: { code: string; message: string } | null }[];
  };
const troubleOf = async (rig: Rig) => (await eventsOf(rig)).calendars[0]?.trouble?.code;
const shown = (rig: Rig) =>
  until(async () => {
    const { events } = await eventsOf(rig);
    return events.length > 0 ? events : undefined;
  });
const isConnected = async (rig: Rig): Promise<boolean> => {
  const { bridge } = await rig.get("get_overview", {}, { as: "human" });
  return (bridge as { connected: boolean }).connected;
};

t.test("a bridge ends with what started it, also if that is killed before the bridge is ready", async (t) => {
  const folder = await bridgeFolder(t, "");
  const token = join(folder, "token");
  await writeFile(token, "x".repeat(43), { mode: 0o600 });
  await spawnOrphan(["--url", "ws://127.0.0.1:1", "--token-file", token, "--state", folder]);
});

t.test("a bridge fetches a calendar, says goodbye when it stops, and its secrets stay with it", async (t) => {
  const server = await OutsideServer.start(t, answers(404));
  server.now(gives(dentist(server.origin)));
  const { rig, startProcess } = await withBridge(t, server);
  const { child, ended } = startProcess();
  t.match(await shown(rig), [{ title: "Dentist", external_url: /^\[removed\]$|^http.*\[removed\]/ }]);
  t.equal(await isConnected(rig), true);
  child.kill("SIGTERM");
  const { code, out, err } = await ended;
  t.equal(code, 0, err);
  t.match(out, /^tendril-bridge: connected/m);
  t.equal(await isConnected(rig), false, "at once");
  const everything = `${await allText(rig.state)}${rig.log.join("\n")}${out}${err}`;
  t.notMatch(everything, /private-0123|anna%40example|basic\.ics/);
});

t.test("a failure has its reason, and no address, in the runtime's state, log and answers", async (t) => {
  const server = await OutsideServer.start(t, answers(403));
  const { rig, start } = await withBridge(t, server);
  const bridge = start();
  await until(async () => ((await troubleOf(rig)) === "HTTP_403" ? true : undefined));
  const { out, err } = await ended(bridge);
  const listed = JSON.stringify(await eventsOf(rig));
  t.notMatch(
    `${await allText(rig.state)}${rig.log.join()}${listed}${out}${err}`,
    /private-0123|127\.0\.0\.1:\d+\/ical/,
  );
});

t.test("a bridge that is killed in the middle of a job is away; the next one goes on", async (t) => {
  const server = await OutsideServer.start(t, () => undefined);
  const { rig, startProcess } = await withBridge(t, server);
  const { child, ended } = startProcess();
  await until(() => server.asked[0]);
  child.kill("SIGKILL");
  await ended;
  // the poll that it left open ends, then nobody asks again
  for (let at = 0; at < 4; at += 1) await rig.pass(seconds(5));
  t.equal(await isConnected(rig), false);
  t.equal(await troubleOf(rig), "BRIDGE_AWAY");
  server.now(gives(dentist("https://example.com")));
  startProcess();
  t.match(await shown(rig), [{ title: "Dentist", external_url: /^https:\/\/example\.com/ }]);
});

t.test("a bridge finds a runtime again that was away, and needs no help for it", async (t) => {
  const server = await OutsideServer.start(t, gives(dentist("https://example.com")));
  const { rig, url, close, start } = await withBridge(t, server);
  const bridge = start();
  await shown(rig);
  await close();
  await rig.restart();
  const before = server.asked.length;
  await servedWithTokens(t, rig, {}, Number(new URL(url).port));
  await until(() => (server.asked.length > before ? true : undefined));
  await until(async () => ((await troubleOf(rig)) === undefined ? true : undefined));
  t.match((await ended(bridge)).out, /connected[\s\S]*the link is lost[\s\S]*connected/);
});

t.test("a second bridge waits, says why, and goes on when the first has gone", async (t) => {
  const server = await OutsideServer.start(t, gives(dentist("https://example.com")));
  const { rig, start } = await withBridge(t, server);
  const first = start();
  await shown(rig);
  const second = start();
  await second.until(/waiting: another bridge .*BRIDGE_TAKEN/);
  await ended(first);
  await second.until(/connected: jobs are taken/);
  t.equal(await isConnected(rig), true);
});

t.test("a token that may not is the end of it, and wrong use too", async (t) => {
  const server = await OutsideServer.start(t, answers(404));
  const { rig, url } = await withBridge(t, server);
  const folder = await bridgeFolder(t, "");
  const run = (...args: string[]) => bridgeHere(["--url", url, "--state", folder, ...args]).ended;
  const human = await run("--token-file", join(rig.state, "tokens", "human"));
  t.match(human, { code: 4, err: /take_jobs needs the scope bridge; this token is human/ });
  t.match(await run(), { code: 2, err: /token cannot be read \(ENOENT\).*tendril token add bridge/ });
  t.match(await run("--token-file", join(folder, "bridge.yaml")), {
    code: 2,
    err: /does not hold one token/,
  });
  t.match(await run("--url", "example.com"), { code: 2 });
  const open = await bridgeFolder(t, "", 0o644);
  const token = join(rig.state, "tokens-scoped", "bridge");
  t.match(await bridgeHere(["--state", open, "--token-file", token]).ended, { code: 2, err: /chmod 600/ });
});

/** What is said of a file that cannot be used. */
async function refusalOf(t: Test, yaml: string, mode?: number): Promise<string> {
  const file = join(await bridgeFolder(t, yaml, mode), "bridge.yaml");
  try {
    return Object.values(readSecrets(file, ADAPTERS, {}).problems).join("\n");
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

t.test(
  "a file of secrets that others can read, or that is wrong, is refused without its words",
  async (t) => {
    const secret = `example.com${PATH}`;
    t.match(
      await refusalOf(t, named(`https://${secret}`), 0o644),
      /bridge\.yaml is open to other users: chmod 600/,
    );
    t.equal(await refusalOf(t, named(`https://${secret}`)), "");
    for (const [yaml, told] of [
      [named(`http://${secret}`), /:2: calendars\.family: is without TLS/],
      [named(`ftp://${secret}`), /:2: calendars\.family: must be an address that begins with https/],
      [`calendars:\n  family:\n    url: https://${secret}\n`, /:3: calendars\.family\.url: unknown key/],
      [`calendars: [https://${secret}]\n`, /:1: calendars: /],
      [`calendars:\n  https://${secret}: family\n`, /:2: …/],
      [`calendar:\n  family: https://${secret}\n`, /:2: calendar: unknown key/],
      [
        `calendars: { family: "https://${secret}\n`,
        /bridge\.yaml:1: the quote that begins here is not closed$/,
      ],
      [`calendars:\n family: *https://${secret}\n`, /bridge\.yaml: /],
    ] as const) {
      const said = await refusalOf(t, yaml);
      t.match(said, told);
      t.notMatch(said, /private|0123456789abcdef/, yaml);
    }
  },
);

t.test("one part of bridge.yaml that is wrong ends that part alone, and the runtime knows why", async (t) => {
  const server = await OutsideServer.start(t, answers(404));
  server.now(gives(dentist(server.origin)));
  const config = `${CONFIG}\nweb: { search: searxng }`;
  const { rig, start } = await withBridge(t, server, {
    config,
    more: "search:\n  searxng: ftp://secret.example\n",
  });
  const running = start();
  t.match(await shown(rig), [{ title: "Dentist" }]);
  const { bridge } = await rig.get("get_overview", {}, { as: "human" });
  t.match(bridge, { connected: true, problems: [/bridge\.yaml:4: search\.searxng: must be an address/] });
  const refusal = await rig.refused("search_web", { query: "fern" }, { as: "human" });
  t.match(refusal, {
    code: "JOB_FAILED",
    message:
      /bridge\.yaml.*: write it there, as docs\/bridge\.md shows, and restart the bridge \(JOB_FAILED\)$/,
    details: { cause: "NOT_CONFIGURED" },
  });
  const { out, err } = await ended(running);
  t.match(out, /search\.searxng: must be an address/);
  t.notMatch(`${out}${err}${JSON.stringify([bridge, refusal])}`, /secret\.example/);
});

t.test("twelve calendars at once are no reason for a warning of Node", async (t) => {
  const server = await OutsideServer.start(t, answers(404));
  const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const config = `${CONFIG.replace(/calendars:.*/, "")}\ncalendars: [${names.map((name) => `{ name: ${name} }`).join(", ")}]`;
  const more = names.map((name) => `  ${name}: ${server.origin}/${name}.ics\n`).join("");
  const { rig, startProcess } = await withBridge(t, server, { config, more });
  const { child, ended } = startProcess();
  await until(async () => {
    const { calendars } = await eventsOf(rig);
    return calendars.every(({ trouble }) => trouble?.code === "HTTP_404") ? true : undefined;
  });
  child.kill("SIGTERM");
  t.notMatch((await ended).err, /MaxListeners/);
});

t.test("what took the runtime's port does not get the token", async (t) => {
  const seen: string[] = [];
  const impostor = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers) + request.url);
    response.end("{}");
  });
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  t.teardown(() => impostor.close());
  const folder = await bridgeFolder(t, "");
  await writeFile(join(folder, "token"), "a-token-that-nobody-else-knows");
  const { port } = impostor.address() as AddressInfo;
  const bridge = bridgeHere(["--state", folder, "--url", `ws://127.0.0.1:${port}/mcp`]);
  await until(() => (seen.length > 0 ? true : undefined));
  await ended(bridge);
  t.notMatch(seen.join("\n"), /a-token-that/);
});

t.test("on the bench serve starts the bridge as a child, with a token and a folder of its own", async (t) => {
  const server = await OutsideServer.start(t, gives(dentist("https://example.com")));
  const state = await bridgeFolder(t, "");
  await writeFile(join(state, "tendril.yaml"), "calendars: [{ name: family }, { name: other }]\n");
  const own = benchFolder(state);
  t.teardown(() => rm(own, { recursive: true, force: true }));
  const env = { TZ: "UTC" };
  const runtime = await RuntimeHere.start({ state, speed: 1, env });
  t.teardown(() => runtime.stop());
  await until(
    async () => (await readFile(join(state, "tokens-scoped", "bridge"), "utf8").catch(() => "")) || undefined,
  );
  const ask = async () => {
    const { out } = await tendrilHere(["events", "--state", state, "--days", "60", "--json"]);
    return JSON.parse(out) as { events: unknown[]; calendars: { trouble: { code: string } | null }[] };
  };
  const codes = await until(async () => {
    const all = (await ask()).calendars.map(({ trouble }) => trouble?.code);
    return all.every((code) => code === "NOT_CONFIGURED") ? all : undefined;
  });
  t.equal(codes.length, 2, "until its file names them");
  const first = await runtime.stop();
  t.notMatch(first.log, /does not know this token/, "it counts at once");
  await writeFile(join(own, "bridge.yaml"), named(`${server.origin}${PATH}`), { mode: 0o600 });
  const again = await RuntimeHere.start({ state, speed: 1, env });
  const found = await until(async () => {
    const { calendars } = await ask();
    return calendars[0]?.trouble === null ? calendars : undefined;
  });
  t.match(found, [{ name: "family", trouble: null }, { trouble: { code: "NOT_CONFIGURED" } }]);
  const { log } = await again.stop();
  t.match(log, /tendril-bridge: connected/);
  t.notMatch(`${log}${await allText(state)}`, /private-0123/);
});

t.test("a search goes through the bridge to a server and back, and the record has it", async (t) => {
  const server = await OutsideServer.start(t, answers(404));
  server.now(gives(JSON.stringify(searxngPage(2)), { "content-type": "application/json" }));
  const config = `${CONFIG}\nweb: { search: searxng }`;
  const more = `search:\n  searxng: ${server.origin}/\n`;
  const { rig, start } = await withBridge(t, server, { config, more });
  start();
  await until(async () => ((await isConnected(rig)) ? true : undefined));
  const found = await rig.get("search_web", { query: "fern leaves" });
  t.match(found, { query: "fern leaves", results: [{ title: "Page 0" }, { title: "Page 1" }] });
  const searches = [{ outcome: "answered", results: 2 }];
  t.match(await rig.get("list_web_searches", {}, { as: "human" }), { searches });
});
