import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { hostName, KeptBackups } from "../../../runtime/backup/backup-folder.js";
import { openStore } from "../../../runtime/store/store.js";
import { folderFor } from "./backup-rig.js";

/** What the page is shown of backups, and the one that it asks for. */

async function keptIn(root: string) {
  const state = join(root, "state");
  await (await openStore({ folder: state })).close();
  return new KeptBackups({ state, clock: new SystemClock(), log: () => undefined });
}

t.test("two who ask at once get one backup, and within an hour nobody gets another", async (t) => {
  const kept = await keptIn(await folderFor(t));
  t.same(await kept.list(), []);
  const [one, two] = await Promise.all([kept.make("human"), kept.make("human.anna")]);
  t.equal(one.name, two.name);
  t.same(await kept.list(), [one]);
  await t.rejects(kept.make("human"), { code: "RATE_LIMITED", message: /less than an hour ago/ });
  const file = await kept.open(one.name);
  t.equal((await file.stat()).size, one.bytes);
  await file.close();
});

t.test("nothing is opened but a backup of this machine in the folder, whatever the name says", async (t) => {
  const root = await folderFor(t);
  const kept = await keptIn(root);
  await mkdir(kept.folder);
  const other = "tendril-elsewhere-20261121T031245Z.tar.gz";
  for (const name of [other, "secret"]) await writeFile(join(kept.folder, name), "x");
  for (const name of ["../state/tokens/human", "..%2Fstate", "secret", other, "", "\0"])
    await t.rejects(kept.open(name), { code: "NOT_FOUND" }, name);
  t.same(await kept.list(), []);
});

t.test("a clock that was ahead forbids no backup, and one that fails says why", async (t) => {
  const root = await folderFor(t);
  const kept = await keptIn(root);
  await mkdir(kept.folder);
  await writeFile(join(kept.folder, `tendril-${hostName()}-20990101T000000Z.tar.gz`), "x");
  await rm(join(root, "state"), { recursive: true });
  await t.rejects(kept.make("human"), { code: "BACKUP_FAILED", message: /there is no state folder/ });
});

t.test("however many look at once, one thread of Node's four is asked", async (t) => {
  const kept = await keptIn(await folderFor(t));
  const lists = Array.from({ length: 10 }, () => kept.list());
  await Promise.resolve();
  const asked = process.getActiveResourcesInfo().filter((each) => each === "FSReqPromise");
  t.equal(asked.length, 1);
  for (const list of await Promise.all(lists)) t.same(list, []);
});
