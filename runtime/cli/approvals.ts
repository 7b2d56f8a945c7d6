import { inLine } from "../harmless.js";
import { HouseTime } from "../wire/house-time.js";
import type { AnsweredApproval, Approval, ApprovalList, PendingApproval } from "../wire/people.js";
import { houseTimeOf } from "./messages.js";
import { overviewOf, type Remote } from "./remote.js";

/** Open requests, then the answered ones, newest first. */
export async function approvals(remote: Remote, { limit }: { limit: number }): Promise<string> {
  const { approvals: all } = await remote.call<ApprovalList>("list_approvals", { limit });
  const { zone, timestamp, approvals: waiting } = await overviewOf(remote);
  const time = new HouseTime(zone);
  return [
    ...waiting.map((each) => `? ${waitingLine(each, time, timestamp)}`),
    ...(waiting.length === 0 ? ["nothing waits for your approval"] : []),
    ...all.filter(({ state }) => state !== "pending").map((each) => outcomeLine(each, time)),
  ].join("\n");
}

export async function answer(remote: Remote, id: number, approve: boolean): Promise<string> {
  const before = approve ? await approvedBefore(remote, id) : undefined;
  if (before) return `already approved: ${outcomeLine(before, await houseTimeOf(remote))}`;
  const { approval } = await remote.call<AnsweredApproval>("answer_approval", { id, approve });
  return approve ? approved(approval) : `denied: ${wish(approval)}; it is not asked again in this cycle`;
}

/** The page size of the runtime: requests that can still be answered are among the newest. */
const LISTED = 50;

async function approvedBefore(remote: Remote, id: number): Promise<Approval | undefined> {
  const { approvals } = await remote.call<ApprovalList>("list_approvals", { limit: LISTED });
  return approvals.find((each) => each.id === id && (each.state === "approved" || each.state === "used"));
}

const approved = (approval: PendingApproval): string =>
  `approved, ${approval.scope === undefined ? "this once" : `for ${approval.scope}`}: ${wish(approval)}`;

type Waiting = Wish & Pick<PendingApproval, "id" | "expires_in_s" | "scope">;
type Past = Wish & Outcome & Pick<Approval, "id" | "timestamp">;
type Wish = Pick<PendingApproval, "agent" | "instance" | "words" | "plant">;

/** "agent (pi)": the token's name, and the agent's among those with that token. */
export const agentInWords = ({ agent, instance }: { agent: string; instance?: string | null | undefined }) =>
  instance == null ? agent : `${agent} (${instance})`;

/** "agent (pi) wants to pour 20 ml for basil" */
export function wish({ agent, instance, words, plant }: Wish): string {
  return inLine(
    `${agentInWords({ agent, instance })} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`,
  );
}

/** `now`: the plant's time. It runs in real time while a request waits. */
export function waitingLine(approval: Waiting, time: HouseTime, now: string): string {
  const { id, expires_in_s: left } = approval;
  const until = `until ${time.clock(Date.parse(now) + left * 1000)} ${time.zone}, ${leftInWords(left)} left`;
  return `${wish(approval)}${furtherThan(approval)}: tendril approve ${id}, or tendril deny ${id} (${until})`;
}

const leftInWords = (s: number): string => (s < 90 ? `${s} s` : `${Math.round(s / 60)} min`);

const furtherThan = ({ scope }: Pick<PendingApproval, "scope">) =>
  scope === undefined ? "" : `; an approval is valid for ${inLine(scope)}`;

type Outcome = Pick<Approval, "state" | "answered_by" | "reason" | "used_at">;

function outcome({ state, answered_by, reason, used_at }: Outcome, time: HouseTime): string {
  const by = answered_by === null ? "" : ` by ${answered_by}`;
  const why = reason === null ? "" : ` (${inLine(reason)})`;
  if (state === "approved") return `approved${by}, not used yet`;
  if (state === "used") return `used ${used_at === null ? "" : time.clock(used_at)} (approved${by})`;
  if (state === "expired" && by !== "") return `approved${by}, but not used in time${why}`;
  return `${state}${by}${why}`;
}

/** A line about an answered request. */
export const outcomeLine = (approval: Past, time: HouseTime): string =>
  `#${approval.id}  ${time.minute(approval.timestamp)}  ${wish(approval)}: ${outcome(approval, time)}`;
