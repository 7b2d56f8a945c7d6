import { readFileSync } from "node:fs";
import type { Answering, Json, Said } from "./fake-server.js";

interface Recorded {
  readonly replies: readonly { readonly status: number; readonly body: Json }[];
}

const read = (name: string): Recorded =>
  JSON.parse(readFileSync(`test/agent-client/models/recorded/${name}.json`, "utf8"));

/** What a server said, see recorded/README.md. */
export const recorded =
  (name: string): Answering =>
  () => {
    const [reply] = read(name).replies;
    if (!reply) throw new Error(`${name} holds no reply`);
    return reply;
  };

/** Replies of servers that speak chat completions, copied from the kit small-model-bench (folder `recorded`, file by file). */

const talks = (content: string): Said => ({
  status: 200,
  body: {
    id: "c",
    object: "chat.completion",
    created: 0,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  },
});

/** made-talks-only.json: "A reply without a call, in every cycle: a model that only talks." */
export const MADE_TALKS_ONLY: readonly Said[] = [
  talks("The plant looks well. I will water the plant every day."),
];

/** made-out-then-talks.json: "The model is out once, and then only talks." */
export const MADE_OUT_THEN_TALKS: readonly Said[] = [
  { status: 401, body: { error: { message: "Invalid API Key" } } },
  talks("The plant looks well."),
];
