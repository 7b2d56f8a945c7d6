import { z } from "zod";
import { answeredApproval, approvalList } from "../../wire/people.js";
import { defineTool } from "../define-tool.js";

export const listApprovals = defineTool({
  name: "list_approvals",
  description:
    "Calls of agents that needed a person's yes, the newest first: what waits for an answer (`pending`), and what became of the others.",
  annotations: { readOnlyHint: true },
  role: "human",
  input: z.strictObject({ limit: z.int().min(1).max(50).default(20) }),
  output: approvalList,
  run: async ({ limit }, { services }) => ({ approvals: await services.approvals.list(limit) }),
});

export const answerApproval = defineTool({
  name: "answer_approval",
  description:
    "Say yes or no to a call of an agent that waits for it. A yes is for that call alone, or for `scope`; a no also takes back a yes that was not used yet.",
  annotations: { destructiveHint: true, idempotentHint: false },
  role: "human",
  input: z.strictObject({
    id: z.int().min(1).describe("`id` of list_approvals"),
    approve: z.boolean().describe("true: yes, carry it out; false: no"),
  }),
  output: answeredApproval,
  run: async ({ id, approve }, { services, call }) => ({
    approval: await services.approvals.answer(id, approve, call.identity.name),
    approved: approve,
    timestamp: services.timestamp(),
  }),
});
