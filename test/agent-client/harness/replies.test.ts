import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { UsageError } from "../../../agent-client/errors.js";
import { ResumableModel } from "../../../agent-client/harness/run-folder.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";

const told = (...contents: readonly string[]): Message[] => [
  { role: "system", content: "You care for a plant." },
  ...contents.map((content): Message => ({ role: "user", content })),
];
const CALL: Reply = {
  text: "Let me look.",
  thinking: "Is it dry?",
  usage: { input: 10, output: 5 },
  toolCalls: [{ id: "1", name: "read_moisture", arguments: { plant: "basil" } }],
};

/** Replies in turn with what it was given; an error is thrown. Counts how often it was asked. */
class Scripted implements Model {
  readonly name = "scripted";
  asked = 0;

  constructor(private readonly script: readonly (Reply | Error)[]) {}

  async respond(): Promise<Reply> {
    const next = this.script[this.asked++];
    if (next instanceof Error) throw next;
    return next ?? { toolCalls: [] };
  }
}

const SIGNAL = new AbortController().signal;
const file = (t: Test) => join(t.testdir({}), "replies.jsonl");

function remembered(path: string, ...script: (Reply | Error)[]) {
  const changes: UsageError[] = [];
  const model = new Scripted(script);
  const memory = new ResumableModel(model, path, (error) => changes.push(error));
  return { model, changes, ask: (conversation: Message[]) => memory.respond(conversation, [], SIGNAL) };
}

t.test("replies are kept as they come, and given again without asking; then the model goes on", async (t) => {
  const path = file(t);
  const first = remembered(path, CALL, { toolCalls: [] });
  t.same(await first.ask(told("a")), CALL);
  t.same(await first.ask(told("b")), { toolCalls: [] });
  const second = remembered(path, { text: "new", toolCalls: [] });
  t.same(await second.ask(told("a")), CALL);
  t.same(await second.ask(told("b")), { toolCalls: [] });
  t.equal(second.model.asked, 0);
  t.same(await second.ask(told("c")), { text: "new", toolCalls: [] });
  t.equal(second.model.asked, 1);
  t.equal(readFileSync(path, "utf8").trim().split("\n").length, 3);
});

t.test("a failure is kept too, and fails again in the same words", async (t) => {
  const path = file(t);
  await t.rejects(remembered(path, new Error("the model is not there")).ask(told("a")), /is not there/);
  const second = remembered(path);
  await t.rejects(second.ask(told("a")), new Error("the model is not there"));
  t.equal(second.model.asked, 0);
});

t.test("a reply that was stopped is no failure: it is asked for again", async (t) => {
  const path = file(t);
  const stop = new AbortController();
  const model: Model = {
    name: "slow",
    async respond() {
      stop.abort();
      throw new Error("cut off");
    },
  };
  const asked = new ResumableModel(model, path, () => undefined).respond(told("a"), [], stop.signal);
  await t.rejects(asked, { name: "AbortError" });
  t.same(await remembered(path, CALL).ask(told("a")), CALL);
});

const CHANGED: readonly [string, Message[]][] = [
  ["another message", told("z")],
  ["another system prompt", [{ role: "system", content: "You are a fool." }, ...told("a").slice(1)]],
  ["one message more", told("a", "a")],
];
for (const [what, conversation] of CHANGED) {
  t.test(`a changed conversation is refused by line, and told to whom it concerns: ${what}`, async (t) => {
    const path = file(t);
    await remembered(path, CALL).ask(told("a"));
    const { ask, changes, model } = remembered(path);
    await t.rejects(ask(conversation), /replies\.jsonl, line 1: .*start again in another folder/);
    t.match(changes, [{ name: "UsageError" }]);
    t.equal(model.asked, 0);
  });
}

t.test("every answer to a reply is compared, not the last alone", async (t) => {
  const path = file(t);
  const answered = (first: string): Message[] => [
    ...told("a"),
    { role: "assistant", content: "", toolCalls: [] },
    { role: "tool", toolCallId: "1", name: "read_moisture", content: first },
    { role: "tool", toolCallId: "2", name: "get_notes", content: "{}" },
  ];
  await remembered(path, CALL).ask(answered('{"percent":40}'));
  await t.rejects(remembered(path).ask(answered('{"percent":41}')), /line 1/);
});

t.test("a last line that was cut short is dropped and its reply asked for again", async (t) => {
  const path = file(t);
  const first = remembered(path, CALL, CALL);
  await first.ask(told("a"));
  await first.ask(told("b"));
  writeFileSync(path, readFileSync(path).subarray(0, -20));
  const second = remembered(path, { text: "again", toolCalls: [] });
  await second.ask(told("a"));
  t.equal((await second.ask(told("b"))).text, "again");
  t.equal(remembered(path).changes.length, 0, "and the file reads well afterwards");
});

t.test("a broken line in the middle is refused by number and reason", async (t) => {
  const path = file(t);
  await remembered(path, CALL).ask(told("a"));
  for (const [broken, why] of [
    ["not JSON", /line 2: not a reply of a model/],
    ['{"told":3}', /line 2: .*told/s],
    ['{"told":"x","reply":{"toolCalls":"none"}}', /line 2: .*toolCalls/s],
  ] as const) {
    const other = `${path}.${broken.length}`;
    writeFileSync(other, readFileSync(path));
    appendFileSync(other, `${broken}\n`);
    t.throws(() => remembered(other), UsageError);
    t.throws(() => remembered(other), why);
  }
});

t.test("arguments that a model left out, or wrote as text, are kept as they were", async (t) => {
  const path = file(t);
  const odd: Reply = {
    toolCalls: [
      { id: "1", name: "stop_all", arguments: null },
      { id: "2", name: "dispense_water", arguments: '{"ml": 1' },
    ],
  };
  await remembered(path, odd).ask(told("a"));
  t.same(await remembered(path).ask(told("a")), odd);
  const none: Reply = { toolCalls: [{ id: "1", name: "stop_all", arguments: undefined }] };
  await remembered(`${path}.none`, none).ask(told("a"));
  t.match(await remembered(`${path}.none`).ask(told("a")), { toolCalls: [{ id: "1", name: "stop_all" }] });
});
