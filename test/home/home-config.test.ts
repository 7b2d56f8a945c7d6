import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { homeAdapter } from "../../runtime/bridge/home/adapter.js";
import type { HomeConfig } from "../../runtime/bridge/home/address.js";
import { readSecrets } from "../../runtime/bridge/secrets.js";

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.token-of-the-home";

async function read(t: Test, yaml: string): Promise<HomeConfig | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-home-config-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "bridge.yaml");
  await writeFile(file, yaml);
  await chmod(file, 0o600);
  const { values, problems } = readSecrets(file, [homeAdapter], {});
  if (problems.home !== undefined) throw new Error(problems.home);
  return values.home as HomeConfig | undefined;
}

const yaml = (url: string, more = "") => `home:\n  url: ${url}\n  read_token: ${TOKEN}\n${more}`;

t.test("the address leads to the WebSocket API, also behind a proxy's path", async (t) => {
  for (const [url, more, leads] of [
    ["https://home.example.com", "", "wss://home.example.com/api/websocket"],
    ["https://example.com/home/", "", "wss://example.com/home/api/websocket"],
    ["http://127.0.0.1:8123", "", "ws://127.0.0.1:8123/api/websocket"],
    ["http://homeassistant.local:8123", "  plain: true", "ws://homeassistant.local:8123/api/websocket"],
  ] as const)
    t.equal((await read(t, yaml(url, more)))?.url.href, leads);
  t.equal(await read(t, "{}"), undefined, "without `home` there is none");
});

t.test("what cannot be right is refused with its line, and no token is shown", async (t) => {
  for (const [text, says] of [
    [yaml("http://homeassistant.local:8123"), /:2: home\.url: .*without TLS/],
    [yaml("homeassistant.local"), /:2: home\.url: must be Home Assistant's address/],
    [yaml("https://anna:secret-word@home.example.com"), /:2: home\.url: must be/],
    [yaml("https://home.example.com", "  act_token: short"), /:4: home\.act_token: must be a long-lived/],
    [yaml("https://home.example.com", "  token: x"), /home.*token/],
    ["home:\n  url: https://home.example.com", /read_token/],
  ] as const) {
    const problem = await read(t, text).then(
      () => undefined,
      (error: Error) => error.message,
    );
    t.match(problem, says, text);
    t.notMatch(problem, /eyJ|secret-word/);
  }
});

t.test("both tokens are removed from whatever the bridge says", async (t) => {
  const config = await read(t, yaml("https://home.example.com", `  act_token: ${TOKEN}-2`));
  t.same(homeAdapter.secrets(config), [TOKEN, `${TOKEN}-2`]);
});

t.test("without `home` in the file each job says so, and nothing is opened", async (t) => {
  const context = {
    clock: {} as never,
    say: () => undefined,
    onConnected: () => undefined,
    tellProblem: () => undefined,
    isAsked: () => true,
    upload: async () => "",
    call: async () => ({}),
    signal: AbortSignal.abort(),
  };
  const jobs = homeAdapter.open(undefined, context);
  t.same(Object.keys(jobs), ["catalog", "states", "history", "call"]);
  await t.rejects(async () => jobs.catalog?.({}, context.signal), { code: "NOT_CONFIGURED" });
});
