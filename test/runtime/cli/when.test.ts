import t from "tap";
import { failsClearly, tendrilTold } from "../../run-tendril.js";
import { tendrilHere } from "../../tendril-here.js";

const NOW = ["--now", "2026-11-23T08:20:00Z", "--zone", "Europe/Berlin"];

t.test("tendril when says how the words were understood, and the next three instants", async (t) => {
  const { code, out } = await tendrilHere(["when", "every", "other", "day", "at", "7am", ...NOW]);
  t.equal(code, 0);
  t.equal(
    out,
    `every 2 days at 07:00, starting Tuesday 24 November 2026 (Europe/Berlin)
  2026-11-24 07:00  2026-11-24T06:00:00.000Z
  2026-11-26 07:00  2026-11-26T06:00:00.000Z
  2026-11-28 07:00  2026-11-28T06:00:00.000Z
`,
  );
});

t.test("what it took for granted is told", async (t) => {
  const { out } = await tendrilHere(["when", "tomorrow", ...NOW]);
  t.match(
    out,
    /^Tuesday 24 November 2026 at 09:00 \(Europe\/Berlin\)\n {2}\(a day without a time is taken as 09:00\)/,
  );
});

t.test(
  "--json has the instant, its grain, the recurrence and the words; a refusal has its code",
  async (t) => {
    const { out } = await tendrilHere(["when", "on the 1st at 8am", "--json", ...NOW]);
    t.match(JSON.parse(out), {
      at: "2026-12-01T07:00:00.000Z",
      grain: "hour",
      recurrence: null,
      words: /^Tuesday 1 December 2026 at 08:00/,
    });
    const refused = await tendrilHere(["when", "next friday", "--json", ...NOW]);
    t.equal(refused.code, 1);
    t.match(JSON.parse(refused.out), {
      error: {
        code: "TIME_AMBIGUOUS",
        details: { candidates: [{ at: "2026-11-27T08:00:00.000Z" }, { at: "2026-12-04T08:00:00.000Z" }] },
      },
    });
  },
);

t.test("a refusal says what was not understood, and what would be", async (t) => {
  failsClearly(
    t,
    await tendrilHere(["when", "blursday at 8", ...NOW]),
    /nothing is known of "blursday".*2026-11-30 08:00.*TIME_NOT_UNDERSTOOD/,
  );
  failsClearly(
    t,
    await tendrilHere(["when", "last monday", ...NOW]),
    /read as Monday 16 November 2026 at 09:00.*TIME_PAST/,
  );
});

t.test("--lines answers a line each, in order; a bad line is refused and ends nothing", async (t) => {
  const { code, out } = await tendrilTold(
    ["when", "--lines"],
    [
      '{"text":"tomorrow at 8am","now":"2013-02-12T04:30:00-02:00","zone":"-02:00"}',
      "no json",
      '{"text":"palm","now":"2013-02-12T04:30:00-02:00","zone":"-02:00"}',
      '{"text":"noon","now":"yesterday","zone":"UTC"}',
      '{"text":"noon","now":"2026-11-23T08:20:00Z","zone":"Mars/Olympus"}',
      '{"text":"noon","now":"2026-11-23T08:20:00Z","zone":"Asia/Kathmandu"}',
    ],
  );
  t.equal(code, 0);
  t.match(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [
      { at: "2013-02-13T10:00:00.000Z" },
      { error: { code: "INVALID_ARGUMENT" } },
      { error: { code: "TIME_NOT_UNDERSTOOD" } },
      { error: { code: "INVALID_ARGUMENT", message: /^now "yesterday" must be a time in ISO 8601/ } },
      { error: { code: "INVALID_ARGUMENT", message: /^zone "Mars\/Olympus"/ } },
      { at: "2026-11-24T06:15:00.000Z" },
    ],
  );
});

t.test("without --zone it is the zone of the configuration's house", async (t) => {
  const state = t.testdir({ "tendril.yaml": "zone: America/Recife\n" });
  const { out } = await tendrilHere([
    "when",
    "tomorrow at noon",
    "--state",
    state,
    "--now",
    "2026-11-23T08:20:00Z",
  ]);
  t.match(out, /^Tuesday 24 November 2026 at 12:00 \(America\/Recife\)/);
});

t.test("no words, or words with --lines, are wrong use", async (t) => {
  for (const args of [["when"], ["when", "noon", "--lines"]]) t.equal((await tendrilHere(args)).code, 2);
});
