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
}

/** One that may be answered. */
export interface AnsweredApproval extends Approval {
  readonly timestamp: string;
  readonly state: "pending" | "approved" | "denied" | "expired" | "used";
  readonly answered_by: string | null;
  readonly reason: string | null;
  readonly used_at: string | null;
}

/** "14:05" of an ISO time. */
const clock = (timestamp: string) => timestamp.slice(11, 16);

/** "agent (pi) wants to pour 20 ml for basil" */
export function wish({ agent, instance, words, plant }: Approval): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return inLine(`${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`);
}

export const waitingLine = (approval: Approval): string =>
  `${wish(approval)}${furtherThan(approval)}: tendril approve ${approval.id}, or tendril deny ${approval.id} (until ${clock(approval.expires_at)} UTC)`;

const furtherThan = ({ scope }: Approval) =>
  scope === undefined ? "" : `; a yes holds for ${inLine(scope)}`;

type Outcome = Pick<AnsweredApproval, "state" | "answered_by" | "reason" | "used_at">;

function outcome({ state, answered_by, reason, used_at }: Outcome): string {
  const by = answered_by === null ? "" : ` by ${answered_by}`;
  const why = reason === null ? "" : ` (${inLine(reason)})`;
  if (state === "approved") return `approved${by}, not used yet`;
  if (state === "used") return `used ${clock(used_at ?? "")} (approved${by})`;
  if (state === "expired" && by !== "") return `approved${by}, but not used in time${why}`;
  return `${state}${by}${why}`;
}

/** One line of the past. */
export const outcomeLine = (approval: AnsweredApproval): string =>
  `#${approval.id}  ${approval.timestamp.slice(0, 16).replace("T", " ")}  ${wish(approval)}: ${outcome(approval)}`;
