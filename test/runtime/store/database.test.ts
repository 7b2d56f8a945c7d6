import { join } from "node:path";
import t, { type Test } from "tap";
import { Database, sqliteCode } from "../../../runtime/store/database.js";

async function open(t: Test, setup: readonly string[] = []) {
  const database = await Database.open({ file: join(t.testdir(), "test.sqlite"), setup });
  t.teardown(() => database.close());
  await database.script("CREATE TABLE numbers (n INTEGER PRIMARY KEY)");
  return database;
}

t.test("rows come back as they were bound", async (t) => {
  const database = await open(t);
  t.equal(await database.run("INSERT INTO numbers VALUES (?), (?)", [1, Date.parse("2026-06-01")]), 2);
  t.same(await database.all("SELECT n, typeof(n) AS type FROM numbers"), [
    { n: 1, type: "integer" },
    { n: 1780272000000, type: "integer" },
  ]);
  t.same(await database.get("SELECT n FROM numbers WHERE n = ?", [1]), { n: 1 });
  t.equal(await database.get("SELECT n FROM numbers WHERE n = ?", [7]), undefined);
});

t.test("a transaction that rejects leaves nothing behind", async (t) => {
  const database = await open(t);
  const failing = database.transaction(async (queries) => {
    await queries.run("INSERT INTO numbers VALUES (1)");
    throw new Error("changed my mind");
  });
  await t.rejects(failing, { message: "changed my mind" });
  t.same(await database.all("SELECT n FROM numbers"), []);
});

t.test("nobody else's query gets into a transaction", async (t) => {
  const database = await open(t);
  const undone = database.transaction(async (queries) => {
    await queries.run("INSERT INTO numbers VALUES (1)");
    await queries.run("INSERT INTO numbers VALUES (1)");
  });
  const other = database.run("INSERT INTO numbers VALUES (2)");
  await t.rejects(undone, { code: "STORE_FAILED" });
  await other;
  t.same(await database.all("SELECT n FROM numbers"), [{ n: 2 }], "what came in between was not rolled back");
});

t.test("an error of SQLite is STORE_FAILED with its cause, and the next query works", async (t) => {
  const database = await open(t);
  const failure = await database.run("INSERT INTO nowhere VALUES (1)").catch((error: unknown) => error);
  t.match(failure, { code: "STORE_FAILED", message: /test\.sqlite.*no such table: nowhere/ });
  t.equal(sqliteCode(failure), "SQLITE_ERROR");
  await database.script("CREATE TABLE nowhere (n INTEGER)");
  t.equal(
    await database.run("INSERT INTO nowhere VALUES (1)"),
    1,
    "a text that failed to compile is compiled anew",
  );
});

t.test("a file that cannot be opened is named", async (t) => {
  const file = join(t.testdir(), "missing", "test.sqlite");
  await t.rejects(Database.open({ file, setup: [] }), {
    code: "STORE_FAILED",
    message: /missing\/test\.sqlite/,
  });
});

t.test("closing waits for what is queued", async (t) => {
  const file = join(t.testdir(), "test.sqlite");
  const database = await Database.open({ file, setup: ["CREATE TABLE numbers (n INTEGER)"] });
  const writes = [1, 2, 3].map((n) => database.run("INSERT INTO numbers VALUES (?)", [n]));
  await database.close();
  t.same(await Promise.all(writes), [1, 1, 1]);
});
