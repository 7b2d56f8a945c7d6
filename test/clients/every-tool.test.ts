import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { RuntimeHere } from "../process.js";
import { CONFIG_OF_ALL, listedName, listedNames, TOOL_CONTRACTS } from "../services/contracts.js";
import { type Connected, v1Client } from "./v1-client.js";

async function listedToHuman(t: Test): Promise<Connected & { readonly names: readonly string[] }> {
  const state = await mkdtemp(join(tmpdir(), "tendril-every-tool-"));
  await writeFile(join(state, "tendril.yaml"), `confirm: { save_notes: always }\n${CONFIG_OF_ALL}\n`);
  const runtime = await RuntimeHere.start({ state });
  t.teardown(async () => {
    await runtime.stop();
    await rm(state, { recursive: true, force: true });
  });
  await agentAsks(t, runtime);
  const connected = await v1Client(t, runtime, "human");
  const { tools } = await connected.client.listTools();
  return { ...connected, names: tools.map(({ name }) => name) };
}

/** Leaves a question for the person to answer. */
async function agentAsks(t: Test, runtime: RuntimeHere): Promise<void> {
  const { client } = await v1Client(t, runtime, "agent");
  const asked = await client.callTool({ name: "save_notes", arguments: { content: "It likes shade." } });
  t.match(asked.content, [{ text: /APPROVAL_NEEDED/ }]);
}

t.test("every tool's results pass its output schema in a client that checks them", async (t) => {
  const { client, names } = await listedToHuman(t);
  t.same(listedNames("human"), [...names].sort(), "every listed tool is called");
  for (const [name, { calls }] of TOOL_CONTRACTS) {
    for (const args of calls) {
      const result = await client.callTool({ name: listedName(name), arguments: args });
      t.notOk(
        result.isError,
        `${name} ${JSON.stringify(args)}: ${JSON.stringify(result.content).slice(0, 300)}`,
      );
      t.type(result.structuredContent, "object", name);
      const { coverage } = result.structuredContent as { coverage?: { records: number } };
      t.not(coverage?.records, 0, `${name} has something to show`);
    }
  }
});

t.test("that client does check: it rejects a result that lacks what its schema requires", async (t) => {
  const { client, transport } = await listedToHuman(t);
  const deliver = transport.onmessage;
  transport.onmessage = (message) =>
    deliver?.("result" in message ? { ...message, result: { content: [], structuredContent: {} } } : message);
  await t.rejects(client.callTool({ name: "read_moisture" }), { message: /output schema/ });
});
