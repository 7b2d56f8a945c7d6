import { type AnsweredApproval, type Approval, outcomeLine, waitingLine, wish } from "./approval-words.js";
import { print } from "./print.js";
import { withRemote } from "./remote.js";
import type { Address } from "./state.js";

/** What waits for an answer, then what became of the others, the newest first. */
export const approvals = (address: Address, { limit }: { limit: number }) =>
  withRemote(address, async (remote) => {
    const { approvals: all } = await remote.call<{ approvals: AnsweredApproval[] }>("list_approvals", {
      limit,
    });
    const waiting = all.filter(({ state }) => state === "pending");
    for (const each of waiting) print(`? ${waitingLine(each)}`);
    if (waiting.length === 0) print("nothing waits for your yes");
    for (const each of all) if (each.state !== "pending") print(outcomeLine(each));
  });

export const answer = (address: Address, id: number, approve: boolean) =>
  withRemote(address, async (remote) => {
    const { approval } = await remote.call<{ approval: Approval }>("answer_approval", { id, approve });
    print(approve ? approved(approval) : `denied: ${wish(approval)}; it is not asked again in this cycle`);
  });

const approved = (approval: Approval): string =>
  approval.rule === "always"
    ? `approved, this once: ${wish(approval)}`
    : `approved, for the rest of this cycle: ${wish(approval)}`;
