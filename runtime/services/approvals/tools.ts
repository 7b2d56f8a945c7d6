import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { approvals } from "./approvals.js";

/** What was asked, as lists and the agenda show it. */
const asked = {
  id: z.int(),
  tool: z.string(),
  plant: z.string().optional(),
  arguments: z.record(z.string(), z.unknown()),
  words: z.string().describe('what would be done, after "wants to"'),
  agent: z.string(),
  instance: z.string().optional(),
  rule: z.enum(["always", "once_per_cycle"]),
  scope: z.string().optional().describe("how far a yes goes; absent: for this call alone"),
  cycle: z.int().optional(),
  expires_at: z.string(),
};

const pending = { ...asked, expires_in_s: z.int().describe("real time that is left") };
export const pendingApproval = z.object(pending);

const approval = z.object({
  ...asked,
  expires_in_s: z.int().optional().describe("real time that is left, while it is pending"),
  timestamp: z.string(),
  state: z.enum(["pending", "approved", "denied", "expired", "used"]),
  answered_at: z.string().nullable(),
  answered_by: z.string().nullable(),
  reason: z.string().nullable(),
  used_at: z.string().nullable(),
});

export const listApprovals = defineTool({
  name: "list_approvals",
  service: approvals,
  description:
    "Calls of agents that needed a person's yes, the newest first: what waits for an answer (`pending`), and what became of the others.",
  facts: reads("List approvals", { world: "closed" }),
  role: "human",
  input: z.strictObject({ limit: z.int().min(1).max(50).default(20) }),
  output: z.object({ approvals: z.array(approval) }),
  run: async ({ limit }, { service }) => ({ approvals: await service.list(limit) }),
});

export const answerApproval = defineTool({
  name: "answer_approval",
  service: approvals,
  description:
    "Say yes or no to a call of an agent that waits for it. A yes is for that call alone, or for `scope`; a no also takes back a yes that was not used yet.",
  facts: changes("Answer an approval", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  role: "human",
  input: z.strictObject({
    id: z.int().min(1).describe("`id` of list_approvals"),
    approve: z.boolean().describe("true: yes, carry it out; false: no"),
  }),
  output: z.object({ timestamp: z.string(), approved: z.boolean(), approval: pendingApproval }),
  run: async ({ id, approve }, { service, isoNow, call }) => ({
    approval: await service.answer(id, approve, call.identity.name),
    approved: approve,
    timestamp: isoNow(),
  }),
});
