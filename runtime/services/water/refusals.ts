import { type Millis, minutes, plus } from "../../../drivers/units.js";
import { errorBody, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { asWritten, type Stored } from "../../store/records.js";
import type { ToolContext } from "../../tools/tool.js";
import { type Counter, definePart } from "../module.js";

/** A line of journal/refused-doses.jsonl. */
export interface DoseRefusal {
  readonly timestamp: string;
  readonly plant: string;
  readonly ml: number;
  readonly by: string;
  readonly code: string;
  readonly reason: string;
  /** On the same line once more: the person was asked, said yes, and water flowed. So nothing was refused in the end. */
  readonly confirmed?: true;
  readonly of?: number;
}

export const wasRefused = ({ confirmed }: DoseRefusal): boolean => confirmed === undefined;

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
  /** The last of each plant, caller and code. */
  private readonly noted = new Map<string, { readonly at: Millis; line?: Stored<DoseRefusal> }>();

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
    const before = this.noted.get(keyOf({ plant, by, code }));
    const now = clock.monotonic();
    if (NO_REFUSAL.includes(code)) return;
    if (before !== undefined && now < plus(before.at, ONCE_IN)) return;
    const reason = error instanceof TendrilError ? error.what : message;
    await this.write({ timestamp: isoNow(), plant, ml, by, code, reason }, now);
  }

  /** Water has flowed although `code` was in the way, because the person has confirmed that. Never rejects. */
  async noteConfirmed(refused: Pick<DoseRefusal, "plant" | "by" | "code">): Promise<void> {
    const { at, line } = this.noted.get(keyOf(refused)) ?? {};
    if (at === undefined || !line) return;
    this.noted.delete(keyOf(refused)); // another one is told anew
    await this.log.append({ ...line.record, of: line.id, confirmed: true }).catch(this.complain);
  }

  private async write(refusal: DoseRefusal, at: Millis): Promise<void> {
    const noted: { readonly at: Millis; line?: Stored<DoseRefusal> } = { at };
    this.noted.set(keyOf(refusal), noted);
    try {
      noted.line = await this.log.append(refusal);
    } catch (error) {
      this.complain(error);
    }
  }
}

const keyOf = ({ plant, by, code }: Pick<DoseRefusal, "plant" | "by" | "code">): string =>
  `${plant} ${by} ${code}`;

export const refusals = definePart(
  "refused doses",
  (house) => new Refusals(house.journal(REFUSAL_LOG), house.complain),
);

/** "refused": a rule or a device was in the way, and nothing moved. */
const DOSE_OUTCOMES = ["completed", "stopped", "uncertain", "refused"] as const;
type CountedOutcome = (typeof DOSE_OUTCOMES)[number];

/** Counts doses by plant and outcome, and their water, since the start. The ledger, not this, is the account. */
export class DoseCount {
  private readonly doses = new Map<string, number>();
  private readonly ml = new Map<string, number>();

  /** `ml` as the ledger charges it. */
  add(plant: string, outcome: CountedOutcome, ml: number): void {
    const key = `${plant} ${outcome}`;
    this.doses.set(key, (this.doses.get(key) ?? 0) + 1);
    this.ml.set(plant, (this.ml.get(plant) ?? 0) + ml);
  }

  /** Every outcome of every plant is there from the start: a series that begins with 1 has no rise to show. */
  counters(plants: readonly string[]): Counter[] {
    return [
      {
        name: "tendril_water_dispensed_liters_total",
        help: "Water poured since the start, as the ledger charges it.",
        samples: plants.map((plant) => ({ labels: { plant }, value: (this.ml.get(plant) ?? 0) / 1000 })),
      },
      {
        name: "tendril_doses_total",
        help: "Doses asked for since the start, by what became of them.",
        samples: plants.flatMap((plant) =>
          DOSE_OUTCOMES.map((outcome) => ({
            labels: { plant, outcome },
            value: this.doses.get(`${plant} ${outcome}`) ?? 0,
          })),
        ),
      },
    ];
  }
}
