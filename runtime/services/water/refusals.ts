import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { errorBody, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { asWritten } from "../../store/records.js";
import type { ToolContext } from "../../tools/tool.js";
import { definePart } from "../module.js";

/** A line of journal/refused-doses.jsonl. */
export interface DoseRefusal {
  readonly timestamp: string;
  readonly plant: string;
  readonly ml: number;
  readonly by: string;
  readonly code: string;
  readonly reason: string;
}

export const REFUSAL_LOG = { name: "refused-doses", fold: asWritten<DoseRefusal> };

/** A choice: a caller that tries again and again does not fill the disk. */
const ONCE_IN = minutes(10);
/** Codes that refuse no dose: the call may go on in a moment, was answered before, or ended with a dose on record. */
const NO_REFUSAL = [
  ...["APPROVAL_NEEDED", "PUMP_BUSY", "RATE_LIMITED", "STOPPING"],
  ...["IDEMPOTENCY_CONFLICT", "OUTCOME_UNKNOWN", "CANCELLED", "DOSE_UNCERTAIN"],
];

/** Writes down which doses were refused and why, so that a person can read it later. */
export class Refusals {
  private readonly noted = new Map<string, Millis>();

  constructor(
    private readonly log: Pick<RecordLog<DoseRefusal, DoseRefusal>, "append">,
    private readonly complain: (error: unknown) => void,
  ) {}

  /** Of the same refusals (plant, caller, code) the first of each ten minutes. Never rejects. */
  async note(
    ml: number,
    { plant, call, clock, isoNow }: ToolContext<unknown>,
    error: unknown,
  ): Promise<void> {
    const { code, message } = errorBody(error);
    const by = call.identity.name;
    const key = `${plant} ${by} ${code}`;
    const before = this.noted.get(key);
    const now = clock.monotonic();
    if (NO_REFUSAL.includes(code)) return;
    if (before !== undefined && now < plus(before, ONCE_IN)) return;
    this.noted.set(key, now);
    const reason = error instanceof TendrilError ? error.what : message;
    await this.log.append({ timestamp: isoNow(), plant, ml, by, code, reason }).catch(this.complain);
  }
}

export const refusals = definePart(
  "refused doses",
  (house) => new Refusals(house.journal(REFUSAL_LOG), house.complain),
);
