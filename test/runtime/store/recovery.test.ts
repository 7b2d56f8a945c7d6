import { appendFile, cp, mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import t, { type Test } from "tap";
import type { HistoryQuery } from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import { type OpenJournalFile, openOrCreate } from "../../../runtime/store/journal.js";
import { openStore } from "../../../runtime/store/store.js";
import { openFilesIn } from "../../rig-disk.js";
import { COUNT_LOG, type Count } from "./count-log.js";

const START = Date.parse("2026-06-01T00:00:00.000Z");
const entry = (n: number, more: Partial<Count> = {}): Count => ({
  timestamp: new Date(START + n * 60_000).toISOString(),
  n,
  ...more,
});
const HISTORY: HistoryQuery = {
  hours: 48,
  samplesPerHour: 1,
  aggregation: "sum",
  valueField: "sum",
  endMs: START + 172_800_000,
};

const stateOf = (t: Test) => join(t.testdir(), "state");
const journalOf = (folder: string) => join(folder, "journal", "counts.jsonl");

/** Opens the store, lets `work` have its log, and closes it. */
async function withLog<T>(
  folder: string,
  work: (log: Awaited<ReturnType<typeof openLog>>["log"], warnings: string[]) => Promise<T>,
): Promise<T> {
  const { store, log } = await openLog(folder);
  try {
    return await work(log, store.warnings);
  } finally {
    await store.close();
  }
}

async function openLog(folder: string) {
  const store = await openStore({ folder, relaxed: true });
  return { store, log: await store.log(COUNT_LOG) };
}

const filled = (folder: string) =>
  withLog(folder, async (log) => {
    for (let n = 1; n <= 5; n += 1) await log.append(entry(n));
    await log.append(entry(6, { of: 2 }));
  });

/** Every kind of answer, for comparison. */
const answers = (folder: string) =>
  withLog(folder, async (log) => ({
    recent: await log.recent(50, 0),
    search: await log.search("nummer 2", 0),
    range: await log.range(START, START + 3_600_000),
    history: await log.history(HISTORY),
    count: await log.count(),
    second: await log.get(2),
    next: await log.append(entry(7)),
  }));

t.test("a restart changes no answer", async (t) => {
  const folder = stateOf(t);
  const during = await withLog(folder, async (log) => {
    for (let n = 1; n <= 5; n += 1) await log.append(entry(n));
    await log.append(entry(6, { of: 2 }));
    return { recent: await log.recent(50, 0), history: await log.history(HISTORY), second: await log.get(2) };
  });
  t.match(await answers(folder), during);
});

t.test("without its database the store gives the same answers", async (t) => {
  const [kept, rebuilt] = [join(t.testdir(), "kept"), join(t.testdirName, "rebuilt")];
  await filled(kept);
  await filled(rebuilt);
  await rm(join(rebuilt, "tendril.sqlite"));
  t.same(await answers(rebuilt), await answers(kept));
});

t.test("what the journal has and the index lacks is caught up with at the start", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  await appendFile(journalOf(folder), `${JSON.stringify({ id: 7, ...entry(70) })}\n`);
  await withLog(folder, async (log) => {
    t.match(await log.recent(1, 0), [{ n: 70 }]);
    t.match(await log.append(entry(8)), { id: 8 });
  });
});

t.test(
  "an index that reaches beyond its journal is made anew, and the missing lines are a loss",
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    const lines = (await readFile(journalOf(folder), "utf8")).split("\n");
    await writeFile(journalOf(folder), `${lines.slice(0, 3).join("\n")}\n`);
    await withLog(folder, async (log, warnings) => {
      t.match(warnings, [/index of counts did not fit/, /had lost lines/]);
      t.match(log.openReport, { rebuilt: true, lost: /had lost lines/ });
      t.equal(await log.count(), 3);
      t.match(await log.append(entry(9)), { id: 4 });
    });
  },
);

t.test("an entry whose indexing fails is not lost and not doubled: the next question finds it", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const { store, log } = await openLog(folder);
  await log.recent(1, 0);
  const other = await Database.open({ file: join(folder, "tendril.sqlite"), setup: [] });
  await other.script("ALTER TABLE journal_positions RENAME TO hidden");
  t.match(
    await log.append(entry(70)),
    { id: 7, record: { n: 70 } },
    "it is acknowledged: it is in the journal",
  );
  t.match(await log.append(entry(1, { of: 7 })), { id: 7, record: { n: 70, sum: 71 } });
  t.match(await log.recent(1, 0), [{ n: 70, sum: 71 }], "what is in memory is answered from there");
  await t.rejects(log.count(), { code: "STORE_FAILED" }, "no answer is given that would miss it");
  await other.script("ALTER TABLE hidden RENAME TO journal_positions");
  await other.close();
  t.match(await log.recent(2, 0), [{ n: 5 }, { n: 70, sum: 71 }]);
  t.equal(await log.count(), 6);
  await store.close();
});

t.test("a torn last line is reported and the log goes on", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  await appendFile(journalOf(folder), '{"id":7,"timest');
  await withLog(folder, async (log, warnings) => {
    t.match(warnings, [/torn line of 15 bytes/]);
    t.match(log.openReport, { tornBytes: 15, lost: undefined });
    t.equal(await log.count(), 5);
    t.match(await log.append(entry(7)), { id: 7 });
  });
});

t.test(
  "a damaged end is a loss, remembered until it is acknowledged, with its index or without",
  async (t) => {
    for (const database of ["kept", "deleted"]) {
      const folder = join(t.testdir(), database);
      await filled(folder);
      await appendFile(journalOf(folder), Buffer.alloc(5750));
      if (database === "deleted") await rm(join(folder, "tendril.sqlite"));
      for (const _ of ["found", "not acted upon yet"])
        await withLog(folder, async (log, warnings) => {
          t.match(log.openReport, { tornBytes: 0, lost: /ended in 5750 bytes that are no line/ }, database);
          t.match(warnings, [/5750 bytes that are no line, now in counts.jsonl.torn/]);
          t.equal(await log.count(), 5);
        });
      await withLog(folder, (log) => log.acknowledgeLoss());
      await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
    }
  },
);

t.test("a journal of nothing but a torn first line is a loss where its log was used", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  await writeFile(journalOf(folder), '{"id":1,"times');
  await rm(join(folder, "tendril.sqlite"));
  for (const _ of ["found", "not acted upon yet"])
    await withLog(folder, async (log) => t.match(log.openReport.lost, /counts was missing or empty/));
});

t.test("a torn first line of a log that was never used is no loss, now or later", async (t) => {
  const folder = stateOf(t);
  const write = async (name: string) => {
    const store = await openStore({ folder, relaxed: true });
    await (await store.log({ ...COUNT_LOG, name })).append(entry(1));
    await store.close();
  };
  await write("others");
  await writeFile(journalOf(folder), '{"id":1,"times');
  await withLog(folder, async (log) => t.match(log.openReport, { tornBytes: 14, lost: undefined }));
  await write("more");
  await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
});

t.test(
  "a crash while a log gets its very first record is no loss; a loss right after it is one",
  async (t) => {
    const folder = stateOf(t);
    const copies: string[] = [];
    const copy = async () => {
      copies.push(`${folder}-${copies.length}`);
      await cp(folder, copies.at(-1) ?? "", { recursive: true });
    };
    const copying =
      <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        await copy();
        const done = await work(...args);
        await copy();
        return done;
      };
    const openJournal: OpenJournalFile = async (file) => {
      const { handle, ...opened } = await openOrCreate(file);
      handle.write = copying(handle.write.bind(handle)) as typeof handle.write;
      handle.datasync = copying(handle.datasync.bind(handle));
      return { ...opened, handle };
    };
    const store = await openStore({ folder, openJournal });
    const log = await store.log(COUNT_LOG);
    await log.append(entry(1));
    await store.close();
    t.equal(copies.length, 4, "before and after the write and the sync");
    for (const crashed of copies)
      await withLog(crashed, async (log) => t.equal(log.openReport.lost, undefined, crashed));
    t.equal(
      await readFile(join(copies[3] ?? "", "used"), "utf8"),
      "counts",
      "the next start has set the mark",
    );
    await writeFile(journalOf(folder), "");
    await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => t.match(log.openReport.lost, /counts was missing or empty/));
  },
);

t.test("a mark that the disk refuses loses no record, is told, and is set by the next record", async (t) => {
  const folder = stateOf(t);
  const failures: Error[] = [];
  const store = await openStore({ folder, onFailure: (error) => failures.push(error) });
  const log = await store.log(COUNT_LOG);
  await mkdir(join(folder, "used"));
  t.match(await log.append(entry(1)), { id: 1 });
  t.match(failures, [{ code: "STORE_FAILED", message: /used/ }]);
  await rmdir(join(folder, "used"));
  await log.append(entry(2));
  await store.close();
  t.equal(await readFile(join(folder, "used"), "utf8"), "counts");
});

t.test("where the list of used logs is damaged, a missing or empty journal was lost", async (t) => {
  for (const journal of ["missing", "empty"]) {
    const folder = join(t.testdir(), journal);
    await filled(folder);
    await writeFile(join(folder, "used"), Buffer.alloc(7));
    if (journal === "missing") await rm(journalOf(folder));
    else await writeFile(journalOf(folder), "");
    await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => {
      t.match(log.openReport.lost, /counts was missing or empty/, journal);
      await log.append(entry(1));
      await log.acknowledgeLoss();
    });
    t.equal(await readFile(join(folder, "used"), "utf8"), "counts");
    await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
  }
});

t.test(
  "damaged lines are skipped, located, and remembered as a loss until that is acknowledged",
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    const text = await readFile(journalOf(folder), "utf8");
    await writeFile(journalOf(folder), text.replace('{"id":3', '{"iX":3'));
    await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => {
      t.same(log.openReport.damagedAt, [text.indexOf('{"id":3')]);
      t.match(log.openReport.lost, /line at byte \d+ that cannot be read/);
      t.same(
        (await log.recent(50, 0)).map(({ n }) => n),
        [1, 2, 4, 5],
      );
    });
    await withLog(folder, async (log, warnings) => {
      t.match(log.openReport, { damagedAt: [], lost: /cannot be read/ });
      t.match(warnings, [/cannot be read/]);
      await log.acknowledgeLoss();
    });
    await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
  },
);

t.test("a line that extends a lost record counts as damaged, and is no obstacle", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const text = await readFile(journalOf(folder), "utf8");
  await writeFile(journalOf(folder), text.replace('{"id":2', '{"iX":2'));
  await rm(join(folder, "tendril.sqlite"));
  await withLog(folder, async (log) => {
    t.equal(log.openReport.damagedAt.length, 2);
    t.equal(await log.count(), 4);
  });
});

t.test(
  "a journal that is missing in a used folder is a loss, also if the crash comes before anybody acts",
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    await rm(journalOf(folder));
    await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => t.match(log.openReport.lost, /counts was missing/));
    await withLog(folder, async (log) => {
      t.match(
        log.openReport.lost,
        /counts was missing/,
        "the file is there again, the loss is not forgotten",
      );
      await log.acknowledgeLoss();
    });
    await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
  },
);

t.test("a journal that was emptied is a lost one, with its index or without", async (t) => {
  for (const database of ["kept", "deleted"]) {
    const folder = join(t.testdir(), database);
    await filled(folder);
    await writeFile(journalOf(folder), "");
    if (database === "deleted") await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => t.match(log.openReport.lost, /counts/, database));
  }
});

t.test(
  "a new folder has lost nothing, however often it was opened before anything was recorded",
  async (t) => {
    const folder = stateOf(t);
    await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
    await rm(journalOf(folder));
    await withLog(folder, async (log) => t.equal(log.openReport.lost, undefined));
  },
);

t.test("a log that a folder of an earlier version does not have yet is new there, and no loss", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  await rm(join(folder, "tendril.sqlite"));
  const store = await openStore({ folder, relaxed: true });
  const log = await store.log({ ...COUNT_LOG, name: "later" });
  t.equal(log.openReport.lost, undefined);
  t.same(store.warnings, []);
  await log.append(entry(1));
  await store.close();
  await rm(join(folder, "journal", "later.jsonl"));
  const again = await openStore({ folder, relaxed: true });
  t.teardown(() => again.close());
  t.match(
    (await again.log({ ...COUNT_LOG, name: "later" })).openReport.lost,
    /later/,
    "from then on it can be lost",
  );
});

t.test("a folder with records that names no log cannot tell: what is not there was lost", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  await writeFile(join(folder, "journal", "others.jsonl"), await readFile(journalOf(folder), "utf8"));
  await rm(journalOf(folder));
  await rm(join(folder, "tendril.sqlite"));
  await rm(join(folder, "used"));
  await withLog(folder, async (log) => t.match(log.openReport.lost, /counts/));
});

t.test(
  "a log that has records but stands in no mark is marked with the next record of any log",
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    await rm(join(folder, "used"));
    const store = await openStore({ folder, relaxed: true });
    await (await store.log({ ...COUNT_LOG, name: "others" })).append(entry(1));
    await store.close();
    await rm(journalOf(folder));
    await rm(join(folder, "tendril.sqlite"));
    await withLog(folder, async (log) => t.match(log.openReport.lost, /counts/));
  },
);

t.test(
  "a log that cannot be opened leaves no file open",
  { skip: process.platform !== "linux" },
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    await mkdir(`${journalOf(folder)}.end`);
    const store = await openStore({ folder });
    await t.rejects(store.log(KEPT), { code: "STORE_FAILED", message: /counts.jsonl.end/ });
    t.same(
      openFilesIn(folder).filter((file) => file.includes("/journal/")),
      [],
    );
    await store.close();
  },
);

/** A log whose end is kept, as of water. */
const KEPT = { ...COUNT_LOG, keepsEnd: true };

t.test(
  "a log knows where its journal ended without its database, until the loss was acted upon",
  async (t) => {
    for (const relaxed of [false, true]) {
      const folder = join(t.testdir(), String(relaxed));
      const opened = async (work: (log: Awaited<ReturnType<typeof openLog>>["log"]) => Promise<void>) => {
        const store = await openStore({ folder, relaxed });
        await work(await store.log(KEPT)).finally(() => store.close());
      };
      await opened(async (log) => void (await Promise.all([1, 2, 3].map((n) => log.append(entry(n))))));
      const text = await readFile(journalOf(folder), "utf8");
      t.equal(Number(await readFile(`${journalOf(folder)}.end`, "utf8")), text.length);
      await writeFile(journalOf(folder), text.slice(0, text.indexOf("\n") + 1));
      await rm(join(folder, "tendril.sqlite"));
      for (const _ of ["found", "not acted upon yet"])
        await opened(async (log) => void t.match(log.openReport.lost, /counts was cut short/));
      await opened((log) => log.acknowledgeLoss());
      await opened(async (log) => void t.equal(log.openReport.lost, undefined, "without a further line too"));
    }
  },
);

t.test(
  "a start notes where a journal of an older version ends, though nothing is written into it",
  async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    const text = await readFile(journalOf(folder), "utf8");
    const store = await openStore({ folder });
    await store.log(KEPT);
    const noted = async () => Number(await readFile(`${journalOf(folder)}.end`, "latin1"));
    for (let tries = 500; tries > 0 && (await noted()) === 0; tries -= 1) await tick(); // nobody waits for the note
    const killed = `${folder}-killed`;
    await cp(folder, killed, { recursive: true });
    await store.close();
    await rm(join(killed, "tendril.sqlite"));
    await writeFile(journalOf(killed), text.slice(0, text.indexOf("\n") + 1));
    const again = await openStore({ folder: killed });
    t.match((await again.log(KEPT)).openReport.lost, /counts was cut short/);
    await again.close();
  },
);

t.test("the name of the file that notes a journal's end is on the disk with its first number", async (t) => {
  const synced: string[] = [];
  const openJournal: OpenJournalFile = async (file) => {
    const syncName = async () => void synced.push(basename(file));
    return { ...(await openOrCreate(file)), syncName };
  };
  const store = await openStore({ folder: stateOf(t), openJournal });
  const log = await store.log(KEPT);
  for (const n of [1, 2]) await log.append(entry(n));
  await store.close();
  t.same(
    synced.filter((name) => name.endsWith(".end")),
    ["counts.jsonl.end"],
  );
});

t.test("a crash between a line and the note of its end is no loss", async (t) => {
  const folder = stateOf(t);
  const copies: string[] = [];
  const openJournal: OpenJournalFile = async (file) => {
    const { handle, ...opened } = await openOrCreate(file);
    const copying =
      <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        copies.push(`${folder}-${copies.length}`);
        await cp(folder, copies.at(-1) ?? "", { recursive: true });
        return work(...args);
      };
    handle.write = copying(handle.write.bind(handle)) as typeof handle.write;
    handle.datasync = copying(handle.datasync.bind(handle));
    return { ...opened, handle };
  };
  const store = await openStore({ folder, openJournal });
  const log = await store.log(KEPT);
  for (const n of [1, 2]) await log.append(entry(n));
  await store.close();
  t.equal(copies.length, 8, "before each write and each sync");
  for (const crashed of copies) {
    await rm(join(crashed, "tendril.sqlite"));
    const opened = await openStore({ folder: crashed, relaxed: true });
    t.equal((await opened.log(KEPT)).openReport.lost, undefined, crashed);
    await opened.close();
  }
});

t.test(
  "a note of the end that the disk refuses loses no record, is told, and is set by the next",
  async (t) => {
    const folder = stateOf(t);
    const failures: Error[] = [];
    let refuses = true;
    const openJournal: OpenJournalFile = async (file) => {
      const { handle, ...opened } = await openOrCreate(file);
      const write = handle.write.bind(handle) as (...args: unknown[]) => unknown;
      handle.write = (async (...args: unknown[]) => {
        if (refuses && file.endsWith(".end")) throw new Error("EIO");
        return write(...args);
      }) as typeof handle.write;
      return { ...opened, handle };
    };
    const store = await openStore({ folder, openJournal, onFailure: (error) => failures.push(error) });
    const log = await store.log(KEPT);
    t.match(await log.append(entry(1)), { id: 1 });
    while (failures.length === 0) await tick(); // nobody waits for the note
    t.match(failures, [{ code: "STORE_FAILED", message: /counts.jsonl.end/ }]);
    refuses = false;
    await log.append(entry(2));
    const { length } = await readFile(journalOf(folder), "utf8");
    const noted = async () => Number(await readFile(`${journalOf(folder)}.end`, "utf8"));
    while ((await noted()) !== length) await tick();
    await store.close();
  },
);
