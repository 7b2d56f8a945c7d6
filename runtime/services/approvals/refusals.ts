import type { Clock } from "../../../drivers/ports.js";
import { type Millis, plus } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import type { Demand } from "./demand.js";
import { APPROVAL_ERRORS } from "./table.js";

/** A choice: who was refused so often with one tool at one plant is not to try the next figure. */
const MOST_REFUSALS = 3;

export interface Refusal extends Pick<Demand, "key" | "agent" | "tool" | "plant"> {
  readonly id: number;
  readonly code: "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
  /** What happened, for a message. */
  readonly what: string;
}

/** Every no, for as long as the cycle lasts in which it was asked for, whatever status the agent writes meanwhile. */
export class Refusals {
  private all: (Refusal & { readonly until: Millis })[] = [];

  constructor(private readonly clock: Clock) {}

  /** Counts for so much of the plant's time. */
  add(refusal: Refusal, lasts: Millis): void {
    const { key, agent, tool, plant, id, code, what } = refusal;
    const no = { key, agent, tool, id, code, what, ...(plant !== undefined && { plant }) };
    this.all.push({ ...no, until: plus(this.clock.monotonic(), lasts) });
  }

  /** Throws the no that stands against this call: one to just the same, or too many to others like it. */
  assertNone({ key, agent, tool, plant }: Demand): void {
    const now = this.clock.monotonic();
    this.all = this.all.filter(({ until }) => until > now);
    const alike = this.all.filter((no) => no.agent === agent && no.tool === tool && no.plant === plant);
    const same = alike.findLast((no) => no.key === key);
    if (same) throw new TendrilError(APPROVAL_ERRORS[same.code], same.what, { details: { id: same.id } });
    if (alike.length < MOST_REFUSALS) return;
    const what = `${alike.length} requests for ${tool} were refused or unanswered in the last cycle: nobody is asked again so soon`;
    throw new TendrilError(APPROVAL_ERRORS.APPROVAL_DENIED, what, {
      details: { ids: alike.map(({ id }) => id) },
    });
  }
}
