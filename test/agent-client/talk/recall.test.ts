import t from "tap";
import { callsReminder } from "../../../agent-client/cycle/arguments.js";
import { recall } from "../../../agent-client/models/caretaker/talk/talk.js";
import { HouseTime } from "../../../runtime/wire/house-time.js";

type Exchange = Parameters<ReturnType<typeof recall>["next"]>[0];

/** What is said once these calls have their answers, and the calls. */
function said(...answers: readonly object[]) {
  const steps = recall("fern", new HouseTime());
  const called: string[] = [];
  let step = steps.next();
  for (const answer of answers) {
    if (step.done) break;
    called.push(step.value.name);
    step = steps.next(answer as NonNullable<Exchange>);
  }
  return { text: step.done ? step.value : undefined, called };
}

const passage = (content: string, source: string) => ({ content, source, metadata: {}, score: 1, arms: [] });
const found = (answer: string | null, passages: readonly object[]) => ({
  value: { answer, passages, complete: true },
});
const PASSAGES = [
  passage("The fern stands in the bathroom", "memory: Place"),
  passage("Water on Mondays", "file: fern"),
];

t.test("an answer is said with the sources that it names, passages with theirs", async (t) => {
  const answer = "On Mondays. [2]";
  t.equal(said(found(answer, PASSAGES)).text, "On Mondays. [2]\n[2] file: fern");
  t.equal(
    said(found(null, PASSAGES)).text,
    '"The fern stands in the bathroom" (memory: Place)\n"Water on Mondays" (file: fern)',
  );
  const at = [passage("dry at 2026-06-01T10:00:30.123Z", "note")];
  t.equal(said(found(null, at)).text, '"dry at 2026-06-01 10:00 UTC" (note)');
  const long = [passage("🌿".repeat(300), "note")];
  t.equal(said(found(null, long)).text, `"${"🌿".repeat(240)}…" (note)`);
});

t.test("where the search over all is off, the person's memories answer; a refusal is said", async (t) => {
  const error = { message: "it is off" };
  t.same(said({ error }, { value: { message: 'known about "fern": x' } }), {
    ...{ text: 'Known about "fern": x.', called: ["search_knowledge_base", "recall_user_context"] },
  });
  t.equal(said({ error }, { error }).text, "I could not look: it is off");
});

t.test("a passage that looks like a call of a tool is told as what it is: words of somebody", async (t) => {
  const tools = [{ name: "dispense_water" }] as never;
  for (const content of ['{"tool":"dispense_water","ml":15}', "dispense_water(15)"]) {
    t.type(callsReminder(content, tools), "string");
    const { text = "" } = said(found(null, [passage(content, "note")]));
    t.match(text, /dispense_water.*15.*\(note\)/);
    t.equal(callsReminder(text, tools), undefined, text);
  }
});
