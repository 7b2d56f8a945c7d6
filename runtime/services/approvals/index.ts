import { mayActAs } from "../../wire/identity.js";
import type { PendingApproval } from "../../wire/people.js";
import { defineModule } from "../module.js";
import { approvals } from "./approvals.js";
import { APPROVAL_ERRORS, APPROVAL_LOG, approvalConfig } from "./declarations.js";
import { personalRequests } from "./person.js";
import { answerApproval, listApprovals } from "./tools.js";

/** Calls of agents that wait for a person's yes. */
export const approvalsModule = defineModule({
  name: "approvals",
  canBeOff: false,
  toolset: "plants",
  config: approvalConfig,
  journals: [{ definition: APPROVAL_LOG }],
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
    house.get(approvals).refuseAll(by, "everything was switched off");
    return [];
  },
});

/** For agents: the arguments can repeat words of strangers, and the agenda is no place for those. */
const withoutWords = (request: PendingApproval): PendingApproval =>
  request.after_reading ? { ...request, arguments: {}, words: `call ${request.tool}` } : request;
