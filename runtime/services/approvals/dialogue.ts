import { type Particulars, TendrilError } from "../../errors.js";

/** Of a caller that can be asked in the middle of a call. */
export interface Dialogue {
  /** Which question this call comes back with; absent on its first round. As it came over the wire. */
  readonly state?: string;
  /** What was answered; absent where the question was put away unanswered. */
  readonly answer?: "yes" | "no";
}

/** What such a caller is to ask whoever sits in front of it, in place of a result. */
export interface Question {
  readonly message: string;
  /** Comes back with the answer. */
  readonly state: string;
}

/** The call waits for a person's yes. */
export class ApprovalPending extends TendrilError {
  readonly question: Question | undefined;

  constructor(what: string, { particulars, question }: { particulars: Particulars; question?: Question }) {
    super("APPROVAL_NEEDED", what, particulars);
    this.question = question;
  }
}
