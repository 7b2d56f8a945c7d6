import { once } from "node:events";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { type OpenJournalFile, openOrCreate, replaceOnDisk } from "../../../runtime/store/journal.js";
import type { RecordLog } from "../../../runtime/store/record-log.js";
import { openStore, type Store } from "../../../runtime/store/store.js";
import { spawnNode } from "../../spawn-node.js";
import { COUNT_LOG } from "./count-log.js";
import { NUMBER_LOG, type NumberEntry, type NumberRecord } from "./number-log.js";

/** Old lines of a journal go, and all others keep their numbers: also where a crash comes in between. */

const DROPPER = join(import.meta.dirname, "dropper.js");
const stamp = (n: number) => new Date(n * 1000).toISOString();

type Log = RecordLog<NumberEntry, NumberRecord>;

/** Longer than what an erasure leaves of a line. */
const WHY = "a number for the tests";
const append = (log: Log, n: number, why = WHY) => log.append({ timestamp: stamp(n), n, why });

async function filled(store: Store, to: number, why = WHY): Promise<Log> {
  const log = await store.log(NUMBER_LOG);
  await Promise.all(Array.from({ length: to }, (_, n) => append(log, n + 1, why)));
  return log;
}

async function opened(t: Test, folder: string) {
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  return { store, log: await store.log(NUMBER_LOG) };
}

/** Number and content of each record that the log has. */
async function found(log: Log): Promise<readonly (readonly number[])[]> {
  const all: number[][] = [];
  for await (const { id, record } of log.stored()) all.push([id, record.n]);
  return all;
}

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => [first + n, first + n]);

t.test("what is dropped is in no answer and no file; the rest keeps its numbers", async (t) => {
  const folder = join(t.testdir(), "state");
  const store = await openStore({ folder });
  const log = await filled(store, 1150);
  await log.dropBefore(951);
  t.same(await found(log), from(951, 1150));
  t.equal(await log.count(), 200);
  t.equal(await log.get(950), undefined);
  t.match(await log.page(2, 199), [{ id: 951 }], "pages end there");
  t.match(await log.newestFirst(1000, 0), { length: 200 });
  t.match(await append(log, 1151), { id: 1151 });
  const lines = (await readFile(join(folder, "journal", "numbers.jsonl"), "utf8")).trim().split("\n");
  t.equal(lines.length, 201);
  t.match(JSON.parse(lines[0] ?? ""), { id: 951, n: 951 });
  await store.close();
  const again = await opened(t, folder);
  t.same(again.store.warnings, []);
  t.same(await found(again.log), from(951, 1151));
});

t.test(
  "at least the last line stays, for it has the number; and nothing goes that is not there",
  async (t) => {
    const { log } = await opened(t, join(t.testdir(), "state"));
    await log.dropBefore(7);
    for (const n of [1, 2, 3]) await append(log, n);
    for (const id of [-5, 0, 1, 4, 99]) {
      await log.dropBefore(id);
      t.same(await found(log), from(1, 3), `before ${id}`);
    }
    await log.dropBefore(3);
    await log.dropBefore(2);
    t.same(await found(log), from(3, 3));
    t.match(await append(log, 4), { id: 4 });
  },
);

t.test("a log whose lines extend others has none dropped", async (t) => {
  const store = await openStore({ folder: join(t.testdir(), "state") });
  t.teardown(() => store.close());
  const log = await store.log(COUNT_LOG);
  const timestamp = "2026-11-27T08:00:00.000Z";
  await log.append({ timestamp, n: 1 });
  await log.append({ timestamp, n: 2, of: 1 });
  await t.rejects(log.dropBefore(1), /extend/);
  t.match(await log.get(1), { sum: 3 });
});

t.test("writers, readers, another drop and an erasure at the same time get along", async (t) => {
  const folder = join(t.testdir(), "state");
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  const log = await filled(store, 300, WHY.repeat(30)); // read in several pieces
  const reading = log.lines(new Set([1, 299]));
  const first = await reading.next();
  const work = [
    log.dropBefore(50),
    log.dropBefore(100),
    store.erase((_, { id }) => id === 150),
    append(log, 301),
    log.dropBefore(120),
  ];
  await Promise.all(work);
  const rest = await reading.next();
  t.match([first, rest], [{ value: { id: 1 } }, { value: { id: 299 } }], "who reads has the file as it was");
  await reading.next();
  const all = await found(log);
  t.same(
    all.map(([id]) => id),
    from(120, 301).map(([id]) => id),
  );
  t.equal(all.find(([id]) => id === 150)?.[1], -1, "erased");
  t.same(await readdir(join(folder, "journal")), ["numbers.jsonl"]);
});

t.test("a crash before, between and behind its steps leaves all records or the kept ones", async (t) => {
  const folder = join(t.testdir(), "state");
  const copies = ["index changed", "copy half made", "file replaced"] as const;
  const copyTo = (name: string) => cp(folder, join(folder, "..", name), { recursive: true });
  const openJournal: OpenJournalFile = async (file) => ({
    ...(await openOrCreate(file)),
    replace: async (change) => {
      await copyTo(copies[0]);
      await writeFile(`${file}.tmp`, '{"id":9');
      await copyTo(copies[1]);
      await replaceOnDisk(file, change);
      await copyTo(copies[2]);
    },
  });
  const store = await openStore({ folder, openJournal });
  const log = await filled(store, 30);
  await log.dropBefore(21);
  await store.close();
  for (const name of copies) {
    const again = await opened(t, join(folder, "..", name));
    t.same(again.store.warnings, [], name);
    const kept = name === "file replaced" ? from(21, 30) : from(1, 30);
    t.same(await found(again.log), kept, name);
    t.match(await append(again.log, 31), { id: 31 }, name);
    await again.log.dropBefore(25);
    t.same(await found(again.log), from(25, 31), `${name}, and then it is done after all`);
    t.same(await readdir(join(folder, "..", name, "journal")), ["numbers.jsonl"]);
  }
});

t.test("a disk that refuses the copy costs nothing; what is written next is on the disk", async (t) => {
  const folder = join(t.testdir(), "state");
  const openJournal: OpenJournalFile = async (file) => ({
    ...(await openOrCreate(file)),
    replace: () => Promise.reject(new Error("ENOSPC: no space left on device")),
  });
  const store = await openStore({ folder, openJournal });
  const log = await filled(store, 30);
  await t.rejects(log.dropBefore(21), { code: "STORE_FAILED" });
  await append(log, 31);
  t.same(await found(log), from(1, 31));
  await store.close();
  const again = await opened(t, folder);
  t.same([again.store.warnings, await found(again.log)], [[], from(1, 31)]);
});

t.test("a file that was replaced before the failure is the one that is written on", async (t) => {
  const folder = join(t.testdir(), "state");
  const openJournal: OpenJournalFile = async (file) => ({
    ...(await openOrCreate(file)),
    replace: async (change) => {
      await replaceOnDisk(file, change);
      throw new Error("EIO: i/o error, fsync");
    },
  });
  const store = await openStore({ folder, openJournal });
  const log = await filled(store, 30);
  await t.rejects(log.dropBefore(21), { code: "STORE_FAILED" });
  await append(log, 31);
  t.same(await found(log), from(21, 31));
  await store.close();
  t.same(await found((await opened(t, folder)).log), from(21, 31));
});

t.test(
  "kill -9 at any time: no acknowledged record that was to stay is lost, none has another number",
  async (t) => {
    const folder = join(t.testdir(), "state");
    let acknowledged = 0;
    for (const enough of [31, 52, 73]) {
      const child = spawnNode([DROPPER, folder]);
      child.stderr.pipe(process.stderr);
      const exited = once(child, "exit");
      let lines = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line);
        lines += 1;
        if (lines === enough) child.kill("SIGKILL");
      }
      await exited;
      const store = await openStore({ folder });
      const all = await found(await store.log(NUMBER_LOG));
      await store.close();
      t.same(store.warnings, []);
      const [first = 0, last = 0] = [all[0]?.[0], all.at(-1)?.[0]];
      t.same(all, from(first, last), "without a hole, each with its own number");
      t.ok(
        last >= acknowledged && first <= Math.max(1, acknowledged - 20),
        `${first} to ${last} of ${acknowledged}`,
      );
    }
  },
);
