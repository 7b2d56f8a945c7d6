import { getEventListeners } from "node:events";
import t from "tap";
import { createModel, DEFAULT_MODEL, MODEL_NAMES, secretsIn } from "../../../agent-client/models/index.js";
import { OPENING, TOOLS } from "./conversations.js";
import { fakeOllama, says } from "./fake-ollama.js";
import { completes, fakeOpenAi, KEY as OPENAI_API_KEY } from "./fake-openai.js";

const KEY = { OPENAI_API_KEY };
const NAMES = ["caretaker", "ollama:NAME", "openai:NAME"];

t.test("a model is chosen by name, and keeps that name", (t) => {
  for (const name of ["caretaker", "ollama:qwen3", "ollama:hf.co/org/model:Q4_K_M", "openai:gpt-4.1-mini"])
    t.equal(createModel(name, KEY).name, name);
  t.equal(createModel(DEFAULT_MODEL, {}).name, "caretaker", "the default needs no environment");
  t.strictSame(MODEL_NAMES, NAMES);
  t.end();
});

t.test("a name that says too little or too much is refused with what to write", (t) => {
  const table: [string, string][] = [
    ...["gpt", "", "constructor", "Ollama:x"].map((name): [string, string] => [
      name,
      `there is no model "${name}"; known: ${NAMES.join(", ")}`,
    ]),
    ["ollama", '"ollama" does not say which model: write ollama:NAME, such as ollama:qwen3'],
    ["ollama: ", '"ollama: " does not say which model: write ollama:NAME, such as ollama:qwen3'],
    ["openai:", '"openai:" does not say which model: write openai:NAME, such as openai:gpt-4.1-mini'],
    ["caretaker:x", "caretaker has no variants: write caretaker"],
  ];
  for (const [name, message] of table) t.throws(() => createModel(name, KEY), { message });
  t.end();
});

t.test("variables that cannot be used are refused before anything is asked, and never repeated", (t) => {
  const table: [string, Record<string, string>, RegExp][] = [
    [
      "ollama:x",
      { OLLAMA_HOST: "ftp://h" },
      /^OLLAMA_HOST is not an address: write it as http:\/\/HOST:PORT$/,
    ],
    ["ollama:x", { OLLAMA_HOST: "h:99999" }, /^OLLAMA_HOST is not an address/],
    ["ollama:x", { OLLAMA_HOST: "http://me:secret@h" }, /^OLLAMA_HOST contains a user or a password/],
    ["openai:x", { ...KEY, OPENAI_BASE_URL: "localhost:8080/v1" }, /^OPENAI_BASE_URL is not an address/],
    ["openai:x", { ...KEY, OPENAI_BASE_URL: "https://:secret@h/v1" }, /^OPENAI_BASE_URL contains a user/],
    ["openai:x", { ...KEY, OPENAI_BASE_URL: "https://h/v1?key=secret" }, /^OPENAI_BASE_URL has more after/],
    ["openai:x", {}, /^OPENAI_API_KEY is not set: give it a key, or name another server in OPENAI_BASE_URL$/],
    ["openai:x", { OPENAI_API_KEY: "se\ncret" }, /^OPENAI_API_KEY holds more than a key on one line$/],
  ];
  for (const [name, env, message] of table) {
    t.throws(() => createModel(name, env), { message });
    t.throws(() => createModel(name, env), { message: /^(?!.*cret)/s });
  }
  t.end();
});

t.test("the secrets of every provider are known, so that no log has them", async (t) => {
  t.same(secretsIn({ OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: "http://127.0.0.1:1" }), ["sk-secret"]);
  t.same(secretsIn({}), []);
});

t.test("a server of one's own needs no key, encrypted or not", (t) => {
  for (const OPENAI_BASE_URL of ["http://192.168.1.5:8080/v1", "https://models.example/v1"])
    t.equal(createModel("openai:x", { OPENAI_BASE_URL }).name, "openai:x");
  t.end();
});

t.test("a hundred replies leave nothing behind on the agent's signal", async (t) => {
  const stop = new AbortController();
  for (const [name, { url }, variable] of [
    ["openai:gpt", fakeOpenAi(t, completes({})), "OPENAI_BASE_URL"],
    ["ollama:qwen3", fakeOllama(t, says({})), "OLLAMA_HOST"],
  ] as const) {
    const model = createModel(name, { [variable]: await url, ...KEY });
    for (let round = 0; round < 100; round += 1) await model.respond(OPENING, TOOLS, stop.signal);
    t.equal(getEventListeners(stop.signal, "abort").length, 0, name);
  }
});
