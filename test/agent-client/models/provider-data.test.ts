import t from "tap";
import { replyTo } from "../../../agent-client/models/conversation.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { playedBack, recordedReply } from "../../../agent-client/run-log/lines.js";
import { AgentInRig } from "../../agent-in-rig.js";
import { rigFor } from "../../rig.js";

const SIGNED = { name: "read_moisture", arguments: {}, providerData: { signature: "c2lnbmVk" } };
const callsIn = (conversation: readonly Message[]) =>
  conversation.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));

t.test("what a provider wants back with a call is kept, and calls without it have none", (t) => {
  const calls = [SIGNED, { name: "read_moisture", arguments: {} }];
  t.strictSame(replyTo([], { calls }).toolCalls, [
    { id: "call-1", ...SIGNED },
    { id: "call-2", name: "read_moisture", arguments: {} },
  ]);
  t.end();
});

t.test("data that are too large to send back make a reply garbled, and its tokens count", (t) => {
  const usage = { input: 1, output: 2 };
  let deep: unknown = "c2ln";
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
  const large = { ...SIGNED, providerData: { signature: "x".repeat(60_000) } };
  t.equal(replyTo([], { calls: [large, SIGNED] }).toolCalls.length, 2);
  for (const calls of [[large, large], [{ ...SIGNED, providerData: deep }]]) {
    const message = /came with more than 100000 characters of data of its provider, or nested too deep/;
    t.throws(() => replyTo([], { calls, usage }), { name: "ModelError", kind: "garbled", message, usage });
  }
  t.end();
});

t.test("in a cycle it comes back unchanged, and no person reads it", async (t) => {
  let seen: readonly unknown[] = [];
  const model: Model = {
    name: "signing",
    respond: async (conversation): Promise<Reply> => {
      seen = callsIn(conversation);
      return replyTo(conversation, seen.length === 0 ? { calls: [SIGNED] } : { text: "Done.", calls: [] });
    },
  };
  const agent = new AgentInRig(await rigFor(t), model);
  await agent.turn();
  t.strictSame(seen, [{ id: "call-1", ...SIGNED }]);
  t.notMatch(agent.story, SIGNED.providerData.signature);
});

t.test("a reply that is played back from a file has it", (t) => {
  const reply = replyTo([], { calls: [SIGNED] });
  t.strictSame(playedBack(recordedReply.parse(JSON.parse(JSON.stringify({ reply })))), reply);
  t.end();
});
