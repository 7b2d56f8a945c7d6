import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { minutes } from "../../../drivers/units.js";
import { ADAPTERS } from "../../../runtime/bridge/adapters.js";
import { Bridge } from "../../../runtime/bridge/bridge.js";
import { reportMissing } from "../../../runtime/bridge/channel-reports.js";
import { Link } from "../../../runtime/bridge/link.js";
import { mailAdapter } from "../../../runtime/bridge/mail/adapter.js";
import { readSecrets } from "../../../runtime/bridge/secrets.js";
import { readOverview } from "../../../runtime/cli/remote.js";
import { describe } from "../../../runtime/cli/status.js";
import { bridgeChecks } from "../../../runtime/doctor/checks/bridge.js";
import type { Installation } from "../../../runtime/doctor/installation.js";
import { channelsConfig } from "../../../runtime/services/channels/declarations.js";
import { servedWithTokens } from "../../contract/served.js";
import { type Rig, rigFor } from "../../rig.js";
import { MailServer } from "./mail-server.js";
import { FakeTelegram, soon } from "./telegram/fake-telegram.js";

/** The runtime knows ntfy, and the bridge's file knows Telegram. */
const HOUSE = `server: { calls_per_second: 100000 }
channels: { ntfy: { accounts: { household: phone } } }`;

const EMPTY = readSecrets("no/bridge.yaml", ADAPTERS, {});
const CHANNELS = channelsConfig.channels.unwrap().shape;

/** What tendril.yaml has to say of a channel, with as little as possible. */
function leastOf(name: keyof typeof CHANNELS): object {
  const tried = [{}, ...["phone", "anna@example.org"].map((to) => ({ accounts: { household: to } }))];
  const found = tried.find((settings) => CHANNELS[name].safeParse(settings).success);
  if (!found) throw new Error(`${name}: leastOf needs an account of its kind`);
  return found;
}

const testOf = (name: string): string =>
  name === "telegram" ? "test/runtime/bridge/telegram/" : `test/runtime/bridge/${name}-adapter.test.ts`;

/** Notes which tools the bridge calls. */
class WatchedLink extends Link {
  readonly called: string[] = [];

  override call(...[tool, ...rest]: Parameters<Link["call"]>): ReturnType<Link["call"]> {
    this.called.push(tool);
    return super.call(tool, ...rest);
  }
}

async function withBridge(t: Test): Promise<Rig> {
  const telegram = await FakeTelegram.start(t);
  return (await bridged(t, HOUSE, { telegram: { token: telegram.token, api_root: telegram.root } })).rig;
}

async function bridged(
  t: Test,
  config: string,
  values: object,
  problems: Readonly<Record<string, string>> = {},
): Promise<{ rig: Rig; link: WatchedLink }> {
  const rig = await rigFor(t, { config });
  const { url } = await servedWithTokens(t, rig);
  const token = (await readFile(join(rig.state, "tokens-scoped", "bridge"), "utf8")).trim();
  const link = new WatchedLink({ url, token });
  const stopping = new AbortController();
  const bridge = new Bridge({
    ...{ link, adapters: ADAPTERS },
    secrets: { values: { ...EMPTY.values, ...values }, problems },
    ...{ clock: new SystemClock(), random: () => 0.9, say: () => undefined, signal: stopping.signal },
  });
  const serving = bridge.serve();
  t.teardown(async () => {
    stopping.abort();
    await serving;
  });
  return { rig, link };
}

const overviewOf = async (rig: Rig) => readOverview(await rig.get("get_overview", {}, { as: "human" }));

t.test("a result is read by its facts, also where its text is a sentence", async (t) => {
  const rig = await rigFor(t, {});
  const { url } = await servedWithTokens(t, rig);
  const link = new Link({ url, token: (await readFile(join(rig.state, "tokens", "agent"), "utf8")).trim() });
  t.teardown(() => link.close());
  const args = { taskPayload: "x", timeExpression: "in 2 days", humanReadableDescription: "Look" };
  t.match(await link.call("scheduleAgentTask", args), { message: /^Scheduled: Look/, task_id: String });
});

t.test("a house without channels hears nothing of them", async (t) => {
  const { link } = await bridged(t, "calendars: [{ name: family }]", {});
  // it asks for jobs again once it has told what there is to tell
  await soon(async () => link.called.filter((tool) => tool === "take_jobs").length > 1 || undefined);
  t.notOk(link.called.includes("note_channel"), link.called.join());
});

t.test("a mail server that only agents' mails go through is no channel, and reports nothing", async (t) => {
  const server = await MailServer.start(t);
  const address = { server: "127.0.0.1", port: server.port, security: "none", from: "tendril@home.example" };
  const { rig, link } = await bridged(t, "mail: {}", { mail: mailAdapter.config.parse(address) });
  await soon(async () => server.connections > 0 || undefined);
  await soon(async () => link.called.filter((tool) => tool === "take_jobs").length > 1 || undefined);
  t.same([...new Set(link.called)], ["take_jobs"]);
  t.notOk((await overviewOf(rig)).bridge?.problems);
});

t.test(
  "each channel has an adapter and a page, and a bridge.yaml without it is told with that page",
  async (t) => {
    const names = Object.keys(CHANNELS) as (keyof typeof CHANNELS)[];
    const bridge = await readFile("docs/bridge.md", "utf8");
    for (const name of names) {
      if (!ADAPTERS.some((adapter) => adapter.name === name))
        throw new Error(`${name} has no adapter in runtime/bridge/adapters.ts`);
      for (const file of [`docs/${name}.md`, testOf(name)]) t.ok(existsSync(file), `write ${file}`);
      t.match(bridge, `](${name}.md)`, `docs/bridge.md leads to docs/${name}.md`);
      t.match(CHANNELS[name].description, new RegExp(`: docs/${name}\\.md$`));
    }
    const channels = Object.fromEntries(names.map((name) => [name, leastOf(name)]));
    const { rig } = await bridged(t, JSON.stringify({ channels }), {});
    const told = await soon(async () => {
      const { channels: all } = await overviewOf(rig);
      return all.every(({ state }) => state === "down") ? all : undefined;
    });
    t.same(
      told.map(({ channel, code, message }) => ({ channel, code, message })),
      names.map((channel) => ({
        ...{ channel, code: "NOT_CONFIGURED" },
        message: `bridge.yaml has no \`${channel}:\` (docs/${channel}.md)`,
      })),
    );
  },
);

t.test("what one of the two files lacks for a channel is told: by status, doctor and page", async (t) => {
  const rig = await withBridge(t);
  await soon(async () => (await overviewOf(rig)).channels[0]?.state === "down" || undefined);
  const overview = await soon(async () => {
    // the reverse is told when the bridge asks for jobs again: at once after a job
    const { letters } = await rig.get("test_channel", { channel: "ntfy" }, { as: "human" });
    t.match(letters, [{ delivered: false, code: "NOT_CONFIGURED" }]);
    const now = await overviewOf(rig);
    return now.bridge?.problems && now;
  });
  t.match(overview.channels, [
    { channel: "ntfy", code: "NOT_CONFIGURED", message: "bridge.yaml has no `ntfy:` (docs/ntfy.md)" },
  ]);
  t.same(overview.bridge?.problems, ["it has `telegram:`, and `channels:` of tendril.yaml has no telegram"]);
  t.match(
    describe(overview),
    /^! ntfy has been down since .*bridge\.yaml has no `ntfy:`.* \(NOT_CONFIGURED\)/m,
  );
  const installation = { runtime: { is: "running", overview }, config: rig.core.config, state: "/tmp/x" };
  const checks = bridgeChecks(installation as unknown as Installation);
  const found = await Promise.all(checks.map(async ({ run }) => JSON.stringify(await run())));
  t.match(found[0], /it has `telegram:`/);
  t.match(found[1], /ntfy has been down since .*NOT_CONFIGURED/);
});

t.test("a mistake in bridge.yaml that stops a channel is told once, as that channel's trouble", async (t) => {
  const problems = {
    ntfy: "S/bridge.yaml:1:1: ntfy.topics.phone: must be 1–64 of A–Z",
    home: "S/bridge.yaml:2:1: home.token: is missing",
  };
  const { rig } = await bridged(t, HOUSE, {}, problems);
  const overview = await soon(async () => {
    await rig.get("test_channel", { channel: "ntfy" }, { as: "human" });
    const now = await overviewOf(rig);
    return now.channels[0]?.state === "down" ? now : undefined;
  });
  t.match(overview.channels, [{ channel: "ntfy", code: "NOT_CONFIGURED", message: problems.ntfy }]);
  t.same(overview.bridge?.problems, [problems.home]);
  t.equal(describe(overview).split("ntfy").length, 3, "the channel's name, and its key");
});

t.test(
  "words of servers outside stand in the bridge's log on one line, hidden signs by their numbers, and cut",
  async (t) => {
    const said: string[] = [];
    const trouble = `home: refused\n<4>all is well \u202e${"x".repeat(2000)}`;
    new Bridge({
      ...{ link: new WatchedLink({ url: "ws://127.0.0.1:1/mcp", token: "none" }), adapters: [] },
      secrets: { values: {}, problems: { home: trouble } },
      ...{ clock: new SystemClock(), random: () => 0.9, say: (text: string) => said.push(text) },
      signal: new AbortController().signal,
    });
    t.match(said, [/^home: refused\\u\{a\}<4>all is well \\u\{202e\}x+… \(\d+ characters\)$/]);
    t.ok(String(said[0]).length < 1100);
  },
);

t.test("a channel that is taken out of tendril.yaml too is no mistake of the bridge's file", async (t) => {
  const clock = new SimulatedClock();
  const stopping = new AbortController();
  const connected: (() => void)[] = [];
  const [reports, problems]: [unknown[], unknown[]] = [[], []];
  let isAsked = true;
  reportMissing("ntfy", {
    call: async (_, report) => {
      reports.push(report);
      return {};
    },
    clock,
    isAsked: () => isAsked,
    onConnected: (listener) => connected.push(listener),
    say: () => undefined,
    signal: stopping.signal,
    tellProblem: (_, problem) => problem !== undefined && problems.push(problem),
  });
  for (const restarted of connected) restarted();
  await clock.advance(minutes(3));
  t.match(reports[0], { channel: "ntfy", state: "down", code: "NOT_CONFIGURED" });
  isAsked = false;
  for (const restarted of connected) restarted();
  await clock.advance(minutes(3));
  stopping.abort();
  t.same(problems, [], "bridge.yaml has nothing for it");
});
