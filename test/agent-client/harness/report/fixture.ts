import type {
  CycleRecord,
  PlantResult,
  RefusalRecord,
  RunResult,
  Score,
} from "../../../../agent-client/harness/result.js";

export const START = Date.UTC(2026, 5, 1, 6);
const HOUR = 3_600_000;

/** The instant some hours after the run's start. */
export const after = (hours: number): string => new Date(START + hours * HOUR).toISOString();

/** A number from 0 to 1 that belongs to `n` alone: a test must not depend on what was drawn before. */
export function noise(n: number): number {
  const mixed = Math.imul((n + 1) ^ 0x9e3779b9, 0x85ebca6b);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

export interface Wishes {
  readonly id?: string;
  readonly name?: string;
  readonly hours?: number;
  /** Of moisture and hydration at the start, percent. */
  readonly wet?: number;
  /** Hours in which the probe gives nothing. */
  readonly silent?: (hour: number) => boolean;
  /** What of a dose arrives, 0 to 1. */
  readonly arriving?: (hour: number) => number;
  readonly watered?: boolean;
}

/** A plant that dries, and that is given 20 ml at eight o'clock when it is dry. */
export function plantResult(wishes: Wishes = {}): PlantResult {
  const { id = "basil", name = "Basil", hours = 720 } = wishes;
  const days = Math.ceil(hours / 24);
  return {
    id,
    name,
    species: "Ocimum basilicum",
    good: { from: 35, to: 70 },
    ...grown(wishes, hours),
    light: Array.from({ length: days }, (_, n) => ({
      from: after(n * 24 + 12),
      to: after(n * 24 + 15.5),
    })).filter(({ to }) => Date.parse(to) <= START + hours * HOUR),
    score: {
      vigour: 83.4,
      health: 79.25,
      inRange: 76.1,
      alive: true,
      water: { given: 812, need: 905.4, drained: 21.7 },
    },
  };
}

function grown(
  { wet = 52, silent = () => false, arriving = () => 1, watered = true }: Wishes,
  hours: number,
): Pick<PlantResult, "hourly" | "doses"> {
  const doses: PlantResult["doses"][number][] = [];
  const moisture: number[] = [];
  let soil = wet;
  for (let hour = 0; hour < hours; hour++) {
    const sun = daylightAt(hour);
    soil *= 1 - 0.0018 - sun * 9e-6;
    if (watered && soil < 46 && (hour + 6) % 24 >= 8 && (hour + 6) % 24 < 11) {
      doses.push({ at: after(hour), ml: 20, arrived: 20 * arriving(hour) });
      soil += 5.5 * arriving(hour);
    }
    moisture.push(soil);
  }
  return { doses, hourly: hourlyOf(moisture, silent) };
}

/** µmol/(m² s) on a windowsill; every day has its own clouds. */
const daylightAt = (hour: number): number =>
  Math.max(0, Math.sin(((((hour + 6) % 24) - 6) / 15) * Math.PI)) *
  (180 + 240 * noise(Math.floor((hour + 6) / 24)));

const hourlyOf = (moisture: readonly number[], silent: (hour: number) => boolean): PlantResult["hourly"] => ({
  at: moisture.map((_, hour) => after(hour)),
  moisture,
  reading: moisture.map((value, hour) => (silent(hour) ? null : value + 3 * (noise(hour) - 0.5))),
  hydration: moisture.map((value) => Math.min(100, value * 1.02)),
  health: moisture.map((value) => 100 - 2 * Math.abs(value - 50)),
  vigour: moisture.map((value, hour) => Math.max(0, 92 - hour / 60 - Math.max(0, 40 - value))),
  temperature: moisture.map((_, hour) => 20 + 3 * Math.sin(((hour + 20) / 12) * Math.PI) + noise(hour >> 5)),
  daylight: moisture.map((_, hour) => daylightAt(hour)),
});

const cyclesOf = (plants: readonly PlantResult[], hours: number): CycleRecord[] =>
  Array.from({ length: Math.floor(hours / 2) }, (_, n) =>
    plants.map(({ id }, index) => {
      const completed = n % 47 !== 30 + index;
      const reason = completed ? "completed" : "no plant status was recorded";
      return { at: after(n * 2), plant: id, completed, reason, rounds: 4, calls: 9, tokens: 3100 };
    }),
  ).flat();

const refusal = (hour: number, code: string, tool: string, message: string): RefusalRecord => ({
  at: after(hour),
  plant: "basil",
  tool,
  code,
  message,
});

const REFUSALS = [
  refusal(
    31,
    "WATER_LIMIT",
    "dispense_water",
    "20 ml would make 110 ml in 24 hours; 100 ml are allowed. Wait 3 h (WATER_LIMIT)",
  ),
  refusal(
    55,
    "WATER_LIMIT",
    "dispense_water",
    "25 ml would make 105 ml in 24 hours; 100 ml are allowed. Wait 1 h (WATER_LIMIT)",
  ),
  refusal(
    241,
    "PROBE_FAULT",
    "read_moisture",
    "the probe of basil gives no reading: look at its plug (PROBE_FAULT)",
  ),
  refusal(120, "STATUS_REFUSED", "write_plant_status", "moisture 12 % was not read from the probe"),
  refusal(
    300,
    "WATER_LIMIT",
    "dispense_water",
    "20 ml would make 120 ml in 24 hours; 100 ml are allowed. Wait 2 h (WATER_LIMIT)",
  ),
];

export const SCORE: Score = {
  total: 74.2,
  plants: 81.7,
  deductions: [
    { why: "told late that the tank was empty", points: 2.5 },
    { why: "never told that the lamp had failed", points: 5 },
  ],
  alarms: [
    {
      trouble: "the probe of Basil was unplugged",
      since: after(240),
      toldAfterHours: 3.5,
      dueWithinHours: 24,
    },
    { trouble: "the tank was empty", since: after(400), toldAfterHours: 30, dueWithinHours: 24 },
    { trouble: "the lamp of Fern had failed", since: after(500), toldAfterHours: null, dueWithinHours: 48 },
  ],
  unanswered: 1,
  ungrounded: 0,
  refusals: 5,
  cycles: 720,
  incomplete: 16,
  calls: 6480,
  tokens: 2_232_000,
};

/** Thirty days with two plants, an unplugged probe, a hose that came off, and a person who writes. */
export function runResult(changes: Partial<RunResult> = {}): RunResult {
  const plants = [
    plantResult({ silent: (hour) => hour >= 240 && hour < 263, wet: 88 }),
    plantResult({
      id: "fern",
      name: "Fern",
      wet: 55,
      arriving: (hour) => (hour > 400 && hour < 470 ? 0.1 : 1),
    }),
  ];
  return {
    version: 1,
    scenario: {
      name: "summer-away",
      title: "A summer month away",
      story:
        "Nobody is at home in June. The windowsill is bright, and what breaks stays broken until the person is told of it.\n\n" +
        "On the eleventh day the probe of the basil is unplugged; later the tank runs dry.",
    },
    model: "caretaker",
    seed: 7,
    start: after(0),
    end: after(720),
    days: 30,
    finished: true,
    everyMinutes: 120,
    plants,
    cycles: cyclesOf(plants, 720),
    refusals: REFUSALS,
    messages: [
      {
        at: after(3),
        from: "agent",
        text: "I look after **Basil** and Fern now. Basil is still wet; I wait.",
      },
      { at: after(9), from: "person", text: "Thank you! Is the lamp right for the fern?" },
      { at: after(10), from: "agent", text: "Yes:\n  3.5 hours in the evening,\n  after the sun has gone." },
      {
        at: after(243.5),
        from: "agent",
        text: "The probe of Basil gives no reading since this afternoon. Is it plugged in?",
      },
      {
        at: after(243.6),
        from: "runtime",
        text: "Basil: the probe gives no reading; nothing is poured until it does.",
      },
    ],
    events: [
      { at: after(240), by: "scenario", text: "the probe of Basil was unplugged" },
      { at: after(263), by: "person", text: "plugged the probe in again" },
      { at: after(400), by: "scenario", text: "the hose of Fern came off" },
      { at: after(404), by: "scenario", text: "the tank was empty" },
      { at: after(430), by: "person", text: "filled the tank" },
      { at: after(470), by: "person", text: "put the hose of Fern back" },
      { at: after(500), by: "scenario", text: "the lamp of Fern failed" },
    ],
    score: SCORE,
    ...changes,
  };
}
