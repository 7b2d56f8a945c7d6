import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { agentCommand } from "../../agent-client/agent-command.js";
import { parseAgentOptions } from "../../agent-client/options.js";

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
    "--once",
    "--every",
    "1.5h",
    "--max-rounds",
    "3",
  ];
  t.match(await parseAgentOptions(given, {}), {
    url: "ws://pi:8731/mcp",
    token: "my-token",
    once: true,
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
      /no runtime has left its address in \/nowhere\/runtime\.json: start one with `tendril serve`/,
    ],
    [["--state", broken], /holds no \{"url": …\}/],
    [
      ["--url", "ws://x/mcp", "--state", "/nowhere"],
      /token file \/nowhere\/tokens\/agent cannot be read: .*--token-file/,
    ],
    [["--url", "ws://x/mcp", "--state", broken], /does not hold a token alone on one line/],
  ];
  for (const [args, message] of table)
    await t.rejects(parseAgentOptions(args, {}), { name: "UsageError", message });
});

t.test("options out of range are refused by name", async (t) => {
  const table: [string[], RegExp][] = [
    [["--every", "30"], /--every <time>.*must be a time from 1m to 24h/s],
    [["--every", "10s"], /must be a time from 1m/],
    [["--every", "25h"], /must be a time from 1m/],
    [["--max-rounds", "0"], /--max-rounds.*whole number from 1 to 1000/s],
    [["--max-rounds", "1e2"], /whole number/],
    [["--model", "gpt"], /--model.*known: caretaker, ollama:NAME, openai:NAME/s],
    [["--nonsense"], /unknown option '--nonsense'/],
    [["surplus"], /too many arguments/],
  ];
  const stderr = t.capture(process.stderr, "write");
  for (const [args, message] of table)
    await t.rejects(parseAgentOptions(args, {}), { name: "CommanderError", message });
  t.equal(stderr().length, table.length, "commander has told the person each");
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
    "Exit codes: 0",
  ])
    t.match(help.join(""), part);
  t.end();
});
