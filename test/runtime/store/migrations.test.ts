import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { extract } from "tar";
import { copyDatabase } from "../../../runtime/backup/contents.js";
import { Database } from "../../../runtime/store/database.js";
import { FORM, migrate } from "../../../runtime/store/open-database.js";
import { openStore } from "../../../runtime/store/store.js";

const DATABASE = "tendril.sqlite";

const open = (file: string) => Database.open({ file, setup: [] });

/** A state folder of the oldest form that can be opened: test/fixtures/state/README.md. */
async function formerFolder(t: Test): Promise<string> {
  const folder = join(t.testdir(), "state");
  await mkdir(folder);
  await extract({ file: "test/fixtures/state/backup.tar.gz", cwd: folder });
  return folder;
}

const formerDatabase = async (t: Test) => join(await formerFolder(t), DATABASE);

t.test("a new database gets the newest form", async (t) => {
  const database = await open(join(t.testdir(), "new.sqlite"));
  await migrate(database);
  t.same(await database.get("PRAGMA user_version"), { user_version: FORM });
  await migrate(database);
  await database.close();
});

/** Tables with their columns, indexes with theirs, and triggers: all that matters of a database but its rows. */
async function formOf(database: Database): Promise<readonly unknown[]> {
  const tables = `SELECT t.name, c.* FROM sqlite_schema t, pragma_table_xinfo(t.name) c
    WHERE t.type = 'table' ORDER BY t.name, cid`;
  const indexes = `SELECT i.tbl_name, i.name, c.* FROM sqlite_schema i, pragma_index_xinfo(i.name) c
    WHERE i.type = 'index' AND i.sql NOT LIKE '%WHERE log%' ORDER BY i.name, seqno`;
  const others =
    "SELECT type, name, sql FROM sqlite_schema WHERE type NOT IN ('table', 'index') ORDER BY name";
  return Promise.all([tables, indexes, others].map((sql) => database.all(sql)));
}

t.test("a new database has the form of an old one that was brought up to date", async (t) => {
  const file = await formerDatabase(t);
  const [fresh, old] = [await open(join(dirname(file), "new.sqlite")), await open(file)];
  t.notSame(await old.get("PRAGMA user_version"), { user_version: FORM });
  for (const each of [fresh, old]) await migrate(each);
  const [tables, indexes, triggers] = await formOf(fresh);
  t.match(tables, [{}, {}]);
  t.match(indexes, [{}]);
  t.match(triggers, [{}]);
  t.same([tables, indexes, triggers], await formOf(old));
  for (const each of [fresh, old]) await each.close();
});

t.test("a database that a newer program wrote is refused and left alone", async (t) => {
  const database = await open(join(t.testdir(), "newer.sqlite"));
  await database.script(`PRAGMA user_version = ${FORM + 1}`);
  await t.rejects(migrate(database), { code: "STATE_TOO_NEW", message: /run the newer version/ });
  t.same(await database.all("SELECT name FROM sqlite_schema"), []);
  await database.close();
});

t.test("a store that a newer program wrote is refused, not taken for corrupt, and free again", async (t) => {
  const folder = join(t.testdir(), "state");
  await mkdir(folder);
  const database = await open(join(folder, DATABASE));
  await database.script("PRAGMA user_version = 999");
  await database.close();
  await t.rejects(openStore({ folder }), { code: "STATE_TOO_NEW" });
  await t.rejects(openStore({ folder }), { code: "STATE_TOO_NEW" }, "and not STATE_IN_USE");
});

t.test(
  "a database of before the oldest form, or that is not complete yet, is refused and left alone",
  async (t) => {
    const file = await formerDatabase(t);
    const [database, unfinished] = [await open(join(dirname(file), "older.sqlite")), await open(file)];
    await database.script("CREATE TABLE photos (id INTEGER); PRAGMA user_version = 1");
    await unfinished.run("DELETE FROM days_built WHERE name = 'reading_days'");
    for (const each of [database, unfinished]) {
      const before = await formOf(each);
      await t.rejects(migrate(each), { code: "STATE_TOO_OLD", message: /run Tendril of 2026-11-26/ });
      t.same(await formOf(each), before);
      await each.close();
    }
  },
);

t.test("a step that fails leaves the form before it", async (t) => {
  const database = await open(await formerDatabase(t));
  await database.script("DROP TRIGGER measurement_sums_extremes_INSERT");
  const before = await formOf(database);
  await t.rejects(migrate(database), { code: "STORE_FAILED" });
  t.same(await database.get("PRAGMA user_version"), { user_version: 2 });
  t.same(await formOf(database), before);
  await database.close();
});

const pageSize = async (file: string) => {
  const database = await open(file);
  const row = await database.get<{ page_size: number }>("PRAGMA page_size");
  await database.close();
  return row?.page_size;
};

t.test("a new database and a backup have small pages; one with larger pages keeps its own", async (t) => {
  const folder = await formerFolder(t);
  const file = join(folder, DATABASE);
  t.equal(await pageSize(file), 2048, "a backup");
  const database = await open(file);
  await database.script("PRAGMA page_size = 4096");
  const large = join(t.testdirName, "large.sqlite");
  await database.run("VACUUM INTO ?", [large]);
  await database.close();
  await copyFile(large, file);
  await (await openStore({ folder })).close();
  t.equal(await pageSize(file), 4096);
  const copy = join(t.testdirName, "copy.sqlite");
  await copyDatabase(folder, copy);
  t.equal(await pageSize(copy), 2048);
  await rm(file);
  await (await openStore({ folder })).close();
  t.equal(await pageSize(file), 2048, "a new one");
});

t.test("rows that come after the step are in slots and days, with those from before", async (t) => {
  const folder = await formerFolder(t);
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  const [last] = await store.measurements.latest("kitchen", "air_temperature", 1);
  const at = (last?.at ?? 0) + 1000;
  store.measurements.add({ place: "kitchen", quantity: "air_temperature", at, value: 84 });
  await store.measurements.flush();
  const ask = (aggregation: "count" | "max" | "min") =>
    store.measurements.history(
      {
        hours: 240,
        samplesPerHour: 1 / 120,
        aggregation,
        endMs: at + 3_600_000,
        valueField: "temperature_c",
      },
      { place: "kitchen", fields: { temperature_c: "air_temperature" } },
    );
  const { coverage, items } = await ask("max");
  t.ok(coverage.records > 10, `${coverage.records} rows`);
  t.equal(items.at(-1)?.value, 84);
  const least = (await ask("min")).items.at(-1)?.value as number;
  t.ok(least > 10 && least < 84, `${least}`);
});
