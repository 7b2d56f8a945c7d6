import type { HouseTime } from "../wire/house-time.js";
import type { Approval, PendingApproval } from "../wire/people.js";
import { inLine } from "./print.js";

type Waiting = Wish & Pick<PendingApproval, "id" | "expires_in_s" | "scope">;
type Past = Wish & Outcome & Pick<Approval, "id" | "timestamp">;
type Wish = Pick<PendingApproval, "agent" | "instance" | "words" | "plant">;

/** "agent (pi) wants to pour 20 ml for basil" */
export function wish({ agent, instance, words, plant }: Wish): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return inLine(`${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`);
}

/** `now`: the plant's time, the only one that is shown; it keeps real time while somebody is waited for. */
export function waitingLine(approval: Waiting, time: HouseTime, now: string): string {
  const { id, expires_in_s: left } = approval;
  const until = `until ${time.clock(Date.parse(now) + left * 1000)} ${time.zone}, ${leftInWords(left)} left`;
  return `${wish(approval)}${furtherThan(approval)}: tendril approve ${id}, or tendril deny ${id} (${until})`;
}

const leftInWords = (s: number): string => (s < 90 ? `${s} s` : `${Math.round(s / 60)} min`);

const furtherThan = ({ scope }: Pick<PendingApproval, "scope">) =>
  scope === undefined ? "" : `; a yes holds for ${inLine(scope)}`;

type Outcome = Pick<Approval, "state" | "answered_by" | "reason" | "used_at">;

function outcome({ state, answered_by, reason, used_at }: Outcome, time: HouseTime): string {
  const by = answered_by === null ? "" : ` by ${answered_by}`;
  const why = reason === null ? "" : ` (${inLine(reason)})`;
  if (state === "approved") return `approved${by}, not used yet`;
  if (state === "used") return `used ${used_at === null ? "" : time.clock(used_at)} (approved${by})`;
  if (state === "expired" && by !== "") return `approved${by}, but not used in time${why}`;
  return `${state}${by}${why}`;
}

/** One line of the past. */
export const outcomeLine = (approval: Past, time: HouseTime): string =>
  `#${approval.id}  ${time.minute(approval.timestamp)}  ${wish(approval)}: ${outcome(approval, time)}`;
