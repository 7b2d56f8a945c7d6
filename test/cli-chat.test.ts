import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { fakeOllama, says } from "./agent-client/models/fake-ollama.js";
import { inOrder } from "./agent-client/models/fake-server.js";
import { RuntimeHere } from "./process.js";
import { type Ran, TENDRIL, tendrilTold } from "./run-tendril.js";
import { spawnNode } from "./spawn-node.js";
import { AGENT, tendrilHere } from "./tendril-here.js";
import { hasTerminals, Terminal } from "./terminal.js";

/** On the first of January. */
const NEVER = "0 0 1 1 *";

async function house(t: Test) {
  const runtime = await RuntimeHere.start();
  const own = await mkdtemp(join(tmpdir(), "tendril-chat-agent-"));
  t.teardown(async () => {
    await runtime.stop();
    await rm(own, { recursive: true, force: true });
  });
  const at = ["--state", runtime.state];
  /** An agent without care cycles. */
  const agent = (env: NodeJS.ProcessEnv, ...more: readonly string[]) => {
    const child = spawnNode([AGENT, ...at, "--cron", NEVER, "--agent-state", own, ...more], env);
    t.teardown(() => child.kill("SIGKILL"));
    return child;
  };
  return {
    runtime,
    at,
    agent,
    chat: (...words: readonly string[]) => tendrilHere(["chat", ...at, ...words]),
  };
}

t.test(
  "tendril chat with words sends them, prints the answer and ends; without an agent it says so and exits 1",
  async (t) => {
    const { at, agent, chat } = await house(t);
    t.match(await chat("--wait", "1", "put perlite on the shopping list"), {
      code: 1,
      out: "",
      err: /nobody answered within 1 s: is an agent running\?.*tendril agent/,
    });
    agent({});
    const ran: Ran = await chat("--wait", "60", "what is on the shopping list?");
    t.equal(ran.code, 0, ran.err);
    t.match(
      ran.out,
      /perlite is on the list "shopping"\.\nOn the list "shopping":\n- perlite\n/,
      "both messages are answered",
    );
    const told = await tendrilTold(["chat", ...at, "--json"], ["how is the basil?", "", "what is due?"]);
    t.match(told, { code: 0 });
    t.match(
      told.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      [{ answers: [{ text: /^Basil: the soil is at/ }] }, { answers: [{ text: "No task is open." }] }],
    );
    t.match(await chat("STOP"), {
      code: 0,
      err: /All pumps and lights are off\./,
      out: /Everything is switched off/,
    });
  },
);

const addPerlite = says({
  calls: [
    { name: "list_tool", arguments: { item_text: "perlite", operation: "add_item", list_name: "shopping" } },
  ],
});

t.test(
  "an agent that is killed in the middle is followed by one that answers once and adds nothing twice",
  async (t) => {
    const { runtime, agent, chat } = await house(t);
    let hang: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => {
      hang = resolve;
    });
    const script = inOrder(addPerlite, () => {
      hang();
      return "silence";
    });
    const { url } = fakeOllama(t, script);
    const first = agent({ OLLAMA_HOST: await url }, "--model", "ollama:slow", "--style", "calls");
    const asked = chat("--wait", "120", "put perlite on the shopping list");
    await hangs;
    first.kill("SIGKILL");
    agent({});
    t.match(await asked, { code: 0, out: /^perlite is on the list "shopping"\.\n$/ });
    t.equal((await tendrilHere(["list", "--state", runtime.state, "shopping"])).out, "[ ] perlite\n");
  },
);

t.test(
  "Ctrl-C ends the agent's turn, and at the prompt it leaves; a line can be edited",
  { skip: !hasTerminals() },
  async (t) => {
    const { at, agent } = await house(t);
    const { url } = fakeOllama(t, () => "silence");
    agent({ OLLAMA_HOST: await url }, "--model", "ollama:slow", "--style", "calls");
    const terminal = new Terminal([TENDRIL, "chat", ...at], {}, 80);
    t.teardown(() => terminal.kill());
    await terminal.until(/you> /);
    terminal.type("ell me\u0001t\r");
    await terminal.until(/the agent works.*User profile, Recall/);
    terminal.type("\u0003");
    await terminal.until(/stopped: the agent ends its turn[\s\S]*you> /);
    terminal.type("\u0003");
    const code = await terminal.end();
    t.equal(code, 0, `ends with 0, after ${JSON.stringify(terminal.lines())}`);
    const { out } = await tendrilHere(["chat", ...at, "--wait", "1", "--json", "again"]);
    t.equal(out, "");
  },
);
