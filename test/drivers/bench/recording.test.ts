import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { localTime, readRecording } from "../../../drivers/bench/replay.js";

const HEADER = "local_time,lux,raw_adc,volts";
const ROW = "2025-09-15T17:07,1,2,2.689";

const iso = (zone: string, text: string) => localTime(zone)(text).map((at) => new Date(at).toISOString());

t.test("local times are read in UTC, at an offset, or in a named zone with its summer time", async (t) => {
  t.same(iso("UTC", "2025-09-15T17:07"), ["2025-09-15T17:07:00.000Z"]);
  t.same(iso("+02:00", "2025-09-15T17:07:30"), ["2025-09-15T15:07:30.000Z"]);
  t.same(iso("-05:30", "2025-09-15T23:07"), ["2025-09-16T04:37:00.000Z"]);
  t.same(iso("Europe/Berlin", "2025-09-15T17:07"), ["2025-09-15T15:07:00.000Z"]);
  t.same(iso("America/New_York", "2025-01-15T17:07"), ["2025-01-15T22:07:00.000Z"]);
});

t.test("an hour that autumn repeats has two instants, one that spring skips has none", async (t) => {
  t.same(iso("Europe/Berlin", "2025-10-26T02:30"), ["2025-10-26T00:30:00.000Z", "2025-10-26T01:30:00.000Z"]);
  t.same(iso("Europe/Berlin", "2025-03-30T02:30"), []);
  t.same(iso("Europe/Berlin", "2025-10-26T03:00"), ["2025-10-26T02:00:00.000Z"]);
});

t.test("what is no zone and no time is refused", async (t) => {
  t.throws(() => localTime("Mars/Olympus"), RangeError);
  for (const text of ["", "yesterday", "2025-09-15", "2025-13-15T17:07", "2025-09-15T17:07Z"]) {
    t.throws(() => localTime("UTC")(text), RangeError, text);
  }
});

const fileOf = (folder: string, text: string) => {
  const file = join(folder, "soil.csv");
  writeFileSync(file, text);
  return file;
};

t.test(
  "rows become instants and volts; order of columns, line ends and a byte order mark do not matter",
  async (t) => {
    const text = "\uFEFFvolts,local_time\r\n1.5,2025-09-15T17:07\r\n1.25,2025-09-15T17:08\r\n";
    const rows = readRecording(fileOf(t.testdir(), text), "UTC");
    t.same(rows, [
      { at: Date.parse("2025-09-15T17:07Z"), volts: 1.5 },
      { at: Date.parse("2025-09-15T17:08Z"), volts: 1.25 },
    ]);
  },
);

t.test("through the repeated hour of autumn, a recording goes on in order", async (t) => {
  const rows = ["02:30", "02:45", "02:30", "02:45", "03:00"].map((time) => `2025-10-26T${time},1,1,1.5`);
  const read = readRecording(fileOf(t.testdir(), [HEADER, ...rows].join("\n")), "Europe/Berlin");
  const minutes = read.map(({ at }) => (at - read[0].at) / 60_000);
  t.same(minutes, [0, 15, 60, 75, 90]);
});

t.test("a broken, unsorted or empty recording is refused by file, line and reason", async (t) => {
  const broken: ReadonlyArray<[text: string, reason: RegExp]> = [
    ["", /line 1: needs the columns local_time and volts, has nothing/],
    ["time,volts\n1,2", /line 1: needs the columns/],
    [`${HEADER}\n`, /has no rows/],
    [`${HEADER}\n${ROW}\n2025-09-15T17:08,1,2\n`, /line 3: 3 fields, not 4/],
    [`${HEADER}\n${ROW}\n\n`, /line 3: 1 fields, not 4/],
    [`${HEADER}\n${ROW}\n2025-09-15T17:08,1,2,\n`, /line 3: volts is ""/],
    [`${HEADER}\n2025-09-15T17:08,1,2,wet\n`, /line 2: volts is "wet"/],
    [`${HEADER}\n2025-09-15T17:08,1,2,NaN\n`, /line 2: volts is "NaN"/],
    [`${HEADER}\n2025-09-15T17:08,1,2,-0.1\n`, /line 2: volts is "-0.1"/],
    [
      `${HEADER}\n2025-09-15T17:08,1,2,4.096\n`,
      /line 2: volts is "4.096", not a number from 0 to below 4.096/,
    ],
    [`${HEADER}\nyesterday,1,2,1.5\n`, /line 2: "yesterday" is no time/],
    [`${HEADER}\n${ROW}\n${ROW}\n`, /line 3: 2025-09-15T17:07 is not later than the row before/],
    [`${HEADER}\n${ROW}\n2025-09-15T17:06,1,2,1.5\n`, /line 3: 2025-09-15T17:06 is not later/],
    [`${HEADER}\n2025-03-30T02:30,1,2,1.5\n`, /line 2: the clock skipped 2025-03-30T02:30 there/],
  ];
  for (const [text, reason] of broken) {
    const file = fileOf(t.testdir(), text);
    const refusal = { code: "REPLAY_INVALID", message: reason, what: new RegExp(`^${file}`) };
    t.throws(() => readRecording(file, "Europe/Berlin"), refusal, String(reason));
  }
});

t.test("a file that is not there, and a zone that is none, are named", async (t) => {
  t.throws(() => readRecording("/nowhere/soil.csv", "UTC"), {
    code: "REPLAY_INVALID",
    message: /nowhere.*ENOENT/,
  });
  const file = fileOf(t.testdir(), `${HEADER}\n${ROW}\n`);
  t.throws(() => readRecording(file, "Mars/Olympus"), { code: "REPLAY_INVALID", message: /"Mars\/Olympus"/ });
});
