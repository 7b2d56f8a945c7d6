import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { type Rig, rigFor } from "../../rig.js";

const PERSON = { as: "human" } as const;
const CONVERSATION = { kind: "conversation", chat_id: "household" };

/** What is on the disk after a cut, read without the runtime's own code. */
function judge(lines: readonly string[]) {
  const entries = lines.map((line) => JSON.parse(line));
  const messages = entries.filter(({ text }) => text !== undefined);
  const answered = Math.max(0, ...messages.map(({ answers = 0 }) => answers));
  const settled = Math.max(answered, ...entries.map(({ settled: upTo = 0 }) => upTo));
  const waiting = messages.filter(({ from, number }) => from === "person" && number > settled);
  return { texts: messages.map(({ text }) => text), waiting: waiting.length };
}

/** A question, its turn, and how that ends. */
async function talk(rig: Rig, outcome: "done" | "failed" | "stopped"): Promise<void> {
  await rig.get("send_chat_message", { text: `question ${outcome}` }, PERSON);
  const { turn_id: turn } = await rig.get("begin_turn", CONVERSATION);
  if (outcome === "stopped") return void (await rig.get("end_turn", { chat_id: "household" }, PERSON));
  if (outcome === "done") await rig.get("send_chat_message", { text: "an answer" }, { turn });
  await rig.get("end_turn", { outcome }, { turn });
}

t.test("wherever a power cut ends the journal, no message is lost, doubled or answered twice", async (t) => {
  const rig = await rigFor(t);
  const journal = join(rig.state, "journal", "chats.jsonl");
  for (const outcome of ["done", "failed", "stopped"] as const) await talk(rig, outcome);
  await rig.stop();
  const lines = (await readFile(journal, "utf8")).trim().split("\n");
  t.equal(lines.length, 11, "a chat, four messages, three turns of two lines");
  for (const kept of lines.keys()) {
    const torn = kept % 2 === 0 ? "" : lines[kept]?.slice(0, 40);
    const whole = lines.slice(0, kept + 1);
    await rm(join(rig.state, "tendril.sqlite"), { force: true });
    await writeFile(journal, `${whole.join("\n")}\n${torn}`);
    await rig.open();
    const { texts, waiting } = judge(whole);
    const { messages } = await rig.get("list_chat_messages", {}, PERSON);
    const [agenda] = (await rig.core.house.agenda()).chats;
    const begun = await rig.call("begin_turn", CONVERSATION);
    t.same(
      (messages as { text: string }[]).map(({ text }) => text),
      texts,
    );
    t.same([agenda?.unanswered ?? 0, begun.ok], [waiting, waiting > 0], `after ${kept + 1} lines`);
    await rig.crash();
  }
});
