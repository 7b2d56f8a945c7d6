import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { programHere } from "../../tendril-here.js";
import { answer } from "../decide/deciding-model.js";
import { FakeServer, type Json } from "./fake-server.js";

const MAIN = fileURLToPath(new URL("../../../agent-client/models/main.js", import.meta.url));

const completion = (content: string) => ({
  status: 200,
  body: {
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "x",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 4000, completion_tokens: 70, prompt_tokens_details: { cached_tokens: 190 } },
  },
});

/** A model that answers by a schema, and only talks where it should call. */
async function decides(t: Test) {
  const server = new FakeServer("/v1/chat/completions", (body: Json) =>
    completion(body.response_format ? JSON.stringify(answer({ water_ml: 10 })) : "I water it."),
  );
  return { server, env: { OPENAI_BASE_URL: `${await server.listen(t)}/v1` } };
}

const check = (t: Test, env: Record<string, string>, ...args: readonly string[]) =>
  programHere(MAIN, ["check", ...args, "--agent-state", join(t.testdirName, "own")], env);

t.test("models check tells what a decision takes, and which style a model can do", async (t) => {
  mkdirSync(t.testdirName, { recursive: true });
  const { env } = await decides(t);
  const { code, out, err } = await check(t, env, "openai:x");
  t.equal(code, 0, err);
  t.match(out, /^a decision {2}\d+\.\d s; 4 000 in \(190 cached\), 70 out tokens$/m);
  t.match(out, /^style {7}style "decide", one answer a cycle: by calls of tools, the model stopped without/m);
});

t.test(
  "models check ends with its reason where nobody answers, and with what to write instead",
  async (t) => {
    mkdirSync(t.testdirName, { recursive: true });
    const away = await check(t, { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, "openai:x");
    t.equal(away.code, 1);
    t.match(away.err + away.out, /127\.0\.0\.1:9\/v1 cannot be reached/);
    const rules = await check(t, {}, "caretaker");
    t.equal(rules.code, 2);
    t.match(rules.err, /caretaker is a set of rules: there is nothing to check/);
    t.equal((await check(t, {}, "gpt")).code, 2);
  },
);
