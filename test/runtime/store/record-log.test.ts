import { join } from "node:path";
import t, { type Test } from "tap";
import { hours } from "../../../drivers/units.js";
import { Database } from "../../../runtime/store/database.js";
import type { RecordLog } from "../../../runtime/store/record-log.js";
import { openStore } from "../../../runtime/store/store.js";
import { COUNT_LOG, type Count, type Counted } from "./count-log.js";

const START = Date.parse("2026-06-01T00:00:00.000Z");
const at = (n: number) => new Date(START + n * 60_000).toISOString();
const numbers = (records: readonly Counted[]) => records.map(({ n }) => n);

async function open(t: Test): Promise<RecordLog<Count, Counted>> {
  const store = await openStore({ folder: join(t.testdir(), "state"), relaxed: true });
  t.teardown(() => store.close());
  return store.log(COUNT_LOG);
}

/** Entries 1…n, a minute apart, for two plants in turn. */
async function fill(log: RecordLog<Count, Counted>, n: number): Promise<void> {
  const entries = Array.from({ length: n }, (_, i) => ({
    timestamp: at(i + 1),
    plant: i % 2 ? "b" : "a",
    n: i + 1,
  }));
  await Promise.all(entries.map((entry) => log.append(entry)));
}

t.test("append answers with the record and its number, from 1 on", async (t) => {
  const log = await open(t);
  t.match(await log.append({ timestamp: at(1), n: 5 }), { id: 1, record: { n: 5, sum: 5 } });
  t.match(await log.append({ timestamp: at(2), n: 6 }), { id: 2, record: { n: 6, sum: 6 } });
});

t.test("a later entry extends its record, under the record's number and at the record's time", async (t) => {
  const log = await open(t);
  await fill(log, 3);
  t.match(await log.append({ timestamp: at(50), n: 10, of: 2 }), { id: 2, record: { n: 2, sum: 12 } });
  t.match(await log.get(2), { sum: 12 });
  t.equal(await log.count(), 3);
  t.same(numbers(await log.range(START, Date.parse(at(3)))), [1, 2, 3]);
  t.match(await log.append({ timestamp: at(51), n: 4 }), { id: 5 }, "its line has taken number 4");
});

t.test(
  "who watches a log is told of each record, new or extended, in the order of the journal",
  async (t) => {
    const log = await open(t);
    await fill(log, 2);
    const told: unknown[] = [];
    log.watch((stored) => void told.push(stored));
    await log.append({ timestamp: at(3), n: 7 });
    await log.append({ timestamp: at(4), n: 10, of: 1 });
    t.match(told, [
      { id: 3, record: { sum: 7 } },
      { id: 1, record: { sum: 11 } },
    ]);
  },
);

t.test("entries that extend one record at the same time are all in it", async (t) => {
  const log = await open(t);
  await fill(log, 1);
  await Promise.all([1, 2, 3, 4, 5].map((n) => log.append({ timestamp: at(2), n, of: 1 })));
  t.match(await log.get(1), { sum: 16 });
});

t.test("recent pages are chronological, count from the end, and are empty past it", async (t) => {
  const log = await open(t);
  await fill(log, 10);
  t.same(numbers(await log.recent(3, 0)), [8, 9, 10]);
  t.same(numbers(await log.recent(3, 8)), [1, 2]);
  t.same(await log.recent(3, 10), []);
  t.same(await log.recent(3, 1_000_000), []);
  t.same(numbers(await log.recent(2, 1, "a")), [5, 7]);
});

t.test("pages reach beyond the thousand records in memory, without a seam", async (t) => {
  const log = await open(t);
  await fill(log, 1205);
  t.same(numbers(await log.recent(2, 0)), [1204, 1205]);
  t.same(numbers(await log.recent(4, 998)), [204, 205, 206, 207], "across the edge of the window");
  t.same(numbers(await log.recent(50, 1200)), [1, 2, 3, 4, 5]);
  t.same(numbers(await log.recent(2, 600, "b")), [2, 4]);
  t.same(await log.recent(2, 1205), []);
  await log.append({ timestamp: at(2000), n: 1, of: 3 });
  t.match(await log.get(3), { sum: 4 }, "an old record outside the window can be extended");
  t.same(numbers(await log.recent(2, 0)), [1204, 1205], "and does not become a new one");
});

t.test("newest first gives records with their numbers", async (t) => {
  const log = await open(t);
  await fill(log, 4);
  t.match(await log.newestFirst(2, 1), [
    { id: 3, record: { n: 3 } },
    { id: 2, record: { n: 2 } },
  ]);
});

t.test("a range includes both ends, to the millisecond", async (t) => {
  const log = await open(t);
  await fill(log, 5);
  const [from, to] = [Date.parse(at(2)), Date.parse(at(4))];
  t.same(numbers(await log.range(from, to)), [2, 3, 4]);
  t.same(numbers(await log.range(from + 1, to - 1)), [3]);
  t.same(await log.range(to, from), []);
});

t.test("a range is chronological though the wall clock was set back", async (t) => {
  const log = await open(t);
  for (const minute of [10, 5, 7]) await log.append({ timestamp: at(minute), n: minute });
  t.same(numbers(await log.range(START, START + hours(1))), [5, 7, 10]);
  t.same(numbers(await log.recent(3, 0)), [10, 5, 7], "recent pages go by what was written last");
});

t.test("a search finds substrings in any case and any alphabet", async (t) => {
  const log = await open(t);
  await fill(log, 3);
  t.same(numbers(await log.search("äpfel", 0)), [1, 2, 3]);
  t.same(numbers(await log.search("a\u0308PFEL", 0)), [1, 2, 3], "with a combining accent");
  t.same(numbers(await log.search("NUMMER 2", 0)), [2]);
  t.same(numbers(await log.search("nummer", Date.parse(at(2)))), [2, 3], "since then, included");
});

t.test("no character of a search has a special meaning", async (t) => {
  const log = await open(t);
  await fill(log, 2);
  t.same(numbers(await log.search("50%_", 0)), [1, 2]);
  for (const keyword of ["n%r", "n_mmer", "'", '"', "\\", "*"])
    t.same(await log.search(keyword, 0), [], keyword);
});

t.test("all records come in order of the journal", async (t) => {
  const log = await open(t);
  await fill(log, 1100);
  const found: number[] = [];
  for await (const { n } of log.all()) found.push(n);
  t.same(
    found,
    Array.from({ length: 1100 }, (_, i) => i + 1),
  );
});

t.test("a record that is not there is undefined", async (t) => {
  const log = await open(t);
  t.equal(await log.get(1), undefined);
  t.same(await log.recent(5, 0), []);
  t.equal(await log.count(), 0);
});

t.test("a record that is spoiled in the database is told by its log, with what helps", async (t) => {
  const folder = join(t.testdir(), "state");
  const store = await openStore({ folder });
  await fill(await store.log(COUNT_LOG), 3);
  await store.close();
  const database = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  await database.run("UPDATE records SET body = replace(body, '2', char(1)) WHERE id = 2");
  await database.close();
  const spoiled = await openStore({ folder });
  t.teardown(() => spoiled.close());
  const log = await spoiled.log(COUNT_LOG);
  await t.rejects(log.get(2), {
    code: "STORE_FAILED",
    message: /record 2 of the log counts in tendril\.sqlite, which a start without that file makes anew/,
  });
});
