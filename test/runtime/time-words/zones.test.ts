import fc from "fast-check";
import t from "tap";
import { TendrilError } from "../../../runtime/errors.js";
import { instantsOfRule, parseRule, startNear } from "../../../runtime/time-words/recurrence.js";
import { nextInstants, understandTime } from "../../../runtime/time-words/understand.js";
import { WallZone } from "../../../runtime/time-words/wall-time.js";
import { HouseTime } from "../../../runtime/wire/house-time.js";

/** With summer time on both halves of the earth, by half an hour (Lord Howe), and with offsets of 45 minutes. */
const ZONES = [
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "America/Recife",
  "Asia/Kathmandu",
];
const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;
/** No zone is further from UTC. */
const FURTHEST = 15 * 60 * MINUTE;

const zone = fc.constantFrom(...ZONES);
const quarters = (from: string, until: string) =>
  fc.integer({ min: Date.parse(from) / QUARTER, max: Date.parse(until) / QUARTER }).map((n) => n * QUARTER);

/** Every instant at which Intl shows this on the clocks of the zone: the oracle, which shares no code with what is tried. */
function shownAt(text: string, time: HouseTime): readonly string[] {
  const near = Date.parse(`${text.replace(" ", "T")}Z`);
  const found: string[] = [];
  for (let at = near - FURTHEST; at <= near + FURTHEST; at += QUARTER)
    if (time.minute(at) === text) found.push(new Date(at).toISOString());
  return found;
}

t.test("a date and a time mean the instant at which the clocks there show them, and no other", async (t) => {
  const now = Date.parse("2025-12-30T12:00:00Z");
  fc.assert(
    fc.property(zone, quarters("2026-01-02", "2028-01-02"), (name, wall) => {
      const text = new Date(wall).toISOString().slice(0, 16).replace("T", " ");
      const found = understandTime(text, { now, zone: name });
      const shown = shownAt(text, new HouseTime(name));
      if (found instanceof TendrilError) return found.code === "TIME_AMBIGUOUS" && shown.length !== 1;
      return shown.length === 1 && found.at === shown[0];
    }),
    { numRuns: 150, seed: 21 },
  );
  t.pass("150 of them");
});

t.test(
  "an hour that the clocks show twice or leave out is asked about, in each zone that has one",
  async (t) => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    for (const [text, name, candidates] of [
      ["2026-11-01 01:30", "America/New_York", ["2026-11-01T05:30:00.000Z", "2026-11-01T06:30:00.000Z"]],
      ["2026-03-08 02:30", "America/New_York", ["2026-03-08T06:30:00.000Z", "2026-03-08T07:30:00.000Z"]],
      ["2026-10-25 02:30", "Europe/Berlin", ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"]],
      ["2026-04-05 01:45", "Australia/Lord_Howe", ["2026-04-04T14:45:00.000Z", "2026-04-04T15:15:00.000Z"]],
    ] as const) {
      const found = understandTime(text, { now, zone: name });
      t.match(
        found,
        {
          code: "TIME_AMBIGUOUS",
          particulars: { details: { candidates: candidates.map((at) => ({ at })) } },
        },
        text,
      );
    }
  },
);

/** Weekday as Intl names it: "MO" */
const weekdayOf = (at: number, name: string): string =>
  new Intl.DateTimeFormat("en-US", { timeZone: name, weekday: "short" }).format(at).slice(0, 2).toUpperCase();

const NAMES = {
  MO: "monday",
  TU: "tuesday",
  WE: "wednesday",
  TH: "thursday",
  FR: "friday",
  SA: "saturday",
  SU: "sunday",
};

t.test(
  "a weekly recurrence comes when calendar and clocks there say so, over changes of the clocks too",
  async (t) => {
    const days = fc.uniqueArray(fc.constantFrom(...(Object.keys(NAMES) as (keyof typeof NAMES)[])), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        zone,
        quarters("2026-01-01", "2027-12-01"),
        days,
        fc.integer({ min: 4, max: 23 }),
        (name, now, chosen, hour) => {
          const clock = `${String(hour).padStart(2, "0")}:15`;
          const found = understandTime(`every ${chosen.map((day) => NAMES[day]).join(" and ")} at ${clock}`, {
            now,
            zone: name,
          });
          if (found instanceof TendrilError) return false;
          const time = new HouseTime(name);
          const expected: string[] = [];
          for (let at = now; expected.length < 3; at += QUARTER)
            if (time.clock(at) === clock && chosen.some((day) => day === weekdayOf(at, name)))
              expected.push(new Date(at).toISOString());
          t.same(found.next, expected, `${name} ${found.words}`);
          return true;
        },
      ),
      { numRuns: 25, seed: 21 },
    );
  },
);

t.test("the next instants go on from any time: intervals are counted from the first", async (t) => {
  const zone = "Europe/Berlin";
  const at = "2026-11-23T06:00:00.000Z";
  const every2 = { at, zone, after: Date.parse("2027-03-27T12:00:00Z"), count: 2 };
  t.same(nextInstants("FREQ=DAILY;INTERVAL=2;BYHOUR=7;BYMINUTE=0", every2), [
    "2027-03-29T05:00:00.000Z",
    "2027-03-31T05:00:00.000Z",
  ]);
  const days = (Date.parse("2027-03-29T06:00:00Z") - Date.parse(at)) / DAY;
  t.equal(days % 2, 0, "an even number of days, and summer time since the day before");
  const hourly = { at, zone, after: Date.parse("2036-01-01T00:59:59Z"), count: 1 };
  t.same(nextInstants("FREQ=MINUTELY;INTERVAL=45", hourly), ["2036-01-01T01:30:00.000Z"]);
  const first = { at: "2028-02-29T08:00:00.000Z", zone, after: Date.parse("2028-03-01T00:00:00Z"), count: 1 };
  t.same(nextInstants("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0", first), [
    "2032-02-29T08:00:00.000Z",
  ]);
  const fifth = { at: "2026-11-30T08:00:00.000Z", zone, after: Date.parse("2026-11-30T08:00:00Z"), count: 2 };
  t.same(nextInstants("FREQ=MONTHLY;BYDAY=5MO;BYHOUR=9;BYMINUTE=0", fifth), [
    "2027-03-29T07:00:00.000Z",
    "2027-05-31T07:00:00.000Z",
  ]);
});

t.test(
  "in spring a daily time that is left out comes as much later; in autumn the first of two counts",
  async (t) => {
    const zone = "Europe/Berlin";
    const daily = "FREQ=DAILY;BYHOUR=2;BYMINUTE=30";
    const from = (at: string) => nextInstants(daily, { at, zone, after: Date.parse(at) });
    t.same(from("2027-03-27T01:30:00.000Z"), [
      "2027-03-28T01:30:00.000Z",
      "2027-03-29T00:30:00.000Z",
      "2027-03-30T00:30:00.000Z",
    ]);
    t.same(from("2026-10-24T00:30:00.000Z"), [
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
      "2026-10-27T01:30:00.000Z",
    ]);
  },
);

t.test("a rule that words cannot make is refused, not read in part", async (t) => {
  const context = { at: "2026-11-23T06:00:00.000Z", zone: "UTC", after: 0 };
  for (const rule of [
    "FREQ=DAILY;COUNT=3",
    "FREQ=SECONDLY",
    "FREQ=WEEKLY;BYDAY=XX",
    "FREQ=DAILY;INTERVAL=0",
    "BYHOUR=7",
    "",
    "FREQ=DAILY;UNTIL=20270101",
  ])
    t.throws(() => nextInstants(rule, context), RangeError, rule);
});

t.test("a rule with a part out of its range is none", (t) => {
  for (const part of [
    "INTERVAL=0",
    "INTERVAL=1001",
    "INTERVAL=99999999",
    "BYMONTH=13",
    "BYMONTHDAY=0",
    "BYMONTHDAY=99",
    "BYDAY=9MO",
    "BYHOUR=24",
    "BYHOUR=-9999999999999",
    "BYMINUTE=60",
  ])
    t.throws(() => parseRule(`FREQ=DAILY;${part}`), RangeError, part);
  t.end();
});

t.test("a rule of long intervals, or without any day, ends: nothing else runs meanwhile", (t) => {
  const next = (rule: string, at: string, after = at) =>
    nextInstants(rule, { at, zone: "America/Recife", after: Date.parse(after) });
  const leap = "2028-02-29T12:00:00.000Z";
  t.same(next("FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0", leap), [
    "6024-02-29T12:00:00.000Z",
  ]);
  t.same(next("FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9;BYMINUTE=0", leap), []);
  t.same(next("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9;BYMINUTE=0", leap), []);
  t.same(next("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "9999-12-31T12:00:00.000Z"), [], "nor is there a year 10000");
  t.same(
    next("FREQ=MINUTELY", "2026-01-01T00:00:30.000Z", "2066-01-01T00:00:00.000Z")[0],
    "2066-01-01T00:00:30.000Z",
  );
  t.same(
    next(
      "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
      "2026-01-05T12:00:00.000Z",
      "2066-01-01T00:00:00.000Z",
    )[0],
    "2066-01-04T12:00:00.000Z",
  );
  t.end();
});

t.test("a day of a rule has two letters, and counts to the fifth of a month or is the last", async (t) => {
  for (const day of ["MO", "1MO", "5MO", "-1MO"])
    t.equal(parseRule(`FREQ=MONTHLY;BYDAY=${day}`).weekdays?.length, 1, day);
  for (const day of ["6MO", "0MO", "-2MO", "MONDAY", "XX", "MO,"])
    t.throws(() => parseRule(`FREQ=MONTHLY;BYDAY=${day}`), RangeError, day);
});

t.test("a rule without a day in 400 periods in a row has none", async (t) => {
  const rule = parseRule("FREQ=DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29;BYHOUR=8;BYMINUTE=0");
  t.same([...instantsOfRule(rule, Date.UTC(2026, 0, 1) / 1000, new WallZone("UTC"))], []);
});

t.test(
  "a rule by the hour or the minute goes on in its own steps, from an instant that is not later",
  async (t) => {
    for (const [text, near] of [
      ["FREQ=HOURLY", 500 + 2 * 3600],
      ["FREQ=HOURLY;INTERVAL=3", 500],
      ["FREQ=MINUTELY;INTERVAL=7", 500 + 22 * 420],
      ["FREQ=DAILY;BYHOUR=8;BYMINUTE=0", 500],
    ] as const)
      t.equal(startNear(parseRule(text), 500, 9999), near, text);
    t.equal(startNear(parseRule("FREQ=HOURLY"), 500, 400), 500, "never before its start");
  },
);
