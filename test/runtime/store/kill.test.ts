import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import t from "tap";
import { openStore } from "../../../runtime/store/store.js";
import { spawnNode } from "../../spawn-node.js";
import { COUNT_LOG } from "./count-log.js";

const APPENDER = join(import.meta.dirname, "appender.js");

/** Runs the appender until it has acknowledged `enough` appends, kills it, and returns all it has acknowledged. */
async function appendAndKill(folder: string, from: number, enough: number): Promise<number[]> {
  const child = spawnNode([APPENDER, folder, String(from)]);
  child.stderr.pipe(process.stderr);
  const exited = once(child, "exit");
  const acknowledged: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(Number(line));
    if (acknowledged.length === enough) child.kill("SIGKILL");
  }
  await exited;
  return acknowledged;
}

t.test("kill -9 loses no acknowledged entry and doubles none, time after time", async (t) => {
  const folder = join(t.testdir(), "state");
  const acknowledged: number[] = [];
  for (const round of [1, 2, 3])
    acknowledged.push(...(await appendAndKill(folder, round * 100_000, 100 * round)));
  const store = await openStore({ folder });
  const log = await store.log(COUNT_LOG);
  const found: number[] = [];
  for await (const { n } of log.all()) found.push(n);
  t.equal(new Set(found).size, found.length, "none is there twice");
  t.same(
    acknowledged.filter((n) => !found.includes(n)),
    [],
    "all acknowledged ones are there",
  );
  t.ok(acknowledged.length >= 600);
  t.ok(found.length <= acknowledged.length + 3 * 3, "at most what was under way is there unacknowledged");
  t.equal(await log.count(), found.length);
  await store.close();
});

t.test("the state folder of a killed runtime is free at once", async (t) => {
  const folder = join(t.testdir(), "state");
  await appendAndKill(folder, 0, 1);
  const store = await openStore({ folder });
  t.same(store.warnings, []);
  await store.close();
});
