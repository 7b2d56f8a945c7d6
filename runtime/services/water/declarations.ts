import { z } from "zod";
import { errorTable, final, later } from "../../errors.js";
import type { Stamp } from "../../safety/stamp.js";
import { DAILY_LIMIT_ML } from "../../safety/water-window.js";
import type { PouredDose } from "../../wire/plants.js";

const water = z.strictObject({
  daily_limit_ml: z
    .int()
    .min(10)
    .max(DAILY_LIMIT_ML)
    .default(DAILY_LIMIT_ML)
    .describe("rolling 24 h limit per plant"),
  no_response: z
    .strictObject({
      ml: z.int().min(20).max(500).default(60).describe("of one day, without an answer of the soil"),
      window_hours: z
        .number()
        .min(0.5)
        .max(24)
        .default(3)
        .describe("a rise of the moisture within this time after a dose is its answer"),
      settle_minutes: z
        .number()
        .min(1)
        .max(120)
        .default(15)
        .describe("how long a further dose waits for the answer"),
    })
    .refine(({ settle_minutes, window_hours }) => settle_minutes < window_hours * 60, {
      path: ["settle_minutes"],
      error: "must be shorter than window_hours: else no reading would ever be in time",
    })
    .prefault({})
    .describe(
      "how much water of one day may flow without an answer of the soil; a dose beyond that waits for settle_minutes, then locks the pump",
    ),
});

/** Configuration: how much water, and how much of it without an answer of the soil. */
export const waterConfig = { water: water.prefault({}) };

export const WATER_ERRORS = errorTable({
  BUDGET_EXCEEDED: later("ask for less, or wait until earlier doses are 24 h old", "nothing"),
  PUMP_BUSY: later("wait until the running dose has ended", "nothing"),
  AWAITING_SOIL: later(
    "ask again in a minute, or pour the rest in a later cycle. If the soil has not answered a quarter of an hour after the last dose, another such dose locks the pump",
    "nothing",
  ),
  SOIL_WET: final(
    "do not water until it reads less; a person who has felt the soil can still pour, with `tendril water ML`",
    "nothing",
  ),
  LEDGER_UNAVAILABLE: later("check the disk; no water flows without a ledger"),
  DOSE_UNCERTAIN: final("the dose is counted in full; look at the plant before going on"),
});

/** What tells one pot from another when a plant's id changes. null: unknown (the bench). */
export interface Wiring {
  /** "gpio 17" */
  readonly pump: string | null;
  readonly light: string | null;
  /** The probe's input, such as "0x48/0": a probe stays in its pot. */
  readonly probe: string;
}

/** Doses of a former plant, up to a line of the ledger. */
export interface Former {
  readonly id: string;
  readonly until: number;
}

/** How each plant is wired, and what counts for it from former plants. */
export interface KnownPlants {
  readonly plants: Readonly<Record<string, Wiring & { readonly formers: readonly Former[] }>>;
  /** Former plants whose pots cannot be found. */
  readonly lost: readonly Former[];
  /** The former plants at each pump and probe, also at those that are unused now. */
  readonly places: Readonly<Record<string, readonly Former[]>>;
}

/** An order for a dose. This very object is checked, written down and carried out. */
export interface Order {
  readonly plant: string;
  readonly ml: number;
  /** The most that can flow if every process dies on the way, up to the daily limit; absent in older journals: `ml`. */
  readonly ml_at_most?: number;
  readonly by: string;
  /** The plant status that opened the cycle; absent for a person's dose. */
  readonly cycle?: number;
}

type DoseOutcome = "pending" | "completed" | "stopped" | "uncertain" | "ledger_lost";

/**
 * A line of journal/water.jsonl. A dose is its `intent` and the later lines `of` it. `ledger_lost` charges a whole
 * day's limit. A `mark` has no plant and only says what the clocks read, so that a reboot between two doses costs no
 * more than the time since the last mark. `plants` says how the plants are wired from here on.
 */
export type DoseEntry = { readonly timestamp: string; readonly stamp: Stamp } & (
  | ({ readonly kind: "intent" } & Order)
  | { readonly kind: "started"; readonly of: number }
  | Stopped
  | { readonly kind: "ledger_lost"; readonly plant: string; readonly ml: number; readonly reason: string }
  | { readonly kind: "mark" }
  | { readonly kind: "plants"; readonly wired: KnownPlants }
);

export interface Stopped {
  readonly kind: "stopped";
  readonly of: number;
  readonly ml: number;
  readonly outcome: DoseOutcome;
  readonly on_for_ms: number | null;
}

/** A dose for the history. `ml_dispensed` counts against the limit. */
export interface DoseRecord extends Readonly<PouredDose> {
  readonly plant?: string;
  /** Only for a dose whose end is not known yet. */
  readonly ml_at_most?: number;
  readonly outcome: DoseOutcome | "mark";
  readonly cycle: number | null;
  readonly pump_ms: number | null;
  /** Only for a line that says how the plants are wired. */
  readonly wired?: KnownPlants;
  /** The clocks at the last thing known of the dose. */
  readonly stamp: Stamp;
}

/** Subject of the lines about wiring; no plant can have this id. */
export const WIRED_PLANTS = "plants:";

export const DOSE_LOG = {
  name: "water",
  keepsEnd: true,
  subject: (entry: DoseEntry) =>
    entry.kind === "plants" ? WIRED_PLANTS : "plant" in entry ? entry.plant : undefined,
  /** Throws for a line that does not belong here: then the journal counts as damaged, and the ledger as lost. */
  fold: (previous: DoseRecord | undefined, entry: DoseEntry): DoseRecord => {
    assertSound(entry);
    return previous
      ? followUp(previous, entry)
      : { ...BLANK, ...opening(entry), timestamp: entry.timestamp, stamp: entry.stamp };
  },
};

/** The fields of each known kind beside the stamp. A kind of a later version is a mark, unless it has `ml` or `of`. */
const FIELDS: Readonly<Record<string, readonly ("plant" | "ml" | "of")[]>> = {
  intent: ["plant", "ml"],
  started: ["of"],
  stopped: ["of", "ml"],
  ledger_lost: ["plant", "ml"],
};

const IS_SOUND: Readonly<Record<"plant" | "ml" | "of", (value: unknown) => boolean>> = {
  plant: (value) => typeof value === "string",
  ml: (value) => Number.isFinite(value) && Number(value) >= 0,
  of: (value) => Number.isSafeInteger(value),
};

function assertSound(entry: DoseEntry): void {
  const { kind, stamp, ...fields } = entry as unknown as Readonly<Record<string, unknown>>;
  const needed = FIELDS[String(kind)];
  const sound = needed
    ? needed.every((field) => IS_SOUND[field](fields[field]))
    : !("ml" in fields) && !("of" in fields);
  if (!sound || !isStamp(stamp))
    throw new Error(`water.jsonl: a line of kind ${String(kind)} makes no sense`);
}

const isStamp = (value: unknown): boolean => {
  const { wall_ms, mono_ms, boot, synced } = (value ?? {}) as Partial<Stamp>;
  return (
    Number.isFinite(wall_ms) &&
    Number.isFinite(mono_ms) &&
    typeof boot === "string" &&
    typeof synced === "boolean"
  );
};

const BLANK = {
  ml_requested: 0,
  ml_dispensed: 0,
  outcome: "mark",
  by: "runtime",
  cycle: null,
  pump_ms: null,
} as const;

function opening(entry: DoseEntry): Partial<DoseRecord> {
  if (entry.kind === "ledger_lost")
    return { plant: entry.plant, ml_dispensed: entry.ml, outcome: "ledger_lost" };
  if (entry.kind === "plants") return { wired: entry.wired };
  if (entry.kind !== "intent") return {};
  const { plant, ml, ml_at_most = ml, by, cycle = null } = entry;
  return { plant, ml_requested: ml, ml_dispensed: ml, ml_at_most, outcome: "pending", by, cycle };
}

function followUp(dose: DoseRecord, entry: DoseEntry): DoseRecord {
  const { stamp } = entry;
  if (entry.kind !== "stopped") return { ...dose, stamp };
  const { ml_at_most: _, ...known } = dose;
  return { ...known, ml_dispensed: entry.ml, outcome: entry.outcome, pump_ms: entry.on_for_ms, stamp };
}
