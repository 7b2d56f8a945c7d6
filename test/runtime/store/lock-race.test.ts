import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { uniform } from "../../../drivers/bench/math.js";
import { Database } from "../../../runtime/store/database.js";

const CONTENDER = join(import.meta.dirname, "lock-contender.js");
const PROCESSES = 5;
const ROUNDS = 40;

/** What each of them says to a message that all get at once. */
async function allSay(children: readonly ChildProcess[], message: string): Promise<string[]> {
  const said = children.map(async (child) => String((await once(child, "message"))[0]));
  for (const child of children) child.send(message);
  return Promise.all(said);
}

async function contenders(): Promise<ChildProcess[]> {
  const env = { ...process.env, NODE_OPTIONS: "" }; // tap's hooks are of no use there
  const children = Array.from({ length: PROCESSES }, () => fork(CONTENDER, { env, execArgv: [] }));
  await Promise.all(children.map((child) => once(child, "message")));
  return children;
}

/** A database of SQLite's own, whole. */
async function genuine(file: string): Promise<void> {
  const database = await Database.open({ file, setup: ["PRAGMA journal_mode = WAL"] });
  await database.script("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000))");
  await database.close();
}

t.test(
  "whatever the lock's file holds, of many processes that start at once at most one owns the folder",
  async (t) => {
    const folder = t.testdir();
    const file = join(folder, "lock.sqlite");
    const bytes = (length: number) =>
      Buffer.from(Array.from({ length }, (_, at) => Math.floor(uniform(7, at) * 256)));
    const whole = join(folder, "whole.sqlite");
    await genuine(whole);
    const database = await readFile(whole);
    const garbage: readonly (() => Buffer)[] = [
      () => bytes(5000),
      () => bytes(10),
      () => Buffer.alloc(8192),
      () => database.subarray(0, 4096),
      () => database.subarray(0, 100),
      () => Buffer.alloc(0),
    ];
    const children = await contenders();
    t.teardown(() => children.map((child) => child.kill("SIGKILL")));
    const owners: number[] = [];
    const others: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const end of ["-wal", "-shm", "-journal"]) await rm(file + end, { force: true });
      await writeFile(file, garbage[round % garbage.length]?.() ?? "");
      const said = await allSay(children, folder);
      owners.push(said.filter((each) => each === "owner").length);
      others.push(...said.filter((each) => each !== "owner"));
      await allSay(children, "");
    }
    t.same(
      owners.filter((count) => count > 1),
      [],
      "never two",
    );
    t.ok(owners.filter((count) => count === 1).length > ROUNDS / 2, "and mostly one");
  },
);

t.test("a folder in the place of the lock's file is refused, and nobody owns anything", async (t) => {
  const folder = t.testdir();
  await mkdir(join(folder, "lock.sqlite"));
  const children = await contenders();
  t.teardown(() => children.map((child) => child.kill("SIGKILL")));
  t.same(new Set(await allSay(children, folder)), new Set(["STORE_FAILED"]));
});
