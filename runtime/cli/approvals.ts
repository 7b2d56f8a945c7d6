import { HouseTime } from "../wire/house-time.js";
import type { AnsweredApproval, Approval, ApprovalList, PendingApproval } from "../wire/people.js";
import { outcomeLine, waitingLine, wish } from "./approval-words.js";
import { houseTimeOf } from "./messages.js";
import { print } from "./print.js";
import { overviewOf, type Remote, withRemote } from "./remote.js";
import type { Address } from "./state.js";

/** What waits for an answer, then what became of the others, the newest first. */
export const approvals = (address: Address, { limit }: { limit: number }) =>
  withRemote(address, async (remote) => {
    const { approvals: all } = await remote.call<ApprovalList>("list_approvals", { limit });
    const overview = await overviewOf(remote);
    const [time, now, waiting] = [new HouseTime(overview.zone), overview.timestamp, overview.approvals];
    for (const each of waiting) print(`? ${waitingLine(each, time, now)}`);
    if (waiting.length === 0) print("nothing waits for your yes");
    for (const each of all) if (each.state !== "pending") print(outcomeLine(each, time));
  });

export const answer = (address: Address, id: number, approve: boolean) =>
  withRemote(address, async (remote) => {
    const before = approve ? await approvedBefore(remote, id) : undefined;
    if (before) return print(`already approved: ${outcomeLine(before, await houseTimeOf(remote))}`);
    const { approval } = await remote.call<AnsweredApproval>("answer_approval", { id, approve });
    print(approve ? approved(approval) : `denied: ${wish(approval)}; it is not asked again in this cycle`);
  });

/** As many as the runtime lists at once: what can still be answered is among the newest. */
const LISTED = 50;

async function approvedBefore(remote: Remote, id: number): Promise<Approval | undefined> {
  const { approvals } = await remote.call<ApprovalList>("list_approvals", { limit: LISTED });
  return approvals.find((each) => each.id === id && (each.state === "approved" || each.state === "used"));
}

const approved = (approval: PendingApproval): string =>
  `approved, ${approval.scope === undefined ? "this once" : `for ${approval.scope}`}: ${wish(approval)}`;
