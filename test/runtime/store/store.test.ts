import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Database } from "../../../runtime/store/database.js";
import { openDatabase } from "../../../runtime/store/open-database.js";
import { openStore } from "../../../runtime/store/store.js";
import { spawnNode } from "../../spawn-node.js";
import { COUNT_LOG } from "./count-log.js";

const stateOf = (t: Test) => join(t.testdir(), "state");
const entry = (n: number) => ({ timestamp: new Date(n).toISOString(), n });
const READING = { plant: "a", at: 1000, value: 12_000, percent: 40, noise: 10, level: 1 };

async function filled(folder: string): Promise<void> {
  const store = await openStore({ folder });
  const log = await store.log(COUNT_LOG);
  for (const n of [1, 2, 3]) await log.append(entry(n));
  store.readings.add(READING);
  await store.notes.save("note", "replace", 1000);
  await store.close();
}

t.test("the database is its owner's alone, also in a folder that others may look into", async (t) => {
  const folder = stateOf(t);
  await mkdir(folder, { mode: 0o755 });
  await filled(folder);
  const file = join(folder, "tendril.sqlite");
  const mode = async (name: string) => (await stat(name)).mode & 0o777;
  t.equal(await mode(file), 0o600);
  await chmod(file, 0o644);
  const store = await openStore({ folder });
  store.readings.add(READING);
  t.equal(await mode(file), 0o600, "one of an earlier version is mended");
  for (const name of await readdir(folder))
    if (name.startsWith("tendril.sqlite")) t.equal(await mode(join(folder, name)), 0o600, name);
  await store.close();
});

t.test("a new folder is made with room for everything, for its owner alone", async (t) => {
  const folder = stateOf(t);
  const store = await openStore({ folder });
  t.equal(store.folder, folder);
  t.same(store.warnings, []);
  await store.close();
  t.strictSame((await readdir(folder)).sort(), [
    ".lock.twin",
    "journal",
    "lock.sqlite",
    "notes",
    "photos",
    "tendril.sqlite",
  ]);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
});

t.test("what was stored is there after a restart", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const store = await openStore({ folder });
  t.match(await (await store.log(COUNT_LOG)).recent(5, 0), [{ n: 1 }, { n: 2 }, { n: 3 }]);
  t.same(await store.readings.latest("a", 1), [READING]);
  t.match(await store.notes.current(), { content: "note" });
  await store.close();
});

t.test("a folder has one store at a time, and the second changes nothing", async (t) => {
  const folder = stateOf(t);
  const store = await openStore({ folder });
  await t.rejects(openStore({ folder }), { code: "STATE_IN_USE" });
  const log = await store.log(COUNT_LOG);
  t.match(await log.append(entry(1)), { id: 1 });
  await store.close();
  await (await openStore({ folder })).close();
});

for (const [kind, damage] of Object.entries({
  "a file that is no database": (bytes: Buffer) =>
    Buffer.from("this is not a database".repeat(500)).subarray(0, bytes.length),
  "a header from elsewhere": (bytes: Buffer) => Buffer.concat([Buffer.alloc(100, 7), bytes.subarray(100)]),
})) {
  t.test(`${kind} is set aside, the logs are rebuilt, and what is lost is said`, async (t) => {
    const folder = stateOf(t);
    await filled(folder);
    const file = join(folder, "tendril.sqlite");
    const damaged = damage(await readFile(file));
    await writeFile(file, damaged);
    const store = await openStore({ folder });
    t.match(store.warnings, [/corrupt.*tendril\.sqlite\.corrupt-1; logs are rebuilt .*readings.*lost/]);
    t.match(await (await store.log(COUNT_LOG)).recent(5, 0), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    t.same(await store.readings.latest("a", 1), []);
    t.same(await readFile(`${file}.corrupt-1`), damaged);
    await store.close();
  });
}

t.test("after a crash damage inside the database is found at the start", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const file = join(folder, "tendril.sqlite");
  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xee)]));
  await writeFile(`${file}-wal`, "cut off"); // left by a process that was killed
  const store = await openStore({ folder });
  t.match(store.warnings, [/corrupt-1/]);
  t.equal(await (await store.log(COUNT_LOG)).count(), 3);
  await store.close();
});

t.test("a reader that outlives the runtime, and is killed, is no crash of the runtime's", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const store = await openStore({ folder });
  store.readings.add({ ...READING, at: 2000 });
  await store.readings.flush();
  const log = join(folder, "tendril.sqlite-wal");
  t.ok((await stat(log)).size > 0, "while it runs the log has something in it");
  const reader = spawnNode([
    "--input-type=module",
    "--eval",
    `import sqlite3 from ${JSON.stringify(import.meta.resolve("sqlite3"))};
     const opened = new sqlite3.Database(${JSON.stringify(join(folder, "tendril.sqlite"))}, sqlite3.OPEN_READONLY);
     opened.all("SELECT count(*) FROM readings", () => console.log("read"));
     setInterval(() => opened, 1000);`,
  ]);
  await once(reader.stdout, "data");
  await store.close();
  reader.kill("SIGKILL");
  await once(reader, "close");
  t.equal((await stat(log)).size, 0, "what is left tells of a good end");
  const again = await openStore({ folder });
  t.same(again.warnings, []);
  t.match(await again.readings.latest("a", 1), [{ at: 2000 }], "and nothing is lost");
  await again.close();
});

t.test("the log goes into the database after 4 MB", async (t) => {
  const folder = stateOf(t);
  await mkdir(folder, { recursive: true });
  const { database } = await openDatabase(folder, false);
  t.match(await database.get("PRAGMA page_size"), { page_size: 2048 });
  t.match(await database.get("PRAGMA wal_autocheckpoint"), { wal_autocheckpoint: 2000 });
  await database.close();
});

t.test("a table that cannot be read is found without any sign of a crash", async (t) => {
  const folder = stateOf(t);
  await filled(folder);
  const file = join(folder, "tendril.sqlite");
  const bytes = await readFile(file);
  const database = await Database.open({ file, setup: [] });
  const root = await database.get<{ rootpage: number }>(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'readings'",
  );
  await database.close();
  const page = (root?.rootpage ?? 0) - 1;
  await writeFile(
    file,
    Buffer.concat([bytes.subarray(0, page * 4096), Buffer.alloc(4096), bytes.subarray((page + 1) * 4096)]),
  );
  const store = await openStore({ folder });
  t.match(store.warnings, [/corrupt-1/]);
  await store.close();
});

t.test("a second corrupt database does not overwrite the first", async (t) => {
  const folder = stateOf(t);
  for (const round of [1, 2]) {
    await filled(folder);
    await writeFile(join(folder, "tendril.sqlite"), `garbage of round ${round} `.repeat(100));
  }
  const store = await openStore({ folder });
  await store.close();
  t.match(await readFile(join(folder, "tendril.sqlite.corrupt-1"), "utf8"), /round 1/);
  t.match(await readFile(join(folder, "tendril.sqlite.corrupt-2"), "utf8"), /round 2/);
});

t.test("a relaxed store keeps the same things", async (t) => {
  const folder = stateOf(t);
  const store = await openStore({ folder, relaxed: true });
  await (await store.log(COUNT_LOG)).append(entry(1));
  await store.close();
  const again = await openStore({ folder });
  t.equal(await (await again.log(COUNT_LOG)).count(), 1);
  await again.close();
});

t.test("a folder that cannot be made is named", async (t) => {
  const file = join(t.testdir({ file: "" }), "file");
  await t.rejects(openStore({ folder: join(file, "state") }), {
    code: "STORE_FAILED",
    message: /the state folder .*state/,
  });
});
