import { readFileSync } from "node:fs";
import type { Answering, Json } from "./fake-server.js";

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
