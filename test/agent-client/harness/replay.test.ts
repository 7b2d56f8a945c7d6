import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { carryOut } from "../../../agent-client/harness/run.js";
import { replayedCourse } from "../../../agent-client/harness/scenario.js";
import { hours } from "../../../drivers/units.js";

const RECORDING = "test/fixtures/real-plant/soil.csv";

t.test(
  "a recorded pot takes the plant's place: its readings are seen, and water does not move it",
  async (t) => {
    const { replay, scenario, start, days } = replayedCourse(RECORDING, "America/Chicago");
    t.equal(new Date(start).toISOString(), "2025-09-15T22:07:00.000Z", "the first row, in its zone");
    const plants = scenario.plants;
    const run = {
      scenario,
      model: "caretaker",
      days,
      plants,
      seed: 1,
      start,
      every: hours(3),
      maxRounds: 24,
      replay,
    };
    const signal = new AbortController().signal;
    const {
      plants: [pot],
      doses,
    } = await carryOut(run, { log: () => undefined, signal }).then((result) => ({
      plants: result.plants,
      doses: result.plants.flatMap((plant) => plant.doses),
    }));
    t.ok(
      (pot?.hourly.moisture[0] ?? 100) < 5 && (pot?.hourly.moisture[1] ?? 0) > 60,
      "dry, then watered in 2025",
    );
    t.ok(pot?.hourly.reading.includes(null), "the night that nobody recorded is an unplugged probe");
    t.ok(
      doses.length > 0 && doses.every(({ arrived }) => arrived === 0),
      "what is poured today arrives nowhere",
    );
  },
);

t.test("a recording that is none is refused with line and reason before anything runs", (t) => {
  const file = join(t.testdir(), "rows.csv");
  const rows: Readonly<Record<string, readonly [text: string, reason: RegExp]>> = {
    unsorted: ["2025-01-01T00:05,1.5\n2025-01-01T00:04,1.5", /line 3: 2025-01-01T00:04 is not later/],
    broken: ["2025-01-01T00:05,1.5\n2025-01-01T00:06", /line 3: 1 fields, not 2/],
    "no number": ["2025-01-01T00:05,wet", /line 2: volts is "wet"/],
    empty: ["", /line 2/],
  };
  for (const [name, [text, reason]] of Object.entries(rows)) {
    writeFileSync(file, `local_time,volts\n${text}\n`);
    t.throws(() => replayedCourse(file, "UTC"), { code: "REPLAY_INVALID", message: reason }, name);
  }
  t.throws(() => replayedCourse(RECORDING, "Mars/Olympus"), { code: "REPLAY_INVALID", message: /Mars/ });
  t.end();
});
