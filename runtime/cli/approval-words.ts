/** A call of an agent that waits for a person's yes. */
export interface Approval {
  readonly id: number;
  readonly plant?: string;
  readonly words: string;
  readonly agent: string;
  readonly instance?: string;
  readonly rule: "always" | "once_per_cycle";
  readonly expires_at: string;
}

/** One that may be answered. */
export interface AnsweredApproval extends Approval {
  readonly timestamp: string;
  readonly state: "pending" | "approved" | "denied" | "expired" | "used";
  readonly answered_by: string | null;
  readonly reason: string | null;
}

/** "14:05" of an ISO time. */
const clock = (timestamp: string) => timestamp.slice(11, 16);

/** "agent (pi) wants to pour 20 ml for basil" */
export function wish({ agent, instance, words, plant }: Approval): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return `${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`;
}

export const waitingLine = (approval: Approval): string =>
  `${wish(approval)}${scope(approval)}: tendril approve ${approval.id}, or tendril deny ${approval.id} (until ${clock(approval.expires_at)} UTC)`;

const scope = ({ rule }: Approval) => (rule === "always" ? "" : ", and more of it in this cycle");

const OUTCOMES = {
  pending: "waits",
  approved: "approved, not used yet",
  used: "approved",
  denied: "denied",
  expired: "expired",
} as const;

/** One line of the past. */
export function outcomeLine({
  timestamp,
  state,
  answered_by,
  reason,
  ...approval
}: AnsweredApproval): string {
  const by = answered_by === null ? "" : ` by ${answered_by}`;
  const why = reason === null ? "" : ` (${reason})`;
  return `#${approval.id}  ${timestamp.slice(0, 16).replace("T", " ")}  ${wish(approval)}: ${OUTCOMES[state]}${by}${why}`;
}
