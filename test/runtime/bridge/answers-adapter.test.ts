import t, { type Test } from "tap";
import type { JobFailure } from "../../../runtime/bridge/adapter.js";
import { answersAdapter } from "../../../runtime/bridge/models/adapter.js";
import { AnswerServer, says } from "./answer-server.js";
import { answers, gives, OutsideServer } from "./outside-server.js";
import { handlersOf } from "./rig-bridge.js";

const KEY = "sk-0123456789abcdef";
const DATA = JSON.stringify({ question: "Fern?", passages: [] });

function writerOf(config: object | undefined) {
  const { write } = handlersOf(answersAdapter, config);
  if (!write) throw new Error("no job write");
  return (provider: string, signal = new AbortController().signal) =>
    write({ provider, model: "m", instructions: "Answer.", data: DATA }, signal);
}

async function failsWith(t: Test, work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (each: JobFailure) => each,
  );
  t.equal(error?.code, code, `${error?.message}`);
  t.notMatch(`${error?.message}`, /127\.0\.0\.1|sk-0123|Mondays/);
}

for (const provider of ["ollama", "openai"] as const)
  t.test(`${provider}: instructions and data go as they are, and the schema with them`, async (t) => {
    const server = await AnswerServer.start(t, () => says(["On Mondays.", [1]]));
    const written = await writerOf({ address: server.origin, key: KEY })(provider);
    t.same(written, { sentences: [{ text: "On Mondays.", passages: [1] }] });
    t.match(server.asked, [{ provider, model: "m", key: KEY, instructions: "Answer.", question: "Fern?" }]);
    const schema = server.asked[0]?.body[provider === "ollama" ? "format" : "response_format"];
    t.match(JSON.stringify(schema), '"required":["sentences"]');
  });

t.test("prose, half an answer, and what is no chat are failures without the model's words", async (t) => {
  const server = await AnswerServer.start(t, () => "The fern gets water on Mondays.");
  const write = writerOf({ address: server.origin, key: KEY });
  await failsWith(t, write("ollama"), "NOT_BY_SCHEMA");
  server.model = () => says(["On Mondays.", [1]]).slice(0, -2);
  await failsWith(t, write("openai"), "NOT_BY_SCHEMA");
  const other = await OutsideServer.start(t, answers(500));
  const ask = (provider = "ollama") => writerOf({ address: other.origin, key: KEY })(provider);
  await failsWith(t, ask(), "HTTP_500");
  other.now(answers(401));
  await failsWith(t, ask(), "LOGIN_REFUSED");
  other.now(answers(404));
  await failsWith(t, ask(), "NO_SUCH_MODEL");
  other.now(gives("<html>Mondays"));
  await failsWith(t, ask(), "ANSWER_CHANGED");
  other.now(gives('{"choices":[]}'));
  await failsWith(t, ask("openai"), "ANSWER_CHANGED");
  other.now(gives(`{"x":"${"a".repeat(1_000_001)}"}`));
  await failsWith(t, ask(), "TOO_LARGE");
});

t.test("a model that hangs ends with the job's time; without an address the job says so", async (t) => {
  const server = await AnswerServer.start(t, () => undefined);
  await failsWith(t, writerOf({ address: server.origin })("ollama", AbortSignal.timeout(30)), "TOO_SLOW");
  await failsWith(t, writerOf(undefined)("ollama"), "NOT_CONFIGURED");
  t.same(answersAdapter.secrets(answersAdapter.config.parse({ address: "https://a.test", key: KEY })), [
    "https://a.test/",
    KEY,
  ]);
});
