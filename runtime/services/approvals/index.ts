import { z } from "zod";
import { notAllowed } from "../../errors.js";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { mayActAs } from "../../wire/identity.js";
import { ALL_OFF } from "../../wire/names.js";
import { answeredApproval, approvalList, type PendingApproval } from "../../wire/people.js";
import { defineModule } from "../module.js";
import { approvals } from "./approvals.js";
import { APPROVAL_ERRORS, APPROVAL_LOG, approvalConfig } from "./declarations.js";
import { personalRequests } from "./request.js";

const listApprovals = defineTool({
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

const answerApproval = defineTool({
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
      throw notAllowed("the scope bridge may say no, and a yes only by the buttons of a channel");
    return {
      approval: await service.answer(id, approve, call),
      approved: approve,
      timestamp: isoNow(),
    };
  },
});

/** Calls of agents that wait for a person's yes. */
export const approvalsModule = defineModule({
  name: "approvals",
  canBeOff: false,
  toolset: "plants",
  config: approvalConfig,
  journals: [{ definition: APPROVAL_LOG, atRestore: "stays" }],
  errors: APPROVAL_ERRORS,
  parts: [approvals],
  tools: [listApprovals, answerApproval],
  // what waits for a yes now ends with its time: it is in no journal any more
  person: { find: personalRequests },
  agenda: {
    watch: (house, listener) => house.get(approvals).watch(listener),
    view: (house, identity) => {
      const pending = house.get(approvals).pendingFor({ identity });
      return { approvals: mayActAs(identity.role, "human") ? pending : pending.map(withoutWords) };
    },
  },
  overview: { view: (house, caller) => ({ approvals: house.get(approvals).pendingFor(caller) }) },
  allOff: (house, by) => {
    house.get(approvals).refuseAll(by, ALL_OFF);
    return [];
  },
});

/** For agents: the arguments can repeat words of strangers, and the agenda is no place for those. */
const withoutWords = (request: PendingApproval): PendingApproval =>
  request.after_reading ? { ...request, arguments: {}, words: `call ${request.tool}` } : request;
