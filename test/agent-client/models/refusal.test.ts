import t from "tap";
import {
  attempt,
  type FailureKind,
  rejectingRefusals,
  wordsIn,
} from "../../../agent-client/models/model-error.js";
import { seconds } from "../../../drivers/units.js";
import { never } from "./conversations.js";

const wording = { server: "the server", toReach: "start it", refused: () => undefined };

/** What becomes of one answer of a server. */
const refusedBy = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = async () => new Response(text, { status, headers });
  return attempt(never, wording, () => rejectingRefusals(answer)("http://x"));
};

t.test("the first words of a body are found, whatever its shape", (t) => {
  const table: [unknown, string | undefined][] = [
    [{ error: { message: "OpenAI's way", code: 1 } }, "OpenAI's way"],
    [{ error: "Ollama's way" }, "Ollama's way"],
    [{ object: "error", message: "vLLM's way" }, "vLLM's way"],
    [{ detail: "FastAPI's way" }, "FastAPI's way"],
    [
      { detail: [{ loc: ["body", "tools"], msg: "not permitted", type: "x" }, { msg: "also" }] },
      "body.tools: not permitted; also",
    ],
    [{ message: { detail: [{ loc: ["body", "seed"], msg: "no" }] } }, "body.seed: no"],
    [{ error: '{"error": {"message": "passed on"}}' }, "passed on"],
    [
      { error: { message: "Provider returned error", metadata: { raw: '{"error": "overloaded"}' } } },
      "Provider returned error: overloaded",
    ],
    [{ error: { message: "" }, detail: "the second place" }, "the second place"],
    ["just a text", "just a text"],
    ["  ", undefined],
    [{ code: 400 }, undefined],
    [[], undefined],
  ];
  for (const [body, words] of table) t.equal(wordsIn(body), words, JSON.stringify(body));
  t.end();
});

t.test("what a server says tells what helps", async (t) => {
  const table: [FailureKind, number, string][] = [
    ["garbled", 500, "The model produced output that does not match the expected peg-native format"],
    ["garbled", 500, "Failed to parse input at pos 12: {"],
    ["garbled", 500, "error parsing tool call: raw='{\"ml\": ', err=unexpected end of JSON input"],
    ["garbled", 500, "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]"],
    ["garbled", 400, "Failed to call a function. Please adjust your prompt. See 'failed_generation'"],
    ["person", 500, "Jinja Exception: tools are not supported"],
    ["person", 500, 'template: :3: function "json" not defined'],
    ["person", 400, "failed to parse grammar"],
    ["person", 400, "temperature must be a number"],
    ["cycle", 400, "request (6685 tokens) exceeds the available context size (2048 tokens)"],
    ["cycle", 500, "the request exceeds the available context size, try increasing it"],
    ["cycle", 400, "This model's maximum context length is 4096 tokens. However, you requested 6900 tokens."],
    ["cycle", 422, "Prompt length 9000 is greater than max_seq_len 8192"],
    ["cycle", 400, "prompt is too long: 210000 tokens > 200000 maximum"],
    ["away", 500, "model requires more system memory (5.5 GiB) than is available (3.1 GiB)"],
    ["away", 500, "unsupported model format"],
    ["away", 429, "too many tokens; reduce the length of the messages"],
    ["away", 504, "upstream timed out"],
    ["person", 413, "Request Entity Too Large"],
  ];
  for (const [kind, status, message] of table) {
    const failed = refusedBy(status, { error: { message } });
    await t.rejects(failed, { name: "ModelError", kind, message: message.slice(0, 100) }, message);
  }
});

t.test("a code says it where the words do not", async (t) => {
  const body = (code: string) => ({ error: { message: "Please shorten it.", code } });
  await t.rejects(refusedBy(400, body("context_length_exceeded")), { name: "ModelError", kind: "cycle" });
  await t.rejects(refusedBy(400, body("tool_use_failed")), { name: "ModelError", kind: "garbled" });
});

t.test("a pause that the server asks for is kept, in seconds or up to a date", async (t) => {
  const date = "Wed, 21 Oct 2026 07:28:00 GMT";
  const table: [Record<string, string>, number | undefined][] = [
    [{ "retry-after": "20" }, seconds(20)],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Wed, 21 Oct 2026 07:29:30 GMT", date }, seconds(90)],
    [{ "retry-after": "Wed, 21 Oct 2026 07:00:00 GMT", date }, 0],
    [{ "retry-after": "Wed, 21 Oct 2026 07:29:30 GMT" }, undefined],
    [{ "retry-after": "soon", date }, undefined],
    [{ "retry-after": "-5", date }, undefined],
    [{}, undefined],
  ];
  for (const [headers, retryAfter] of table)
    for (const status of [429, 503]) {
      const error = await refusedBy(status, { error: "busy" }, headers).catch((each: unknown) => each);
      t.match(error, { kind: "away", retryAfter }, `${status} ${JSON.stringify(headers)}`);
    }
});

t.test("a pause in Google's words is kept; a header counts more", async (t) => {
  const type = (name: string) => ({ "@type": `type.googleapis.com/google.rpc.${name}` });
  const busy = (retryDelay: unknown) => {
    const details = [type("QuotaFailure"), { ...type("RetryInfo"), retryDelay }];
    return { error: { code: 429, message: "Too much.", details } };
  };
  const pauses: [unknown, number | undefined][] = [
    [busy("37.5s"), seconds(37.5)],
    [[busy("2s")], seconds(2)],
    [busy("soon"), undefined],
    [busy(7), undefined],
    [{ error: { message: "Too much.", details: "2s" } }, undefined],
  ];
  for (const [body, retryAfter] of pauses) {
    const error = await refusedBy(429, body).catch((each: unknown) => each);
    t.match(error, { kind: "away", message: "the server answered 429: Too much.", retryAfter });
  }
  const both = refusedBy(429, busy("37s"), { "retry-after": "1" });
  await t.rejects(both, { name: "ModelError", retryAfter: seconds(1) });
});

t.test("a refusal without a word is told by its status", async (t) => {
  await t.rejects(refusedBy(502, ""), { message: "the server answered 502: (no words)", kind: "away" });
});
