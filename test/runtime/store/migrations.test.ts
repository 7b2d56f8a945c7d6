import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { copyDatabase } from "../../../runtime/backup/contents.js";
import { Database } from "../../../runtime/store/database.js";
import { SERIES_LAYOUTS } from "../../../runtime/store/measurements.js";
import { MIGRATIONS, migrate } from "../../../runtime/store/open-database.js";
import { widenIndex } from "../../../runtime/store/rollup-schema.js";
import { openStore } from "../../../runtime/store/store.js";
import { COUNT_LOG } from "./count-log.js";

/** Frozen databases, as each version has written them. Never made anew. */
const FROZEN = join(process.cwd(), "test", "fixtures", "store");
/** The journal that each of them indexes. */
const JOURNAL = [1, 2, 3]
  .map((n) => `{"id":${n},"timestamp":"2026-06-01T00:0${n}:00.000Z","plant":"a","n":${n}}\n`)
  .join("");

async function open(file: string) {
  return Database.open({ file, setup: [] });
}

t.test("a new database gets the newest version", async (t) => {
  const database = await open(join(t.testdir(), "new.sqlite"));
  await migrate(database);
  t.same(await database.get("PRAGMA user_version"), { user_version: MIGRATIONS.length });
  await migrate(database);
  await database.close();
});

/** Tables with their columns, indexes with theirs, and triggers: all that matters of a database but its rows. */
async function formOf(database: Database): Promise<readonly unknown[]> {
  const tables = `SELECT t.name, c.* FROM sqlite_schema t, pragma_table_xinfo(t.name) c
    WHERE t.type = 'table' ORDER BY t.name, cid`;
  const indexes = `SELECT i.tbl_name, i.name, c.* FROM sqlite_schema i, pragma_index_xinfo(i.name) c
    WHERE i.type = 'index' ORDER BY i.name, seqno`;
  const others =
    "SELECT type, name, sql FROM sqlite_schema WHERE type NOT IN ('table', 'index') ORDER BY name";
  return Promise.all([tables, indexes, others].map((sql) => database.all(sql)));
}

t.test("a new database has the form of an old one that was brought up to date", async (t) => {
  const file = await copied(t, "v1.sqlite");
  const [fresh, old] = [await open(join(dirname(file), "new.sqlite")), await open(file)];
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
  await database.script(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  await t.rejects(migrate(database), { code: "STATE_TOO_NEW", message: /run the newer version/ });
  t.same(await database.all("SELECT name FROM sqlite_schema"), []);
  await database.close();
});

t.test("a store that a newer program wrote is refused, not taken for corrupt, and free again", async (t) => {
  const folder = join(t.testdir(), "state");
  await mkdir(folder);
  const database = await open(join(folder, "tendril.sqlite"));
  await database.script("PRAGMA user_version = 999");
  await database.close();
  await t.rejects(openStore({ folder }), { code: "STATE_TOO_NEW" });
  await t.rejects(openStore({ folder }), { code: "STATE_TOO_NEW" }, "and not STATE_IN_USE");
});

t.test("a step that fails leaves the version before it", async (t) => {
  const database = await open(join(t.testdir(), "broken.sqlite"));
  await database.script("CREATE TABLE photos (id INTEGER)");
  await t.rejects(migrate(database), { code: "STORE_FAILED" });
  t.same(await database.get("PRAGMA user_version"), { user_version: 0 });
  t.same(await database.all("SELECT name FROM sqlite_schema WHERE type = 'table'"), [{ name: "photos" }]);
  await database.close();
});

/** Word for word what the version before does. */
const OLDER_INDEX = "CREATE INDEX IF NOT EXISTS measurements_by_time ON measurements (place, quantity, at)";
const NARROW = /\(place, quantity, at\)/;
const WIDE = /\(place,quantity, at, value\)/;
const indexOf = async (database: Database) =>
  (await database.get("SELECT sql FROM sqlite_schema WHERE name = 'measurements_by_time'"))?.sql;

/** As the version before has left it, with three measurements. */
async function withNarrowIndex(t: Test): Promise<Database> {
  const database = await open(await copied(t, "v2.sqlite"));
  t.teardown(() => database.close());
  await migrate(database);
  await database.script(`DROP INDEX measurements_by_time; ${OLDER_INDEX}`);
  for (const at of [1, 2, 3])
    await database.run(
      "INSERT INTO measurements (place, quantity, at, value, unit) VALUES ('a', 'b', ?, 1, 'c')",
      [at],
    );
  return database;
}

t.test(
  "a small database gets the values into its index, and keeps them where the version before opens it",
  async (t) => {
    const database = await withNarrowIndex(t);
    t.match(await indexOf(database), NARROW);
    await migrate(database);
    t.match(await indexOf(database), WIDE);
    await database.script(OLDER_INDEX);
    t.match(await indexOf(database), WIDE);
    t.same(await database.get("PRAGMA integrity_check"), { integrity_check: "ok" });
  },
);

t.test("a large database keeps the index that it has", async (t) => {
  const database = await withNarrowIndex(t);
  const [, air] = SERIES_LAYOUTS;
  if (!air) return t.fail();
  await widenIndex(database, air, 2);
  t.match(await indexOf(database), NARROW);
  await widenIndex(database, air, 3);
  return t.match(await indexOf(database), WIDE);
});

const pageSize = async (file: string) => {
  const database = await open(file);
  const row = await database.get<{ page_size: number }>("PRAGMA page_size");
  await database.close();
  return row?.page_size;
};

t.test(
  "a new database and a backup have small pages; a database of an older version keeps its own",
  async (t) => {
    const folder = join(t.testdir(), "state");
    await (await openStore({ folder })).close();
    t.equal(await pageSize(join(folder, "tendril.sqlite")), 2048);
    const older = await storeWith(t, "v2.sqlite");
    const its = await pageSize(older.file);
    t.not(its, 2048);
    await (await openStore({ folder: older.folder })).close();
    t.equal(await pageSize(older.file), its);
    const copy = join(t.testdirName, "copy.sqlite");
    await copyDatabase(older.folder, copy);
    t.equal(await pageSize(copy), 2048);
  },
);

t.test("there is a frozen database of every version", async (t) => {
  const versions = MIGRATIONS.map((_, step) => `v${step + 1}.sqlite`);
  t.same((await readdir(FROZEN)).sort(), versions);
  for (const [step, name] of versions.entries()) {
    const database = await open(await copied(t, name));
    t.same(await database.get("PRAGMA user_version"), { user_version: step + 1 });
    await database.close();
  }
});

for (const [step] of MIGRATIONS.entries())
  t.test(`a database of version ${step + 1} opens with its rows`, (t) =>
    opensWithItsRows(t, `v${step + 1}.sqlite`),
  );

async function copied(t: Test, name: string): Promise<string> {
  const file = join(t.testdir(), name);
  await copyFile(join(FROZEN, name), file);
  return file;
}

async function opensWithItsRows(t: Test, frozen: string): Promise<void> {
  const folder = join(t.testdir(), "state");
  await mkdir(join(folder, "journal"), { recursive: true });
  await copyFile(join(FROZEN, frozen), join(folder, "tendril.sqlite"));
  await writeFile(join(folder, "journal", "counts.jsonl"), JOURNAL);
  const store = await openStore({ folder });
  const log = await store.log(COUNT_LOG);
  t.same(store.warnings, []);
  t.match(log.openReport, { rebuilt: false, lost: undefined });
  t.match(await log.recent(5, 0, "a"), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  t.match(await log.search("nummer 3", 0), [{ n: 3 }]);
  const at = Date.parse("2026-06-01T00:10:00.000Z");
  const reading = { plant: "a", at, value: 12_000, percent: 41.5, noise: 12.5, level: 1.25 };
  t.same(await store.readings.latest("a", 1), [reading]);
  const query = { hours: 1, samplesPerHour: 1, endMs: at + 3_000_000, plant: "a" };
  t.match(await store.readings.history({ ...query, aggregation: "sum", valueField: "value" }), {
    items: [{ value: 12_000 }],
  });
  const photo = {
    plant: "a",
    at,
    file: "a.jpg",
    light_on: true,
    dark: false,
    width: 640,
    height: 480,
    bytes: 1234,
  };
  t.same(await store.photos.recent(1, 0, "a"), [{ id: 1, ...photo }]);
  await store.close();
}

/** What the version before asks of a database: its number, a sound file, and a look into each table that it knows. */
const VERSION_BEFORE = {
  newest: 2,
  tables: ["records", "journal_positions", "readings", "reading_sums", "photos"],
};

async function storeWith(t: Test, frozen: string) {
  const folder = join(t.testdir(), "state");
  await mkdir(folder, { recursive: true });
  const file = join(folder, "tendril.sqlite");
  await copyFile(join(FROZEN, frozen), file);
  return { folder, file };
}

const at = Date.parse("2026-06-01T00:10:00.000Z");
const MEASURED = { quantity: "air_temperature", place: "kitchen", at, value: 21.5 } as const;

t.test("a database with measurements opens with the version before, and with this one again", async (t) => {
  const { folder, file } = await storeWith(t, "v2.sqlite");
  const store = await openStore({ folder });
  store.measurements.add(MEASURED);
  await store.close();
  const before = await open(file);
  t.same(await before.get("PRAGMA user_version"), { user_version: VERSION_BEFORE.newest });
  t.same(await before.get("PRAGMA quick_check(1)"), { quick_check: "ok" });
  for (const table of VERSION_BEFORE.tables) await before.get(`SELECT * FROM ${table} LIMIT 1`);
  await before.run("INSERT INTO readings VALUES (NULL, 'a', ?, 12001, 41.5, 12.5, 1.25)", [at + 1]);
  await before.close();
  const again = await openStore({ folder });
  t.teardown(() => again.close());
  t.match(await again.readings.latest("a", 1), [{ value: 12_001 }]);
  t.same(await again.measurements.latest("kitchen", "air_temperature", 9), [
    { ...MEASURED, unit: "°C", quality: null },
  ]);
});

t.test("a power cut while the tables of measurements are made leaves a database that opens", async (t) => {
  const { folder, file } = await storeWith(t, "v2.sqlite");
  const cut = await open(file);
  await migrate(cut);
  await cut.script("DROP TABLE measurement_sums");
  await cut.script("DROP INDEX measurements_by_time");
  await cut.close();
  const store = await openStore({ folder });
  t.teardown(() => store.close());
  store.measurements.add(MEASURED);
  t.match(await store.measurements.latest("kitchen", "air_temperature", 1), [MEASURED]);
});
