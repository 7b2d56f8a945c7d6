import t from "tap";
import { budgetGrows, HouseClock, ownPath, pictureTime, span } from "../../../runtime/web/page/figures.js";
import { filmOf } from "../../../runtime/web/page/film.js";
import {
  axisFrom,
  coverageOf,
  csvOf,
  eventsCsvOf,
  eventsOf,
  figuresOfBars,
  foldQuiet,
  hasAir,
  lineOf,
  outagesIn,
  placeOf,
  RANGES,
  rowsOf,
  samplesFor,
} from "../../../runtime/web/page/story-data.js";
import { MARK_NAMES, MARKS, markOf } from "../../../runtime/web/page/story-marks.js";
import { moved } from "../../../runtime/web/page/time-window.js";
import { finest } from "../../../runtime/wire/water-query.js";
import { whyWater } from "../../../runtime/wire/why-water.js";
import { reasonInWords } from "../../../runtime/wire/why-words.js";

const NOW = "2026-06-02T08:00:00.000Z";
const minute = (at: number) => new Date(Date.parse(NOW) + at * 60_000).toISOString();
const dose = (at: number, ml: number) => ({
  timestamp: minute(at),
  ml_requested: ml,
  ml_dispensed: ml,
  outcome: "completed",
  by: "agent",
});

const bucket = (at: number, width: number, value: number | null) => ({
  bucket_start: minute(at),
  bucket_end: minute(at + width),
  value,
  count: value === null ? 0 : 1,
});

t.test(
  "a bar stands at its dose, amid several, and in the middle of its time if none is known",
  async (t) => {
    const bucket = { from: 1000, to: 2000 };
    t.equal(placeOf(bucket, [500, 1100, 2000]), 1100);
    t.equal(placeOf(bucket, [1100, 1200, 1500]), 1300);
    t.equal(placeOf(bucket, []), 1500);
  },
);

t.test("a gap is a gap, also between buckets of a minute; a single missed reading is none", async (t) => {
  const values = (width: number, moisture: (number | null)[]) =>
    lineOf(
      rowsOf(
        moisture.map((value, at) => bucket(at * width, width, value)),
        [],
      ),
    ).values;
  t.same(values(1, [50, null, 50]), [50, 50], "a minute");
  t.same(values(1, [50, ...Array<null>(15).fill(null), 50]), [50, null, 50], "a quarter of an hour");
  t.same(values(30, [50, null, 50]), [50, null, 50], "half an hour");
  t.same(values(5, [null, null]), []);
});

t.test("every range stays within the buckets that a runtime gives", async (t) => {
  for (const hours of [...Object.values(RANGES).map((range) => range.hours), 2, 30, 200, 4000]) {
    t.ok(hours * samplesFor(hours) <= 400, `${hours} h`);
    t.ok(hours * finest(hours) <= 10_000, `${hours} h`);
  }
});

t.test("the file has a line for each bucket, in UTC, and numbers alone", async (t) => {
  const rows = rowsOf([bucket(0, 5, 41.237), bucket(5, 5, null)], [bucket(0, 5, 30)]);
  t.equal(
    csvOf(rows),
    [
      "from_utc,to_utc,moisture_percent,readings,water_ml,doses",
      "2026-06-02T08:00:00.000Z,2026-06-02T08:05:00.000Z,41.24,1,30,1",
      "2026-06-02T08:05:00.000Z,2026-06-02T08:10:00.000Z,,0,0,0",
      "",
    ].join("\r\n"),
  );
});

t.test(
  "the budget grows when its oldest dose is a day old; older ones and empty ones do not count",
  async (t) => {
    const doses = [dose(-10, 20), dose(-1441, 25), dose(-600, 15), dose(-700, 0)];
    t.same(budgetGrows(doses, NOW), { at: Date.parse(minute(-600 + 1440)), ml: 15 });
    t.equal(budgetGrows([], NOW), undefined);
  },
);

t.test("a film lasts five seconds at least, and shows no picture for less than can be seen", async (t) => {
  t.equal(2 * pictureTime(2), 5000);
  t.equal(pictureTime(365), 200);
});

t.test(
  "the film of a year begins with the day a year ago, and ends with the same date of this year",
  async (t) => {
    const photos = ["2025-06-02T12:00:00Z", "2026-06-01T11:00:00Z", "2026-06-02T07:00:00Z"].map(
      (timestamp) => {
        return { timestamp, url: "/photos/x.jpg", width: 4, height: 3, dark: false };
      },
    );
    t.same(filmOf(photos, 12, new HouseClock("UTC", "en-GB")), { photos, ofOneDay: false });
  },
);

t.test("a day with a change of the clock is told by the house's zone", async (t) => {
  const clock = new HouseClock("Europe/Berlin", "en-GB");
  clock.now = Date.parse("2026-10-26T12:00:00Z");
  t.equal(clock.minute(Date.parse("2026-10-25T00:30:00Z")), "25 Oct, 02:30");
  t.equal(clock.minute(Date.parse("2026-10-25T01:30:00Z")), "25 Oct, 02:30");
  t.equal(clock.near(Date.parse("2026-10-25T12:00:00Z"), Date.parse("2026-10-25T20:00:00Z")), "13:00");
  t.equal(
    clock.near(Date.parse("2026-10-24T12:00:00Z"), Date.parse("2026-10-25T20:00:00Z")),
    "24 Oct, 14:00",
  );
  const aYearAgo = Date.parse("2025-10-25T12:00:00Z");
  t.equal(clock.near(aYearAgo, Date.parse("2026-10-25T20:00:00Z")), "25 Oct 2025, 14:00");
  t.same([59 * 60_000, 47 * 3_600_000, 48 * 3_600_000].map(span), ["59 min", "47 h", "2 d"]);
});

t.test("a time in a text is told by the house's clock", async (t) => {
  const clock = new HouseClock("Asia/Kathmandu", "en-GB");
  const now = Date.parse("2026-11-26T13:00:00Z");
  t.equal(clock.inText("read at 2026-11-26T11:37:00.809Z.", now), "read at 17:22.");
  t.equal(clock.inText("2026-11-25T11:37:00Z", now), "25 Nov, 17:22");
});

t.test("midnight is the house's, also on a day of 23 or 25 hours and in a zone of odd minutes", async (t) => {
  const midnight = (zone: string, at: string) =>
    new Date(new HouseClock(zone, "en").midnight(Date.parse(at))).toISOString();
  for (const [zone, at, began] of [
    ["Europe/Berlin", "2026-10-25T20:00:00Z", "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29T20:00:30Z", "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", "2026-10-24T21:59:59Z", "2026-10-23T22:00:00.000Z"],
    ["Asia/Kathmandu", "2026-06-01T08:00:00Z", "2026-05-31T18:15:00.000Z"],
  ] as const)
    t.equal(midnight(zone, at), began, `${zone} ${at}`);
});

t.test("the air has a line, a gap and a column of its own, and none where nothing measures it", async (t) => {
  const moisture = [40, 41, null].map((value, at) => bucket(30 * at, 30, value));
  const rows = rowsOf(moisture, [], [bucket(0, 30, 21.234), bucket(30, 30, null), bucket(60, 30, 20)]);
  t.same(lineOf(rows, "air").values, [21.234, null, 20]);
  t.same(lineOf(rows).values, [40, 41]);
  t.match(csvOf(rows), /doses,air_celsius\r\n[^\r]*,41?0?\.00,1,0,0,21\.23\r\n[^\r]*,0,0,\r\n/);
  t.equal(hasAir(rows), true);
  t.equal(hasAir(rowsOf(moisture, [])), false);
});

t.test("a photo's link leads to this runtime, whatever host it names", async (t) => {
  t.equal(ownPath("https://evil.example/photos/x.jpg?signature=1"), "/photos/x.jpg?signature=1");
});

const WELL = {
  plant: "basil",
  last_status: null,
  name: "Basil",
  moisture: { value: 1, timestamp: NOW, percent: 40, noise: 1 },
  probe_fault: null,
  water: {
    ...{ used_ml: 0, remaining_ml: 500, assumed_ml: 0, events: 0, pouring: false },
    not_above: { percent: 55, from: "default" as const },
  },
  hold: null,
  faults: [],
} as unknown as Parameters<typeof whyWater>[0]["plant"];

const cycle = (at: number, planned_ml: number, proceed = true) => ({
  ...{ kind: "cycle" as const, timestamp: minute(at), by: "agent", proceed, planned_ml },
  ...{ reason: proceed ? null : "the figures are wrong", reasoning: "moist enough" },
});

t.test("why there was no water: each cause by itself, and all that hold at once", async (t) => {
  const kinds = (evidence: Partial<Parameters<typeof whyWater>[0]>) =>
    whyWater({ plant: WELL, record: [], doses: [], waiting: [], ...evidence }).map(({ kind }) => kind);
  t.same(kinds({}), ["nobody"]);
  t.same(kinds({ record: [cycle(-60, 0)] }), ["decided"]);
  t.same(kinds({ record: [cycle(-60, 20, false)] }), ["refused"]);
  t.same(kinds({ record: [cycle(-60, 20)] }), ["unfinished"]);
  t.same(kinds({ record: [cycle(-60, 20)], doses: [dose(-59, 20)] }), ["watered"]);
  t.same(kinds({ record: [cycle(-60, 20)], doses: [dose(-59, 0)] }), ["unfinished"]);
  const since = minute(-5);
  const plant = {
    ...WELL,
    hold: { since, by: "human", reason: "holiday" },
    faults: [{ code: "LEAK", since, reason: "wet" }],
    probe_fault: { code: "PROBE_STUCK", since, message: "" },
    water: { ...WELL.water, remaining_ml: 9 } as typeof WELL.water,
    moisture: { value: 1, timestamp: NOW, percent: 60, noise: 1 },
  };
  const record = [cycle(-60, 0)];
  t.same(kinds({ plant, record }), ["hold", "fault", "probe", "budget", "wet", "decided"]);
});

t.test("why there was water: the status that cleared it, or that nobody's status did", async (t) => {
  const words = (record: ReturnType<typeof cycle>[]) =>
    whyWater({ plant: WELL, record, doses: [dose(-59, 20)], waiting: [] }).map((reason) =>
      reasonInWords(reason, (iso) => iso.slice(11, 16)),
    );
  t.same(words([cycle(-60, 20)]), [
    "It was watered: 20 ml in 1 dose, the last at 07:01 by agent. The reason was: moist enough.",
  ]);
  t.match(words([cycle(-200, 20)])[0], /outside of a care cycle/);
});

t.test("a dose that a person poured is a person's, even in the cycle of an agent", async (t) => {
  const byAnna = { ...dose(-59, 20), by: "anna" };
  const [first] = whyWater({ plant: WELL, record: [cycle(-60, 0)], doses: [byAnna], waiting: [] });
  t.match(first && reasonInWords(first, String), /by anna\. A person poured the last one\.$/);
  const plant = { ...WELL, last_status: { agent: "agent" } } as typeof WELL;
  const [agents] = whyWater({ plant, record: [], doses: [dose(-59, 20)], waiting: [] });
  t.match(
    agents,
    { isPerson: false, because: null },
    "its cycle is older than the record that was asked for",
  );
});

t.test("yesterday is told by yesterday: what began later is no reason, what ended since is", async (t) => {
  const plant = { ...WELL, hold: { since: minute(-5), by: "human", reason: "holiday" } };
  const ended = { kind: "hold" as const, timestamp: minute(-300), by: "human", reason: "guests" };
  const kinds = (until?: string) =>
    whyWater({ plant, record: [ended, cycle(-200, 0)], doses: [], waiting: [], until }).map(
      ({ kind }) => kind,
    );
  t.same(kinds(minute(-60)), ["held", "decided"]);
  t.same(kinds(), ["hold", "held", "decided"]);
});

t.test(
  "cycles that planned nothing are folded; doses, refusals and what was planned stand by themselves",
  async (t) => {
    const record = [cycle(-90, 0), cycle(-60, 0), cycle(-30, 20), cycle(-20, 0, false), cycle(-10, 0)];
    const entries = foldQuiet(eventsOf([dose(-29, 20)], record));
    t.same(
      entries.map((entry) => (entry.kind === "quiet" ? entry.cycles.length : entry.kind)),
      [1, "cycle", "dose", "cycle", 2],
    );
  },
);

t.test("a plant that is an hour old is not squeezed into the last pixels of a day", async (t) => {
  const hour = 3_600_000;
  const to = Date.parse(NOW);
  const rows = rowsOf([bucket(-1440, 5, null), bucket(-100, 5, 40)], []);
  const day = { from: to - 24 * hour, to, rows, record: [] };
  t.ok(axisFrom(day) > to - 2 * hour);
  t.equal(axisFrom({ ...day, rows: [] }), day.from, "nothing is known: the time that was asked for");
  t.equal(axisFrom({ ...day, rows: rowsOf([bucket(-1440, 5, null)], []) }), day.from);
  t.equal(axisFrom({ ...day, rows: rowsOf([bucket(-1440, 5, 40)], []) }), day.from);
});

t.test("of bars too near for two figures, one figure has the sum, however many they are", async (t) => {
  const bars = [0, 10, 39, 41, 100].map((middle, at) => ({ ml: 15 + at, middle, top: 50 - at }));
  t.same(figuresOfBars(bars, 40), [
    { ml: 15 + 16 + 17, middle: 19.5, top: 48 },
    { ml: 18, middle: 41, top: 47 },
    { ml: 19, middle: 100, top: 46 },
  ]);
  t.same(figuresOfBars([], 40), []);
});

t.test("readings are counted since the first of them, and not before", async (t) => {
  const rows = (values: (number | null)[]) =>
    rowsOf(
      values.map((value, at) => bucket(at * 5, 5, value)),
      [],
    );
  t.same(coverageOf(rows([40, null, 40, 40])), { having: 3, all: 4 });
  t.same(coverageOf(rows([null, null, 40, 40])), { having: 2, all: 2 });
  t.same(coverageOf(rows([null, null])), { having: 0, all: 0 });
});

t.test("the chart knows from the record when nothing could be measured, and why", async (t) => {
  const event = (kind: string, at: number, since?: number) =>
    ({ kind, timestamp: minute(at), ...(since !== undefined && { since: minute(since) }) }) as never;
  const time = (at: number) => Date.parse(minute(at));
  const record = [
    ...[event("probe_fault", -50), event("probe_ok", -40, -50), event("started", -20, -30)],
    ...[event("started", -15), event("camera_ok", -12, -13), event("probe_fault", -10)],
  ];
  t.same(outagesIn(record, time(0)), [
    { why: "probe", from: time(-50), to: time(-40) },
    { why: "off", from: time(-30), to: time(-20) },
    { why: "probe", from: time(-10), to: time(0) },
  ]);
});

const told = (kind: string, at = -30) =>
  ({
    kind,
    timestamp: minute(at),
    by: "agent",
    reason: "the soil is wet",
    ml: 20,
    code: "SOIL_WET",
  }) as never;

t.test("each kind of event has its own mark, and no two marks have the same shape", async (t) => {
  const marks = (record: never[]) => eventsOf([], record).map(markOf);
  const kinds = ["dose_refused", "hold", "fault", "tank_empty", "resume", "clear", "tank_filled"];
  t.same(
    kinds.map((kind) => marks([told(kind)])[0]),
    ["refused", "hold", "fault", "fault", "over", "over", "over"],
  );
  t.same(marks([cycle(-60, 0) as never, cycle(-30, 20, false) as never]), ["refused", "cycle"]);
  t.same(eventsOf([dose(-1, 20)], []).map(markOf), [undefined], "a dose is a bar");
  const photo = { timestamp: minute(-2), url: "/photos/x.jpg", width: 4, height: 3, dark: false };
  const withPhoto = eventsOf([], [], [], [photo]);
  t.same(withPhoto.map(markOf), ["photo"]);
  t.match(eventsCsvOf(withPhoto, []), /^2026-06-02T07:58:00.000Z,photo,/m);
  const shapes = MARK_NAMES.map((name) => `${MARKS[name].path} ${MARKS[name].isFilled}`);
  t.equal(new Set(shapes).size, MARK_NAMES.length);
});

t.test("a refused dose is why there was no water, before what the cycles say", async (t) => {
  const record = [cycle(-60, 20), told("dose_refused", -59), told("dose_refused", -40)];
  const reasons = whyWater({ plant: WELL, record, doses: [], waiting: [] });
  t.match(reasons, [{ kind: "dose_refused", count: 2, at: minute(-40), ml: 20 }]);
  t.equal(reasons.length, 1, "what became of the planned water is known");
});

t.test("what is under the fingers stays under them, and nothing later than now is shown", async (t) => {
  const hour = 3_600_000;
  const window = { from: 0, to: 24 * hour };
  const fingers = (before: number[], after: number[], latest = 1000 * hour) => {
    const { from, to } = moved(window, { width: 240, before, after, latest });
    return [from / hour, to / hour];
  };
  t.same(fingers([100], [50]), [5, 29], "dragged to the left: later");
  t.same(fingers([100], [150], 24 * hour), [-5, 19], "dragged to the right: earlier");
  t.same(fingers([100], [50], 24 * hour), [0, 24], "now is the end");
  t.same(fingers([100, 140], [80, 160]), [6, 18], "two fingers apart: closer, around the same place");
  t.same(fingers([80, 160], [100, 140], 24 * hour), [-24, 24]);
  t.same(fingers([119, 121], [0, 240]), [11.5, 12.5], "never less than an hour");
});

t.test("the file of events has one line each, oldest first, and no cell is a formula", async (t) => {
  const note = { id: "1", content: '=HYPERLINK("x"), really', user_id: "anna", created_at: minute(-5) };
  const events = eventsOf(
    [dose(-10, 20)],
    [cycle(-60, 20), told("dose_refused", -20)],
    [{ ...note, event_start_at: null, media_path: null, attachments: [] }],
  );
  const light = [{ timestamp: minute(-30), minutes: 30, ended: null }];
  const lines = eventsCsvOf(events, light).split("\r\n");
  t.match(lines, [
    "time_utc,kind,by,ml,minutes,code,text",
    '2026-06-02T07:00:00.000Z,cycle,agent,20,,,"moist enough"',
    "2026-06-02T07:30:00.000Z,light,,,30,,",
    '2026-06-02T07:40:00.000Z,dose_refused,agent,20,,SOIL_WET,"the soil is wet"',
    "2026-06-02T07:50:00.000Z,dose,agent,20,,completed,",
    '2026-06-02T07:55:00.000Z,note,anna,,,,"\'=HYPERLINK(""x""), really"',
  ]);
});
