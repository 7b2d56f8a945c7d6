import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import { never } from "./conversations.js";
import { fakeOllama } from "./fake-ollama.js";
import { fakeOpenAi, KEY } from "./fake-openai.js";
import type { Answering, Json } from "./fake-server.js";
import { recorded } from "./recorded.js";

t.test("Ollama tells which weights a name stands for, by their digest", async (t) => {
  const models = [
    { name: "qwen3:4b", digest: "aaa" },
    { name: "Qwen3:latest", digest: "bbb" },
  ];
  const identityIn = async (body: Json) => {
    const { url } = fakeOllama(t, () => ({ body }));
    return createModel("ollama:qwen3", { OLLAMA_HOST: await url }).identity?.(never);
  };
  t.equal(await identityIn({ models }), "bbb");
  for (const body of [{ models: [] }, { hello: "world" }]) t.equal(await identityIn(body), undefined);
});

/** The identity that a list of models gives. */
const identityBy = async (t: Test, answer: Answering, name = "small") => {
  const { url } = fakeOpenAi(t, answer);
  return createModel(`openai:${name}`, { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY }).identity?.(never);
};

/** The first entry of a recorded list, changed. */
const changed =
  (name: string, change: Json): Answering =>
  (...asked) => {
    const said = recorded(name)(...asked);
    if (said === "silence") return said;
    const [entry, ...more] = (said.body as { data: Json[] }).data;
    return { body: { data: [{ ...entry, ...change }, ...more] } };
  };

t.test("a server's list tells of other weights under the same name, and not when it was asked", async (t) => {
  const llama = await identityBy(t, recorded("llama-cpp-models"));
  const vllm = await identityBy(t, recorded("vllm-models"));
  t.match(llama, /^sha256:[0-9a-f]{64}$/);
  t.match(vllm, /^sha256:[0-9a-f]{64}$/);
  const meta = { vocab_type: 2, n_vocab: 151936, n_ctx_train: 32768, n_embd: 896, n_params: 494032768 };
  const size = 484957696;
  const same: [string, Json][] = [
    ["llama-cpp-models", { created: 1, meta: { size, ...meta, n_ctx: 4096 }, status: { value: "loaded" } }],
    ["vllm-models", { created: 1, permission: [{ id: "modelperm-7" }], max_model_len: 9 }],
  ];
  for (const [name, change] of same)
    t.equal(await identityBy(t, changed(name, change)), name === "vllm-models" ? vllm : llama, name);
  t.not(await identityBy(t, changed("llama-cpp-models", { meta: { ...meta, size: 1 } })), llama);
  t.not(await identityBy(t, changed("vllm-models", { root: "/another" })), vllm);
  t.not(await identityBy(t, recorded("vllm-models"), "lora"), vllm);
});

t.test(
  "where a list tells no more than names there is no identity; a server that is busy is one that is away",
  async (t) => {
    const names = [{ id: "small", object: "model", created: 1, owned_by: "organization-owner" }, { id: "b" }];
    const table: Answering[] = [
      () => ({ body: { data: names } }),
      () => ({
        body: {
          data: [
            { id: "a", root: "x" },
            { id: "b", root: "y" },
          ],
        },
      }),
      () => ({ body: "[]" }),
      () => ({ status: 404, body: "404 page not found" }),
      () => ({ type: "text/html", body: "<html>" }),
    ];
    for (const answer of table) t.equal(await identityBy(t, answer), undefined);
    const loading: Answering = () => ({ status: 503, body: { error: { message: "Loading model" } } });
    await t.rejects(Promise.resolve(identityBy(t, loading)), { name: "ModelError", kind: "away" });
  },
);
