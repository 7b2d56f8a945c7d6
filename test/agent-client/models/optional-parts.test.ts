import t from "tap";
import { OptionalParts } from "../../../agent-client/models/ask-server.js";
import type { Message } from "../../../agent-client/models/model.js";
import { Refused } from "../../../agent-client/models/model-error.js";
import { OPENING } from "./conversations.js";

t.test("where an API has no field for a schema, it is asked for in words", async (t) => {
  const question = { conversation: OPENING, tools: [], options: { schema: { type: "object" as const } } };
  const post = async (parts: object, conversation: readonly Message[]) => ({ parts, conversation });
  const { parts, conversation } = await new OptionalParts().send(question, () => ({ seed: 1 }), post);
  t.strictSame(parts, { seed: 1 });
  t.match(conversation, [
    OPENING[0],
    { content: /^It is time\.\n\nAnswer with one JSON text of this schema/ },
  ]);
});

t.test("a refusal that only has the letters of a part in its words is not of that part", async (t) => {
  const question = { conversation: OPENING, tools: [], options: { schema: { type: "object" as const } } };
  let posts = 0;
  const post = () => {
    posts += 1;
    return Promise.reject(new Refused(400, "more information is needed, in the formats of the page"));
  };
  const sent = new OptionalParts("format").send(question, () => ({ format: {} }), post);
  await t.rejects(sent, { message: "refused with status 400" });
  t.equal(posts, 1, "it is asked no second time");
});
