import t from "tap";
import { minutes } from "../../../drivers/units.js";
import {
  type ClaimedStatus,
  checkStatus,
  type GroundTruth,
  plannedTotals,
} from "../../../runtime/safety/status-check.js";
import { statusProblemWords } from "../../../runtime/wire/status-problems.js";

const NOW = Date.parse("2026-06-01T08:00:00.000Z");
const READING = { raw: 12_000, noise: 15, at: NOW - minutes(2) };

const TRUTH: GroundTruth = {
  nowWall: NOW,
  recentReadings: [READING],
  lastGoodReading: READING,
  probeFaulty: false,
  soilPercent: 40,
  wetLimit: { percent: 55, from: "default" },
  waterUsed24h: 150,
  lightToday: 60,
  remainingMl: 350,
  lightMinutesUntilAvailable: 0,
  lightOn: false,
  hold: undefined,
  faults: [],
  lacks: [],
};

const STATUS: ClaimedStatus = {
  timestamp: NOW,
  sensor_reading: 12_000,
  water_24h: 150,
  light_today: 60,
  next_action_sequence: [
    { order: 1, action: "water", value: 40 },
    { order: 2, action: "light", value: 60 },
    { order: 3, action: "observe" },
    { order: 4, action: "alert" },
  ],
};

const problems = (status: Partial<ClaimedStatus>, truth: Partial<GroundTruth> = {}) =>
  checkStatus({ ...STATUS, ...status }, { ...TRUTH, ...truth }).map(statusProblemWords);

const WATER = [{ order: 1, action: "water", value: 20 }] as const;
const LIGHT = [{ order: 1, action: "light", value: 30 }] as const;

t.test("a status that agrees with the runtime is cleared", async (t) => {
  t.same(problems({}), []);
});

t.test("every wrong figure is named with the true one, all in one answer", async (t) => {
  const found = problems({
    sensor_reading: 1847,
    water_24h: 0,
    light_today: 10,
    timestamp: NOW - minutes(11),
  });
  t.match(found, [
    /time 2026-06-01T07:49:00.000Z \(timestamp\), but the clock says 2026-06-01T08:00:00.000Z/,
    /the probe read 1847 \(sensor_reading\), but it read 12000 \(± 15\) at 2026-06-01T07:58:00.000Z/,
    /counts 0 ml of water in 24 hours \(water_24h\), but the record has 150 ml/,
    /counts 10 minutes of light today \(light_today\), but the light was on for 60 minutes/,
  ]);
  t.equal(found.length, 4);
});

t.test("sensor_reading may differ by the probe's noise, and no more", async (t) => {
  t.same(problems({ sensor_reading: 12_015 }), []);
  t.equal(problems({ sensor_reading: 12_016 }).length, 1);
  t.equal(problems({ sensor_reading: Number.NaN }).length, 1);
});

t.test("any reading of the last ten minutes may be quoted", async (t) => {
  const recentReadings = [{ ...READING, raw: 11_000 }, READING];
  t.same(problems({ sensor_reading: 11_000 }, { recentReadings }), []);
});

t.test("without a recent reading the agent is told to take one", async (t) => {
  t.match(problems({}, { recentReadings: [] }), [/call read_moisture first/]);
});

t.test("with a faulty probe the last good reading passes, for plans without water", async (t) => {
  const truth = {
    probeFaulty: true,
    recentReadings: [],
    lastGoodReading: { ...READING, at: NOW - minutes(300) },
  };
  t.same(problems({ next_action_sequence: LIGHT }, truth), []);
  t.match(problems({ next_action_sequence: WATER }, truth), [/probe is faulty/]);
});

t.test("with a sound probe an old reading does not pass", async (t) => {
  t.equal(problems({}, { recentReadings: [], lastGoodReading: READING }).length, 1);
});

t.test("water_24h must be exact, but for the last digit of its text", async (t) => {
  t.same(problems({ water_24h: 150.04 }, { waterUsed24h: 150 }), []);
  t.equal(problems({ water_24h: 150.1 }).length, 1);
});

t.test("light_today may differ by the minute that passes meanwhile", async (t) => {
  t.same(problems({ light_today: 61 }), []);
  t.equal(problems({ light_today: 62 }).length, 1);
});

t.test("a timestamp may differ by ten minutes either way, and must be one", async (t) => {
  t.same(problems({ timestamp: NOW + minutes(10) }), []);
  t.same(problems({ timestamp: NOW - minutes(10) }), []);
  t.match(problems({ timestamp: NOW + minutes(10) + 1 }), [/it may differ by 10 minutes/]);
  t.equal(problems({ timestamp: NOW - minutes(10) - 1 }).length, 1);
  t.match(problems({ timestamp: Number.NaN }), [/the time no time \(timestamp\)/]);
});

t.test("the sum of all water steps is held against what is left", async (t) => {
  const next_action_sequence = [...WATER, ...WATER, ...WATER];
  t.same(problems({ next_action_sequence }, { remainingMl: 60 }), []);
  t.match(problems({ next_action_sequence }, { remainingMl: 59 }), [/plan waters 60 ml, but 59 ml are left/]);
});

t.test("a water step must be something that doses of 10 to 25 ml can add up to", async (t) => {
  for (const value of [10, 26, 27, 29, 40, 51])
    t.same(problems({ next_action_sequence: [{ order: 1, action: "water", value }] }), []);
  for (const value of [undefined, 9, 0, -20, 12.5, Number.NaN]) {
    t.match(
      problems({ next_action_sequence: [{ order: 3, action: "water", value }] }),
      [/^Step 3 \(water\)/],
      String(value),
    );
  }
});

t.test("a light step must be 30 to 120 whole minutes", async (t) => {
  for (const value of [30, 120])
    t.same(problems({ next_action_sequence: [{ order: 1, action: "light", value }] }), []);
  for (const value of [undefined, 29, 121, 45.5]) {
    t.match(
      problems({ next_action_sequence: [{ order: 2, action: "light", value }] }),
      [/^Step 2 \(light\)/],
      String(value),
    );
  }
});

t.test("light is not planned while it is on or resting", async (t) => {
  t.match(problems({ next_action_sequence: LIGHT }, { lightMinutesUntilAvailable: 12 }), [
    /resting.* in 12 minutes/,
  ]);
  t.match(problems({ next_action_sequence: LIGHT }, { lightOn: true, lightMinutesUntilAvailable: 72 }), [
    /on already.* in 72 minutes/,
  ]);
  t.same(problems({ next_action_sequence: WATER }, { lightMinutesUntilAvailable: 12 }), []);
});

t.test(
  "no water is planned for soil above the limit; a faulty probe is the reason where there is one",
  async (t) => {
    const water = (truth: Partial<GroundTruth>) => problems({ next_action_sequence: WATER }, truth);
    t.same(water({ soilPercent: 55 }), [], "at the limit");
    t.match(water({ soilPercent: 55.1 }), [/55\.1 %/]);
    t.same(problems({ next_action_sequence: LIGHT }, { soilPercent: 80 }), [], "light is no water");
    t.same(water({ soilPercent: 80, wetLimit: undefined }), []);
    t.same(water({ soilPercent: undefined }), []);
    const faulty = water({ soilPercent: 80, probeFaulty: true });
    t.match(faulty, [/probe is faulty/]);
    t.equal(faulty.length, 1);
  },
);

t.test("what a plant has no hardware for is not planned", async (t) => {
  t.match(problems({ next_action_sequence: LIGHT }, { lacks: ["light"] }), [/light/]);
  t.same(problems({ next_action_sequence: WATER }, { lacks: ["light"] }), []);
});

t.test("under a hold only a plan that switches nothing on is cleared", async (t) => {
  t.match(problems({ next_action_sequence: WATER }, { hold: "repotting" }), [/on hold \(repotting\)/]);
  t.match(problems({ next_action_sequence: LIGHT }, { hold: "repotting" }), [/on hold/]);
  t.same(problems({ next_action_sequence: [{ order: 1, action: "observe" }] }, { hold: "repotting" }), []);
  t.same(problems({ next_action_sequence: [] }, { hold: "repotting" }), []);
});

t.test("a fault forbids what it names and nothing else", async (t) => {
  const faults = [{ code: "NO_RESPONSE", what: "60 ml left the soil unmoved", forbids: ["water"] as const }];
  t.match(problems({ next_action_sequence: WATER }, { faults }), [
    /NO_RESPONSE: 60 ml left the soil unmoved/,
  ]);
  t.same(problems({ next_action_sequence: LIGHT }, { faults }), []);
  t.same(problems({ next_action_sequence: [] }, { faults }), []);
});

t.test("planned totals are sums over all steps", async (t) => {
  t.same(plannedTotals([...WATER, ...LIGHT, ...WATER]), { ml: 40, lightMinutes: 30 });
  t.same(plannedTotals([]), { ml: 0, lightMinutes: 0 });
});
