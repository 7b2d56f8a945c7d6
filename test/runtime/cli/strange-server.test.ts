import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { millis } from "../../../drivers/units.js";
import { testChannel } from "../../../runtime/cli/channels.js";
import { off } from "../../../runtime/cli/holds.js";
import { reply } from "../../../runtime/cli/messages.js";
import { type Remote, withRemote } from "../../../runtime/cli/remote.js";
import { lockState } from "../../../runtime/store/state-lock.js";
import { VERSION } from "../../../runtime/wire/program.js";

const CONNECTED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "tendril", version: VERSION },
};

/** What a server answers; with a `status`, to the whole request. */
interface Said {
  readonly status?: number;
  readonly result?: object;
  readonly error?: object;
}

/** A server that connects a client as a runtime does. To each call it says this; undefined: nothing at all. */
async function stranger(t: Test, said: Said | undefined, connects: boolean | Said = true) {
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await request.toArray()).join("") || "{}");
    const answers: Record<string, Said | undefined> = {
      initialize: typeof connects === "object" ? connects : connects ? { result: CONNECTED } : undefined,
      "tools/call": said,
      "server/discover": connects ? { error: { code: -32601, message: "no" } } : undefined,
    };
    if (id === undefined) return response.writeHead(202).end();
    const answer = answers[method];
    if (!answer) return;
    const { status = 200, ...body } = answer;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close(() => undefined).closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const tokenFile = `${t.testdir({ token: "a-token-of-a-person" })}/token`;
  return { state: t.testdirName, url: `http://127.0.0.1:${port}/mcp`, tokenFile };
}

const text = (words: string) => ({ content: [{ type: "text", text: words }] });
const refusal = (message: string) => JSON.stringify({ error: { code: "X", message } });

const STRANGE: readonly (readonly [what: string, said: Said, told: RegExp])[] = [
  [
    "no JSON",
    { result: text("hello") },
    /gives an answer that is not understood: it is no runtime, .* curl http:\S+\/healthz$/,
  ],
  [
    "nothing of what was asked for",
    { result: text("{}") },
    /list of messages is not understood \(messages\): /,
  ],
  ["a refusal without a reason", { result: { isError: true, ...text("{}") } }, /gives no reason/],
  [
    "a long refusal",
    { result: { isError: true, ...text(refusal("no\n".repeat(1_000_000))) } },
    /^no no .*…$/,
  ],
  [
    "what a program should do about its argument",
    {
      result: {
        isError: true,
        ...text(
          refusal(
            "list_messages_from_agent: limit is 0: correct the named argument and call again (INVALID_ARGUMENT)",
          ),
        ),
      },
    },
    /^limit is 0$/,
  ],
  [
    "a refusal of the whole request",
    { status: 503, error: { code: "STOPPING", message: "the runtime stops: try again (STOPPING)" } },
    /^http:\S+: the runtime stops: try again \(STOPPING\)$/,
  ],
  [
    "a long error",
    { error: { code: -32000, message: "no\n".repeat(1_000_000) } },
    /gives an answer that is not understood: it is no runtime/,
  ],
];

for (const [what, said, told] of STRANGE)
  t.test(`a server that answers with ${what} is told of in one short line`, async (t) => {
    const failed = await withRemote(await stranger(t, said), (remote) => reply(remote, "hi", {})).catch(
      (error: Error) => error,
    );
    t.match(failed, { name: "CommandError", message: told });
    const { message } = failed as Error;
    t.ok(message.length < 5000 && !message.includes("\n"));
  });

t.test(
  "a server that connects and does not answer, or does not even connect, is given up in time",
  async (t) => {
    for (const connects of [true, false]) {
      const asked = withRemote(
        await stranger(t, undefined, connects),
        (remote) => remote.call("x"),
        millis(300),
      );
      await t.rejects(asked, { name: "CommandError", message: /did not answer within 0.3 s \(NO_ANSWER\)/ });
    }
  },
);

t.test("an answer that does not say so is no off", async (t) => {
  const told = { name: "CommandError", message: /does not say that everything is off: pull the plugs/ };
  await t.rejects(off(await stranger(t, { result: { structuredContent: {}, ...text("{}") } })), told);
});

t.test(
  "an off that reaches nothing says loudly that nothing is off, and what else switches off",
  async (t) => {
    const away = { state: t.testdir({ tokens: { human: "x" } }), url: "ws://127.0.0.1:1/mcp" };
    const told =
      /^PUMPS AND LIGHTS MAY BE ON: nothing answers at [\s\S]*plugs[\s\S]*page[\s\S]*POST [\s\S]*systemctl stop tendril/;
    await t.rejects(off(away), { name: "CommandError", exitCode: 1, message: told });
    await t.rejects(off({ state: away.state }), {
      message: /^PUMPS AND LIGHTS MAY BE ON: no runtime is running/,
    });
  },
);

t.test("an off after a clean stop says so, and stays loud wherever that is not known", async (t) => {
  const state = t.testdir({ tokens: { human: "x" } });
  const lock = await lockState(state);
  const said = () => off({ state }).then(undefined, ({ message }: Error) => message);
  t.match(await said(), /^PUMPS AND LIGHTS MAY BE ON: /, "a runtime has the folder");
  await lock.release();
  t.match(await said(), /^no runtime holds \S+: the last one switched .* off when it stopped\. [\s\S]*plugs/);
  t.notMatch(await said(), /MAY BE ON|page|curl/);
  const elsewhere = off({ state, url: "ws://127.0.0.1:1/mcp" });
  await t.rejects(elsewhere, { message: /^PUMPS AND LIGHTS MAY BE ON: /, exitCode: 1 });
  writeFileSync(join(state, "runtime.json"), JSON.stringify({ url: "ws://127.0.0.1:1/mcp", pid: 1 }));
  t.match(await said(), /^PUMPS AND LIGHTS MAY BE ON: /, "the last one was killed");
});

t.test("what is no runtime at all is told of in our own words", async (t) => {
  for (const connects of [{ result: { nonsense: 1 } }, { error: { code: -32602, message: "[{ zod }]" } }]) {
    const asked = withRemote(await stranger(t, undefined, connects), (remote) => remote.call("x"));
    await t.rejects(asked, {
      name: "CommandError",
      message: /: it is no runtime, or one of another version/,
    });
  }
});

t.test("a name with a line of its own does not look like a line of ours", async (t) => {
  const letters = [{ account: "a", user_id: "b): delivered\nc", delivered: true, code: null, message: null }];
  const remote = { call: async () => ({ channel: "mail", letters }) } as unknown as Remote;
  t.notMatch((await testChannel(remote, "mail")).text, "\n");
});
