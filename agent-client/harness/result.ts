/** The result of a simulation, as in the report and in report.json. Times are UTC, ISO 8601. */
export interface RunResult {
  readonly version: 1;
  readonly scenario: { readonly name: string; readonly title: string; readonly story: string };
  readonly model: string;
  readonly seed: number;
  readonly start: string;
  /** How far it came; `finished` is false if it was stopped before the last day. */
  readonly end: string;
  readonly days: number;
  readonly finished: boolean;
  /** Events of the scenario that lie after these days, with their days; absent if there are none. */
  readonly notReached?: readonly string[];
  /** Minutes between care cycles, by the plant's clock. */
  readonly everyMinutes: number;
  readonly plants: readonly PlantResult[];
  readonly cycles: readonly CycleRecord[];
  /** Calls that the runtime refused, and statuses that it did not clear. */
  readonly refusals: readonly RefusalRecord[];
  readonly messages: readonly MessageRecord[];
  /** Events of the scenario, and actions of the person. */
  readonly events: readonly EventRecord[];
  readonly score: Score;
}

export interface PlantResult {
  readonly id: string;
  readonly name: string;
  readonly species: string;
  /** The species' range of hydration. */
  readonly good: { readonly from: number; readonly to: number };
  /** One an hour, all lists of the same length. */
  readonly hourly: {
    readonly at: readonly string[];
    /** True moisture in percent of the probe's calibration. */
    readonly moisture: readonly number[];
    /** The probe's reading, percent; null if there is none. */
    readonly reading: readonly (number | null)[];
    /** The seed's readings: 0 to 100. */
    readonly hydration: readonly number[];
    readonly health: readonly number[];
    readonly vigour: readonly number[];
    /** °C, and µmol/(m² s). */
    readonly temperature: readonly number[];
    readonly daylight: readonly number[];
  };
  /** `arrived`: ml that reached the soil. */
  readonly doses: readonly { readonly at: string; readonly ml: number; readonly arrived: number }[];
  readonly light: readonly { readonly from: string; readonly to: string }[];
  readonly score: PlantScore;
}

export interface CycleRecord {
  readonly at: string;
  readonly plant: string;
  readonly completed: boolean;
  /** "completed", or what was missing. */
  readonly reason: string;
  readonly rounds: number;
  readonly calls: number;
  readonly tokens: number;
}

export interface RefusalRecord {
  readonly at: string;
  readonly plant: string;
  readonly tool: string;
  /** A code of docs/errors.md, or STATUS_REFUSED. */
  readonly code: string;
  readonly message: string;
}

export interface MessageRecord {
  readonly at: string;
  readonly from: "agent" | "person" | "runtime";
  readonly text: string;
}

export interface EventRecord {
  readonly at: string;
  readonly by: "scenario" | "person";
  readonly text: string;
}

export interface PlantScore {
  /** Means over all hours, 0 to 100. */
  readonly vigour: number;
  readonly health: number;
  /** Percent of all hours with hydration in the species' range. */
  readonly inRange: number;
  readonly alive: boolean;
  readonly water: {
    /** ml that the pump gave. */
    readonly given: number;
    /** ml that the plant would have used in soil that is always moist enough. */
    readonly need: number;
    /** ml that ran out at the bottom of the pot. */
    readonly drained: number;
  };
}

export interface AlarmScore {
  readonly trouble: string;
  readonly since: string;
  /** Hours until the person was told; null for never. */
  readonly toldAfterHours: number | null;
  /** Later than this is late. */
  readonly dueWithinHours: number;
}

export interface Score {
  /** 0 to 100: `plants` minus the deductions. */
  readonly total: number;
  /** Mean over the plants of vigour and days in range. */
  readonly plants: number;
  readonly deductions: readonly { readonly why: string; readonly points: number }[];
  readonly alarms: readonly AlarmScore[];
  /** Messages of the person that got no answer. */
  readonly unanswered: number;
  /** Statuses whose sensor figures were not the runtime's. */
  readonly ungrounded: number;
  readonly refusals: number;
  readonly cycles: number;
  readonly incomplete: number;
  readonly calls: number;
  readonly tokens: number;
}
