import { inLine } from "../log.js";
import { wishSentence } from "../wire/approval-words.js";
import type { HouseTime } from "../wire/house-time.js";
import type { AnsweredApproval, Approval, ApprovalList, PendingApproval } from "../wire/people.js";
import { type HouseWords, houseOf, wordsFor } from "./messages.js";
import { overviewOf, type Remote } from "./remote.js";

/** Open requests, then the answered ones, newest first. */
export async function approvals(remote: Remote, { limit }: { limit: number }): Promise<string> {
  const { approvals: all } = await remote.call<ApprovalList>("list_approvals", { limit });
  const overview = await overviewOf(remote);
  const { timestamp, approvals: waiting } = overview;
  const house = wordsFor(overview);
  return [
    ...waiting.map((each) => `? ${waitingLine(each, house, timestamp)}`),
    ...(waiting.length === 0 ? ["nothing waits for your yes"] : []),
    ...all.filter(({ state }) => state !== "pending").map((each) => outcomeLine(each, house)),
  ].join("\n");
}

export async function answer(remote: Remote, id: number, approve: boolean): Promise<string> {
  const before = approve ? await approvedBefore(remote, id) : undefined;
  if (before) return `already approved: ${outcomeLine(before, await houseOf(remote))}`;
  const { approval } = await remote.call<AnsweredApproval>("answer_approval", { id, approve });
  const house = await houseOf(remote);
  return approve
    ? approved(approval, house)
    : `refused: ${wish(approval, house)}; it is not asked again in this cycle`;
}

/** The page size of the runtime: requests that can still be answered are among the newest. */
const LISTED = 50;

async function approvedBefore(remote: Remote, id: number): Promise<Approval | undefined> {
  const { approvals } = await remote.call<ApprovalList>("list_approvals", { limit: LISTED });
  return approvals.find((each) => each.id === id && (each.state === "approved" || each.state === "used"));
}

const approved = (approval: PendingApproval, house: Named): string =>
  `approved, ${approval.scope === undefined ? "this once" : `for ${approval.scope}`}: ${wish(approval, house)}`;

type Waiting = Wish & Pick<PendingApproval, "id" | "expires_in_s" | "scope">;
type Past = Wish & Outcome & Pick<Approval, "id" | "timestamp">;
type Wish = Pick<PendingApproval, "agent" | "instance" | "words" | "plant" | "after_reading">;

type Named = Pick<HouseWords, "name">;

const wish = ({ plant, ...asked }: Wish, { name }: Named): string =>
  inLine(wishSentence({ ...asked, plant: plant === undefined ? undefined : name(plant) }));

/** `now`: the plant's time. It runs in real time while a request waits. */
export function waitingLine(approval: Waiting, house: HouseWords, now: string): string {
  const { time } = house;
  const { id, expires_in_s: left } = approval;
  const until = `until ${time.clock(Date.parse(now) + left * 1000)} ${time.zone}, ${leftInWords(left)} left`;
  return `${wish(approval, house)}${furtherThan(approval)}: tendril approve ${id}, or tendril deny ${id} (${until})`;
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
  return `${state === "denied" ? "refused" : state}${by}${why}`;
}

export const outcomeLine = (approval: Past, house: HouseWords): string =>
  `#${approval.id}  ${house.time.minute(approval.timestamp)}  ${wish(approval, house)}: ${outcome(approval, house.time)}`;
