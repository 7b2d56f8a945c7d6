import type { IncomingMessage, RequestListener } from "node:http";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { embeddingAdapter } from "../../../runtime/bridge/models/adapter.js";
import { EmbeddingServer } from "./embedding-server.js";
import { answers, gives, OutsideServer } from "./outside-server.js";

const CLOCK = new SystemClock();
const KEY = "sk-0123456789abcdef";

/** Vectors of the adapter with a test's own server, as numbers. */
function adapterOf(config: object | undefined) {
  const context = {
    ...{
      clock: CLOCK,
      say: () => undefined,
      onConnected: () => undefined,
      tellProblem: () => undefined,
      isAsked: () => true,
      upload: async () => "",
    },
    ...{ call: async () => ({}), signal: new AbortController().signal },
  };
  const { embed } = embeddingAdapter.open(embeddingAdapter.config.parse(config), context);
  if (!embed) throw new Error("no job embed");
  return async (provider: string, texts: readonly string[], signal = new AbortController().signal) => {
    const { vectors } = (await embed({ provider, model: "m", texts }, signal)) as { vectors: string[] };
    return vectors.map((each) => [...new Int8Array(Buffer.from(each, "base64"))]);
  };
}

async function failsWith(t: Test, work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (each: Error & { code: string }) => each,
  );
  t.equal(error?.code, code, `${error?.message}`);
  t.notMatch(`${error?.message}`, /127\.0\.0\.1|sk-0123/);
}

for (const provider of ["ollama", "openai"] as const)
  t.test(`${provider}: a vector for each text, in their order, as bytes`, async (t) => {
    const server = await EmbeddingServer.start(t, (text) => (text === "a" ? [0.5, -1, 0] : [0, 0.02, 0.01]));
    const embed = adapterOf({ address: server.origin, key: KEY });
    t.same(await embed(provider, ["a", "b"]), [
      [64, -127, 0],
      [0, 127, 64],
    ]);
    t.same(server.asked, [{ provider, model: "m", texts: ["a", "b"], key: KEY }]);
  });

t.test("a path in the address is kept, and /v1 at its end is not doubled", async (t) => {
  const server = await OutsideServer.start(t, gives('{"data":[{"index":0,"embedding":[1]}]}'));
  for (const path of ["", "/", "/v1", "/v1/", "/proxy/v1", "/proxy?x=1"])
    await adapterOf({ address: `${server.origin}${path}` })("openai", ["a"]);
  t.same(
    server.asked.map(({ url }) => url),
    [...Array(4).fill("/v1/embeddings"), "/proxy/v1/embeddings", "/proxy/v1/embeddings?x=1"],
  );
});

t.test("what is no vector for each text is a failure, never a vector", async (t) => {
  const server = await OutsideServer.start(t, answers(500));
  const embed = adapterOf({ address: server.origin, key: KEY });
  const both = (answer: RequestListener, code: string) => {
    server.now(answer);
    return failsWith(t, embed("ollama", ["a", "b"]), code);
  };
  const says = (value: unknown) => gives(JSON.stringify(value));
  await both(answers(500), "HTTP_500");
  await both(answers(401), "LOGIN_REFUSED");
  await both(answers(404), "NO_SUCH_MODEL");
  await both(gives("<html>"), "ANSWER_CHANGED");
  await both(says({ embeddings: [[1, 2]] }), "ANSWER_CHANGED");
  await both(says({ embeddings: [[1, 2], [1]] }), "ANSWER_CHANGED");
  await both(
    says({
      embeddings: [
        [1, 2],
        ["1", 2],
      ],
    }),
    "ANSWER_CHANGED",
  );
  await both(
    says({
      embeddings: [
        [1, 2],
        [0, 0],
      ],
    }),
    "ANSWER_CHANGED",
  );
  await both(says({ embeddings: [[], []] }), "ANSWER_CHANGED");
  server.now(
    says({
      data: [
        { index: 1, embedding: [1] },
        { index: 1, embedding: [1] },
      ],
    }),
  );
  await failsWith(t, embed("openai", ["a", "b"]), "ANSWER_CHANGED");
});

t.test("a redirect gets neither texts nor key", async (t) => {
  const elsewhere = await OutsideServer.start(t, answers(200));
  const server = await OutsideServer.start(t, answers(307, { location: elsewhere.origin }));
  await failsWith(t, adapterOf({ address: server.origin, key: KEY })("ollama", ["a"]), "REDIRECT_REFUSED");
  t.same(elsewhere.asked, []);
});

t.test("a server that does not answer ends with the job's time", async (t) => {
  let asked: (request: IncomingMessage) => void = () => undefined;
  const isAsked = new Promise((resolve) => {
    asked = resolve;
  });
  const server = await OutsideServer.start(t, (request) => asked(request));
  const over = new AbortController();
  const embedded = adapterOf({ address: server.origin })("ollama", ["a"], over.signal);
  await isAsked;
  over.abort();
  await failsWith(t, embedded, "TOO_SLOW");
});

t.test("without an address it says so; an address without TLS is not taken", async (t) => {
  await failsWith(t, adapterOf(undefined)("ollama", ["a"]), "NOT_CONFIGURED");
  t.throws(() => adapterOf({ address: "http://192.0.2.1:11434" }), /without TLS/);
  t.same(embeddingAdapter.secrets(embeddingAdapter.config.parse({ address: "https://a.test", key: KEY })), [
    "https://a.test/",
    KEY,
  ]);
});
