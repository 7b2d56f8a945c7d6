import type { HouseTime } from "../house-time.js";
import { inLine } from "./print.js";

/** A call of an agent that waits for a person's yes. */
export interface Approval {
  readonly id: number;
  readonly plant?: string;
  readonly words: string;
  readonly agent: string;
  readonly instance?: string;
  readonly rule: "always" | "once_per_cycle";
  /** How far a yes goes, where that is further than this call. */
  readonly scope?: string;
  readonly expires_at: string;
  /** Real seconds that are left. Absent of what does not wait any more. */
  readonly expires_in_s?: number;
}

/** One that may be answered. */
export interface AnsweredApproval extends Approval {
  readonly timestamp: string;
  readonly state: "pending" | "approved" | "denied" | "expired" | "used";
  readonly answered_by: string | null;
  readonly reason: string | null;
  readonly used_at: string | null;
}

/** "agent (pi) wants to pour 20 ml for basil" */
export function wish({ agent, instance, words, plant }: Approval): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return inLine(`${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`);
}

/** `now`: the plant's time, the only one that is shown; it keeps real time while somebody is waited for. */
export function waitingLine(approval: Approval, time: HouseTime, now: string): string {
  const { id, expires_in_s: left = 0 } = approval;
  const until = `until ${time.clock(Date.parse(now) + left * 1000)} ${time.zone}, ${leftInWords(left)} left`;
  return `${wish(approval)}${furtherThan(approval)}: tendril approve ${id}, or tendril deny ${id} (${until})`;
}

const leftInWords = (s: number): string => (s < 90 ? `${s} s` : `${Math.round(s / 60)} min`);

const furtherThan = ({ scope }: Approval) =>
  scope === undefined ? "" : `; a yes holds for ${inLine(scope)}`;

type Outcome = Pick<AnsweredApproval, "state" | "answered_by" | "reason" | "used_at">;

function outcome({ state, answered_by, reason, used_at }: Outcome, time: HouseTime): string {
  const by = answered_by === null ? "" : ` by ${answered_by}`;
  const why = reason === null ? "" : ` (${inLine(reason)})`;
  if (state === "approved") return `approved${by}, not used yet`;
  if (state === "used") return `used ${used_at === null ? "" : time.clock(used_at)} (approved${by})`;
  if (state === "expired" && by !== "") return `approved${by}, but not used in time${why}`;
  return `${state}${by}${why}`;
}

/** One line of the past. */
export const outcomeLine = (approval: AnsweredApproval, time: HouseTime): string =>
  `#${approval.id}  ${time.minute(approval.timestamp)}  ${wish(approval)}: ${outcome(approval, time)}`;
