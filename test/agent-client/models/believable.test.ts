import t from "tap";
import { BelievableModel } from "../../../agent-client/models/believable.js";
import type { Reply } from "../../../agent-client/models/model.js";
import { never, OPENING } from "./conversations.js";
import { Spoken } from "./spoken.js";

const counting = (input: number, output: number): Reply => ({ toolCalls: [], usage: { input, output } });

t.test("counts that cannot be true are left out, and told once", async (t) => {
  const told: string[] = [];
  const wrong = [counting(-1, 5), counting(10, 1.5), counting(1e9, 5), counting(5, Number.MAX_VALUE)];
  const model = new BelievableModel(new Spoken("m", wrong), (text) => told.push(text));
  for (const _ of wrong) t.strictSame(await model.respond(OPENING, [], never), { toolCalls: [] });
  t.match(told, [
    /^m says that a reply took -1 tokens in and 5 out, which cannot be: such counts are estimated$/,
  ]);
  t.equal(told.length, 1);
});

t.test("all others are believed, and a provider need not count", async (t) => {
  const replies = [counting(0, 0), counting(5_000_000, 3), { toolCalls: [] }];
  const model = new BelievableModel(new Spoken("m", replies), () => t.fail("nothing to tell"));
  for (const reply of replies) t.equal(await model.respond(OPENING, [], never), reply);
});
