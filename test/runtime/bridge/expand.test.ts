import t from "tap";
import { eventsIn } from "../../../runtime/bridge/calendar/expand.js";
import { calendarEvent } from "../../../runtime/wire/calendar.js";
import { BOMB, calendar, event, GOOGLE, NEXTCLOUD, OUTLOOK } from "./calendars.js";

const span = (from: string, to: string, zone = "Europe/Berlin") => ({
  from: Date.parse(from) / 1000,
  to: Date.parse(to) / 1000,
  zone,
});
const WEEKS = span("2026-11-23T00:00:00Z", "2026-12-15T00:00:00Z");

/** "2026-11-24T09:00 Title": what is shown of a calendar. */
const shown = (text: string, of = WEEKS) =>
  eventsIn(text, of).events.map(({ start, title }) => `${start.slice(0, 16)} ${title}`);

t.test("Google's calendar: exceptions, a moved occurrence, escapes, folded lines, a whole day", async (t) => {
  t.same(shown(GOOGLE), [
    "2026-11-23T17:00 Choir, second row",
    "2026-11-24 Bin day",
    "2026-12-01T18:00 Choir (moved)",
    "2026-12-14T17:00 Choir, second row",
  ]);
  const [choir, day] = eventsIn(GOOGLE, WEEKS).events;
  t.same(choir, {
    title: "Choir, second row",
    location: "St. Mark's; hall 2",
    start: "2026-11-23T17:00:00.000Z",
    end: "2026-11-23T18:30:00.000Z",
    all_day: false,
    external_id: "choir@google.com",
    external_url: "https://example.com/choir",
  });
  t.match(day, { start: "2026-11-24", end: "2026-11-25", all_day: true });
});

t.test(
  "Outlook's calendar: its own zones by Windows' names, and an end of the recurrence in UTC",
  async (t) => {
    t.same(shown(OUTLOOK), [
      "2026-11-24T08:30 Stand-up",
      "2026-12-01T08:30 Stand-up",
      "2026-12-08T08:30 Stand-up",
    ]);
    const summer = span("2026-11-01T00:00:00Z", "2026-11-04T00:00:00Z", "America/Recife");
    t.same(shown(OUTLOOK, summer), ["2026-11-03T08:30 Stand-up"], "wherever it is read");
  },
);

t.test("Nextcloud's calendar: a duration, a change of all later ones, no to-dos, no alarms", async (t) => {
  const found = shown(NEXTCLOUD, span("2026-11-24T00:00:00Z", "2026-11-29T00:00:00Z"));
  t.same(found, [
    "2026-11-24T06:00 Run",
    "2026-11-25T06:00 Run",
    "2026-11-26T07:00 Run later",
    "2026-11-27T07:00 Run later",
    "2026-11-28T07:00 Run later",
  ]);
});

t.test("a recurrence that would never end takes no time, and takes no other event along", async (t) => {
  const { events, leftOff } = eventsIn(BOMB, WEEKS);
  t.same(
    events.map(({ title }) => title),
    ["Dentist"],
  );
  t.equal(leftOff, 2);
});

t.test("a thousand endless recurrences are left off too", async (t) => {
  const one = event("UID:a", "DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY", "SUMMARY:tick");
  const { leftOff } = eventsIn(calendar(...Array.from({ length: 1000 }, () => one)), WEEKS);
  t.equal(leftOff, 1000);
});

t.test("an event every day keeps its hour when the clocks change", async (t) => {
  const text = calendar(
    event("UID:a", "DTSTART;TZID=Europe/Berlin:20260101T023000", "RRULE:FREQ=DAILY", "SUMMARY:x"),
  );
  const march = span("2026-03-27T12:00:00Z", "2026-03-31T00:00:00Z");
  t.same(shown(text, march), [
    "2026-03-28T01:30 x",
    "2026-03-29T01:30 x", // 02:30 is left out on that day: with the offset of before, RFC 5545, 3.3.5
    "2026-03-30T00:30 x",
  ]);
  const october = span("2026-10-24T12:00:00Z", "2026-10-27T00:00:00Z");
  t.same(shown(text, october), ["2026-10-25T00:30 x", "2026-10-26T01:30 x"]);
});

t.test("a time without a zone is one of the person's zone", async (t) => {
  const text = calendar(event("UID:a", "DTSTART:20261124T100000", "SUMMARY:x"));
  t.same(shown(text), ["2026-11-24T09:00 x"]);
  t.same(shown(text, { ...WEEKS, zone: "America/Recife" }), ["2026-11-24T13:00 x"]);
});

t.test(
  "a zone by its IANA name needs no rules, also behind a prefix; an unknown one is the person's",
  async (t) => {
    for (const [tzid, start] of [
      ["America/New_York", "15:00"],
      ["/mozilla.org/20050126_1/America/New_York", "15:00"],
      ["Nowhere/Land", "09:00"],
    ] as const)
      t.same(shown(calendar(event(`DTSTART;TZID=${tzid}:20261124T100000`, "SUMMARY:x"))), [
        `2026-11-24T${start} x`,
      ]);
  },
);

t.test("an exception counts in whatever form it names the occurrence", async (t) => {
  const daily = (...lines: string[]) =>
    shown(
      calendar(
        event(
          "UID:a",
          "DTSTART;TZID=Europe/Berlin:20261123T100000",
          "RRULE:FREQ=DAILY;COUNT=2",
          "SUMMARY:x",
          ...lines,
        ),
      ),
    );
  t.same(daily(), ["2026-11-23T09:00 x", "2026-11-24T09:00 x"]);
  for (const except of [
    "EXDATE:20261124T090000Z",
    "EXDATE;VALUE=DATE:20261124",
    "EXDATE;TZID=America/New_York:20261124T040000",
  ])
    t.same(daily(except), ["2026-11-23T09:00 x"], except);
});

t.test(
  "a changed occurrence is not shown twice where its id is in UTC, and the newest change counts",
  async (t) => {
    const change = (sequence: number, hour: number) =>
      event(
        ...[
          "UID:a",
          `SEQUENCE:${sequence}`,
          "RECURRENCE-ID:20261124T090000Z",
          `DTSTART:20261124T${hour}0000Z`,
        ],
        `SUMMARY:changed ${sequence}`,
      );
    const master = event(
      "UID:a",
      "DTSTART;TZID=Europe/Berlin:20261123T100000",
      "RRULE:FREQ=DAILY;COUNT=2",
      "SUMMARY:x",
    );
    t.same(shown(calendar(master, change(2, 15), change(1, 14))), [
      "2026-11-23T09:00 x",
      "2026-11-24T15:00 changed 2",
    ]);
  },
);

t.test("what is cancelled is not shown: an event, or one occurrence", async (t) => {
  t.same(shown(calendar(event("UID:a", "STATUS:CANCELLED", "DTSTART:20261124T100000Z", "SUMMARY:x"))), []);
  const master = event("UID:a", "DTSTART:20261123T100000Z", "RRULE:FREQ=DAILY;COUNT=2", "SUMMARY:x");
  const gone = event(
    "UID:a",
    "STATUS:CANCELLED",
    "RECURRENCE-ID:20261124T100000Z",
    "DTSTART:20261124T100000Z",
  );
  t.same(shown(calendar(master, gone)), ["2026-11-23T10:00 x"]);
});

t.test("extra dates, several days, days that recur, and what has begun before the span", async (t) => {
  t.same(
    shown(
      calendar(
        event("UID:a", "DTSTART:20261101T100000Z", "RDATE:20261124T100000Z,20261125T100000Z", "SUMMARY:x"),
      ),
    ),
    ["2026-11-24T10:00 x", "2026-11-25T10:00 x"],
  );
  t.match(
    eventsIn(
      calendar(event("DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261127", "SUMMARY:trip")),
      WEEKS,
    ).events,
    [{ start: "2026-11-20", end: "2026-11-27" }],
  );
  const birthday = event("UID:b", "DTSTART;VALUE=DATE:19800229", "RRULE:FREQ=YEARLY", "SUMMARY:leap");
  t.same(shown(calendar(birthday), span("2028-02-20T00:00:00Z", "2028-03-10T00:00:00Z")), [
    "2028-02-29 leap",
  ]);
  t.same(shown(calendar(event("DTSTART:20261122T230000Z", "DTEND:20261123T010000Z", "SUMMARY:party"))), [
    "2026-11-22T23:00 party",
  ]);
});

t.test("an event that cannot be read is counted, and the others are shown", async (t) => {
  const good = event("DTSTART:20261124T100000Z", "SUMMARY:good");
  const bad = [
    event("SUMMARY:no start"),
    event("DTSTART:yesterday", "SUMMARY:x"),
    event("DTSTART:20261124T100000Z", "RRULE:FREQ=SOMETIMES", "SUMMARY:x"),
    event("DTSTART:20261124T100000Z", "this line is none", "SUMMARY:x"),
  ];
  for (const each of bad) {
    const { events, leftOff } = eventsIn(calendar(each, good), WEEKS);
    t.equal(events.at(-1)?.title, "good");
    t.equal(leftOff, 1, each);
  }
});

t.test("words of strangers are cut with a mark, on one line; a link is only a link to a page", async (t) => {
  const text = calendar(
    event(
      ...[
        "UID:a",
        "DTSTART:20261124T100000Z",
        `SUMMARY:${"🌱".repeat(300)}`,
        `LOCATION:a\\n\\nb${"c".repeat(300)}`,
      ],
      "URL:javascript:alert(1)",
    ),
  );
  const [found] = eventsIn(text, WEEKS).events;
  t.equal([...(found?.title ?? "")].length, 200);
  t.match(found?.title, /^🌱{10,}…$|…$/u);
  t.match(found?.location, /^a bc+…$/);
  t.equal(found?.external_url, null);
  t.ok(calendarEvent.safeParse(found).success, "the runtime takes it");
});

t.test("more events than an answer takes are counted; the soonest are there", async (t) => {
  const many = Array.from({ length: 1200 }, (_, at) =>
    event(`UID:${at}`, `DTSTART:2026112${4 + (at % 2)}T100000Z`, `SUMMARY:${at}`),
  );
  const { events, leftOff } = eventsIn(calendar(...many), WEEKS);
  t.same([events.length, leftOff], [1000, 200]);
  t.equal(events.filter(({ start }) => start.startsWith("2026-11-24")).length, 600);
});

t.test("what is no calendar, or ends in the middle, is no empty calendar", async (t) => {
  for (const text of [
    "",
    "<html>Please log in</html>",
    GOOGLE.slice(0, 900),
    "BEGIN:VCALENDAR\r\n",
    "\u0000".repeat(99),
  ])
    t.throws(() => eventsIn(text, WEEKS), { name: "NoCalendar" });
  t.same(shown(`\ufeff${calendar()}`), [], "but an empty one is");
});
