import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { MODEL_NAMES } from "../../agent-client/models/index.js";
import { agentCommand } from "../../agent-client/options/command.js";
import { parseAgentOptions } from "../../agent-client/options/options.js";

function stateFolder(t: Test): string {
  const state = t.testdir({
    "runtime.json": '{"url": "ws://127.0.0.1:9/mcp", "pid": 1}',
    tokens: { agent: "from-state\n" },
  });
  return state;
}

t.test(
  "the state folder tells address and token; the defaults are a cycle every 30 minutes by the caretaker",
  async (t) => {
    const options = await parseAgentOptions(["--state", stateFolder(t)], {});
    t.match(options, {
      url: "ws://127.0.0.1:9/mcp",
      token: "from-state",
      once: false,
      every: 1_800_000,
      maxRounds: 24,
      bounds: { reply: 600_000, cycle: 1_500_000 },
      model: { name: "caretaker" },
    });
  },
);

t.test("TENDRIL_STATE stands in for --state, which wins over it", async (t) => {
  const state = stateFolder(t);
  t.match(await parseAgentOptions([], { TENDRIL_STATE: state }), { token: "from-state" });
  t.match(await parseAgentOptions(["--state", state], { TENDRIL_STATE: "/nowhere" }), {
    token: "from-state",
  });
});

t.test("--url and --token-file win over the state folder, which may then be missing", async (t) => {
  const file = join(t.testdir({ mine: "  my-token  \n" }), "mine");
  const given = [
    "--url",
    "ws://pi:8731/mcp",
    "--token-file",
    file,
    "--state",
    "/nowhere",
    "--every",
    "1.5h",
    "--max-rounds",
    "3",
  ];
  t.match(await parseAgentOptions(given, {}), {
    url: "ws://pi:8731/mcp",
    token: "my-token",
    every: 5_400_000,
    maxRounds: 3,
  });
});

t.test("what cannot be used is refused with what to do", async (t) => {
  const state = stateFolder(t);
  const broken = join(state, "broken");
  mkdirSync(join(broken, "tokens"), { recursive: true });
  writeFileSync(join(broken, "runtime.json"), "{");
  writeFileSync(join(broken, "tokens", "agent"), "two\nlines\n");
  const table: [string[], RegExp][] = [
    [
      ["--state", "/nowhere"],
      /there is no runtime.s address in \/nowhere\/runtime\.json: start one with `tendril serve`/,
    ],
    [["--state", broken], /contains no \{"url": …\}/],
    [
      ["--url", "ws://x/mcp", "--state", "/nowhere"],
      /token file \/nowhere\/tokens\/agent cannot be read: .*--token-file/,
    ],
    [
      ["--state", state, "--reply-within", "5m", "--cycle-within", "5m"],
      /--reply-within must be less than --cycle-within/,
    ],
    [["--url", "ws://x/mcp", "--state", broken], /must contain only a token, on one line/],
  ];
  for (const [args, message] of table)
    await t.rejects(parseAgentOptions(args, {}), { name: "UsageError", message });
});

t.test("options out of range are refused by name", async (t) => {
  const table: [string[], RegExp][] = [
    [["--every", "30"], /--every <time>.*must be a time from 1m to 24h/s],
    [["--every", "10s"], /must be a time from 1m/],
    [["--every", "25h"], /must be a time from 1m/],
    [["--reply-within", "30m"], /--reply-within <time>.*must be a time from 1s to 29m/s],
    [["--cycle-within", "30m"], /--cycle-within <time>.*must be a time from 1m to 29m/s],
    [["--max-rounds", "0"], /--max-rounds.*whole number from 1 to 1000/s],
    [["--max-rounds", "1e2"], /whole number/],
    [["--model", "gpt"], new RegExp(`--model.*known: ${MODEL_NAMES.join(", ")}`, "s")],
    [["--max-calls", "0"], /--max-calls.*whole number from 1/s],
    [["--fallback", "ollama:x"], /--fallback.*Allowed choices are caretaker/s],
    [["--cron", "* *"], /--cron.*not a cron pattern of five fields \(it has 2\)/s],
    [
      ["--cron", "0 7 * * *", "--every", "1h"],
      /'--cron <pattern>' cannot be used with option '--every <time>'/,
    ],
    [["--cron", "0 7 * * *", "--once"], /cannot be used with/],
    [["--every", "1h", "--once"], /cannot be used with/],
    [["--nonsense"], /unknown option '--nonsense'/],
    [["surplus"], /too many arguments/],
  ];
  const stderr = t.capture(process.stderr, "write");
  for (const [args, message] of table)
    await t.rejects(parseAgentOptions(args, {}), { name: "CommanderError", message });
  const errors = stderr().filter(({ args: [text] }) => String(text).startsWith("error: "));
  t.equal(errors.length, table.length, "commander has told the person each");
});

/** A folder with an agent.yaml beside a token. */
function configured(t: Test, yaml: string): { file: string; folder: string } {
  const folder = t.testdir({ "agent.yaml": yaml, token: "from-file\n" });
  return { folder, file: join(folder, "agent.yaml") };
}

const FULL = `url: ws://pi:8731/mcp
token_file: token
agent_state: counts
model: openai:gpt-4.1-mini
fallback: caretaker
cron: "0 7,19 * * *"
max_rounds: 12
reply_within: 90s
cycle_within: 20m
failed_cycles: 2
prompt_tokens: 6000
reply_tokens: 900
tools: all
limits: { calls: 200, tokens: 1000000, minutes: 90, money: 0.5 }
prices:
  "openai:gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1 }
`;
const KEY = { OPENAI_API_KEY: "sk-1" };

t.test("the agent's configuration file says all that flags say, and what a day may cost", async (t) => {
  const { file, folder } = configured(t, FULL);
  t.match(await parseAgentOptions(["--config", file], KEY), {
    url: "ws://pi:8731/mcp",
    token: "from-file",
    model: { name: "openai:gpt-4.1-mini", chosen: { replyTokens: 900 } },
    fallback: { name: "caretaker" },
    cron: "0 7,19 * * *",
    maxRounds: 12,
    bounds: { reply: 90_000, cycle: 1_200_000 },
    agentState: join(folder, "counts"),
    failedCycles: 2,
    promptTokens: 6000,
    limits: { calls: 200, tokens: 1_000_000, time: 5_400_000, money: 0.5 },
    price: { input: 0.4, output: 1.6, cached: 0.1 },
    tools: "all",
  });
});

t.test("flags win over the file", async (t) => {
  const { file } = configured(t, FULL);
  const flags = [
    "--model",
    "ollama:qwen3",
    "--every",
    "30m",
    "--max-rounds",
    "24",
    "--max-calls",
    "5",
    "--url",
    "ws://x/mcp",
  ];
  const unpriced = parseAgentOptions(["--config", file, ...flags], {});
  await t.rejects(unpriced, {
    name: "UsageError",
    message: /the price of ollama:qwen3 is unknown: write prices/,
  });
  const { file: free } = configured(t, `${FULL}  "ollama:qwen3": { input: 0, output: 0 }\n`);
  t.match(await parseAgentOptions(["--config", free, ...flags], {}), {
    url: "ws://x/mcp",
    model: { name: "ollama:qwen3" },
    every: 1_800_000,
    cron: undefined,
    maxRounds: 24,
    limits: { calls: 5, tokens: 1_000_000 },
  });
});

t.test("each mistake in the file is told with its line and key", async (t) => {
  const { file } = configured(
    t,
    `model: caretaker
every: 10s
cron: "* * *"
limits: { calls: 0, euros: 3 }
max_rounds: 0
reply_within: 0
prices:
  a: { input: -1, output: 2 }
`,
  );
  await t.rejects(parseAgentOptions(["--config", file], {}), {
    name: "UsageError",
    message: [
      `${file}:2: every: must be a time from 1m to 24h, such as 30m or 1.5h (got "10s")`,
      `${file}:3: cron: is not a cron pattern of five fields (it has 3), such as "0 7,19 * * *" (got "* * *")`,
      `${file}:5: max_rounds: must be a whole number from 1 to 1000 (got 0)`,
      `${file}:6: reply_within: must be a time from 1s to 29m, such as 10m (got 0)`,
      `${file}:4: limits.calls: must be at least 1 (got 0)`,
      `${file}:4: limits.euros: unknown key`,
      `${file}:8: prices.a.input: must be at least 0 (got -1)`,
    ].join("\n"),
  });
});

t.test("a file that is not there, is no YAML, or says two things at once is refused", async (t) => {
  const table: [string, RegExp][] = [
    ["model: [", /agent\.yaml:1: a ] is missing/],
    ["every: 30m\ncron: 0 7 * * *\n", /agent\.yaml: every and cron: write one of them/],
    ["model: gpt\n", /agent\.yaml: model: there is no model "gpt"; known/],
    ["just words\n", /agent\.yaml:1: the file: must be keys with values/],
  ];
  for (const [yaml, message] of table)
    await t.rejects(parseAgentOptions(["--config", configured(t, yaml).file], {}), {
      name: "UsageError",
      message,
    });
  await t.rejects(parseAgentOptions(["--config", "/nowhere.yaml"], {}), {
    name: "UsageError",
    message: "/nowhere.yaml: cannot be read (ENOENT)",
  });
});

t.test("the agent counts in its own folder, where the desktop's standard has it", async (t) => {
  const state = stateFolder(t);
  const folder = async (env: Record<string, string>, ...args: string[]) =>
    (await parseAgentOptions(["--state", state, ...args], env)).agentState;
  t.match(await folder({}), /\/\.local\/state\/tendril-agent$/);
  t.equal(await folder({ XDG_STATE_HOME: "/var/x" }), "/var/x/tendril-agent");
  t.match(await folder({ XDG_STATE_HOME: "relative" }), /\/\.local\/state\/tendril-agent$/);
  t.equal(await folder({}, "--agent-state", "/tmp/a"), "/tmp/a");
});

t.test("help names every option and the exit codes", (t) => {
  const help: string[] = [];
  agentCommand({})
    .configureOutput({ writeOut: (text) => help.push(text) })
    .outputHelp();
  for (const part of [
    "--url",
    "--token-file",
    "--state",
    "--model",
    "--once",
    "--every",
    "--max-rounds",
    "--cron",
    "--config",
    "--agent-state",
    "--fallback",
    "--max-calls",
    "--max-tokens",
    "Exit codes: 0",
  ])
    t.match(help.join(""), part);
  t.end();
});

t.test(
  "a runtime is looked for where that is asked for, by a flag or in the file, and nowhere else",
  async (t) => {
    const discoverOf = async (yaml: string, ...flags: string[]) => {
      const folder = t.testdir({
        "agent.yaml": `${yaml}\ntoken_file: token`,
        token: "from-file\n",
        "runtime.json": '{"url": "ws://127.0.0.1:9/mcp", "pid": 1}',
      });
      const given = ["--config", join(folder, "agent.yaml"), "--state", folder, ...flags];
      return (await parseAgentOptions(given, {})).discover;
    };
    t.equal(await discoverOf(""), undefined);
    t.equal(await discoverOf("discover: false"), undefined);
    t.same(await discoverOf("discover: true"), { wanted: undefined });
    t.same(await discoverOf("discover: balcony"), { wanted: "balcony" });
    t.same(await discoverOf("url: ws://pi:8731/mcp", "--discover"), { wanted: undefined });
    t.equal(await discoverOf("discover: balcony", "--url", "ws://x/mcp"), undefined);
    await t.rejects(discoverOf("url: ws://pi:8731/mcp\ndiscover: true"), {
      name: "UsageError",
      message: /url and discover in the configuration: write one of them/,
    });
  },
);

/** The agent's own folder after it was paired with a runtime. */
function pairedFolder(t: Test): string {
  const runtimes = { "pi:8732": { trust: "authorities", url: "wss://pi:8732/mcp", token: "paired-token" } };
  return t.testdir({ "runtimes.json": JSON.stringify({ version: 1, runtimes }) });
}

t.test("who was paired with one runtime needs neither its address nor a token", async (t) => {
  const own = ["--agent-state", pairedFolder(t), "--state", "/nowhere"];
  t.match(await parseAgentOptions(own, {}), {
    url: "wss://pi:8732/mcp",
    token: "paired-token",
    repin: false,
  });
  t.match(await parseAgentOptions([...own, "--url", "wss://PI:8732/mcp"], {}), { token: "paired-token" });
});

t.test("a token that was got by pairing serves for a look, at the key of that runtime alone", async (t) => {
  const trust = `sha256:${"A".repeat(43)}=`;
  const runtimes = { "pi:8732": { trust, url: "wss://pi:8732/mcp", token: "paired-token" } };
  const folder = t.testdir({ "runtimes.json": JSON.stringify({ version: 1, runtimes }) });
  const own = ["--agent-state", folder, "--state", "/nowhere", "--discover"];
  t.match(await parseAgentOptions(own, {}), {
    token: "paired-token",
    pin: trust,
    discover: { wanted: undefined },
  });
  const vouched = ["--agent-state", pairedFolder(t), "--state", "/nowhere", "--discover"];
  await t.rejects(
    parseAgentOptions(vouched, {}),
    /tokens\/agent cannot be read/,
    "which of its keys is not known",
  );
});

t.test("a token that was got by pairing goes to no other runtime, and never without TLS", async (t) => {
  const own = ["--agent-state", pairedFolder(t), "--state", "/nowhere"];
  for (const url of ["wss://other:8732/mcp", "wss://pi:9999/mcp", "ws://pi:8732/mcp"])
    await t.rejects(parseAgentOptions([...own, "--url", url], {}), /tokens\/agent cannot be read/, url);
});

t.test("a code is for TLS alone, and stands in for a token; a pin may stand in the file", async (t) => {
  const folder = t.testdir({ "agent.yaml": `pin: sha256:${"A".repeat(43)}=\n`, "bad.yaml": "pin: md5:1\n" });
  const secure = ["--url", "wss://pi:8732/mcp", "--agent-state", folder];
  const code = ["--pair", "k7qf-2m9x-rt4b-wc3e"];
  await t.rejects(parseAgentOptions([...secure, ...code], {}), /typing mistake|16 letters/);
  t.match(await parseAgentOptions([...secure, "--pair"], {}), { token: undefined, pair: true });
  await t.rejects(
    parseAgentOptions(["--url", "ws://pi:8731/mcp", "--pair"], {}),
    /--pair needs a wss:\/\/ address/,
  );
  const config = (file: string) => ["--config", join(folder, file), "--pair"];
  t.match(await parseAgentOptions([...secure, ...config("agent.yaml")], {}), {
    pin: `sha256:${"A".repeat(43)}=`,
  });
  await t.rejects(
    parseAgentOptions([...secure, ...config("bad.yaml")], {}),
    /bad\.yaml:1: pin: must be a runtime's key/,
  );
});
