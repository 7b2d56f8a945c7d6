import type { Counter } from "../module.js";

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
