import { z } from "zod";
import { TendrilError } from "../../errors.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { mayActAs } from "../../wire/identity.js";
import { answeredApproval, approvalList } from "../../wire/people.js";
import { approvals } from "./approvals.js";

export const listApprovals = defineTool({
  name: "list_approvals",
  service: approvals,
  description:
    "Calls of agents that needed a person's yes, the newest first: what waits for an answer (`pending`), and what became of the others. Of what is a person's alone, others see only an outline, or nothing.",
  facts: reads("List approvals", { world: "closed" }),
  role: "human",
  input: z.strictObject({ limit: z.int().min(1).max(50).default(20) }),
  output: approvalList,
  run: async ({ limit }, { service, call }) => ({ approvals: await service.list(limit, call) }),
});

export const answerApproval = defineTool({
  name: "answer_approval",
  service: approvals,
  description:
    "Say yes or no to a call of an agent that waits for it. A yes is for that call alone, or for `scope`; a no also takes back a yes that was not used yet.",
  facts: changes("Answer an approval", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  role: "human",
  scopes: ["bridge"],
  input: z.strictObject({
    id: z.int().min(1).describe("`id` of list_approvals"),
    approve: z.boolean().describe("true: yes, carry it out; false: no"),
  }),
  output: answeredApproval,
  run: async ({ id, approve }, { service, isoNow, call }) => {
    // a captured bridge could say yes to all that it delivers; what a person presses comes by press_button
    if (approve && !mayActAs(call.identity.role, "human"))
      throw new TendrilError(
        "FORBIDDEN",
        "the scope bridge may say no, and a yes only by the buttons of a channel",
      );
    return {
      approval: await service.answer(id, approve, call),
      approved: approve,
      timestamp: isoNow(),
    };
  },
});
