import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { uniform } from "../../../drivers/bench/math.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours } from "../../../drivers/units.js";
import { readArchive } from "../../../runtime/backup/archive.js";
import {
  assertFreeSpace,
  backupName,
  backupsIn,
  newestBackup,
} from "../../../runtime/backup/backup-folder.js";
import { contentsOf, verifyBackup } from "../../../runtime/backup/contents.js";
import { FORM } from "../../../runtime/store/open-database.js";
import { type Rig, rigFor } from "../../rig.js";
import { thought } from "../../thought.js";
import { backupOf, folderFor, killedAt, STEPPER, treeOf } from "./backup-rig.js";

/** A runtime that has lived a little, and runs. */
async function lived(t: Test): Promise<Rig> {
  const rig = await rigFor(t);
  await rig.water(15, { as: "human" });
  await rig.get("send_message_to_human", { message: "all well" });
  await rig.get("save_notes", { content: "a note", mode: "replace" });
  return rig;
}

async function membersOf(file: string): Promise<ReadonlyMap<string, string>> {
  const members = new Map<string, string>();
  await readArchive(file, async ({ name }, content) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    members.set(name, Buffer.concat(chunks).toString());
  });
  return members;
}

t.test(
  "a backup of a running runtime holds what it has acknowledged, and its own account of that",
  async (t) => {
    const rig = await lived(t);
    await writeFile(join(rig.state, "tendril.yaml"), "plants: [{ id: basil }]\n");
    await mkdir(join(rig.state, "tokens"));
    await writeFile(join(rig.state, "tokens", "agent"), "a".repeat(43));
    const { file, manifest } = await backupOf(rig.state, await folderFor(t));
    const members = await membersOf(file);
    t.match(members.get("journal/water.jsonl"), /"kind":"intent".*"ml":15/);
    t.match(members.get("journal/messages.jsonl"), /all well/);
    t.ok([...members.keys()].some((name) => /^notes\/.*\.md$/.test(name)));
    t.equal(members.get("tendril.yaml"), "plants: [{ id: basil }]\n");
    t.equal(members.get("tokens/agent"), "a".repeat(43));
    t.equal(members.get("tendril.sqlite")?.slice(0, 15), "SQLite format 3");
    t.equal([...members.keys()].at(-1), "manifest.json");
    t.match(manifest, { format: 1, host: "here", database_version: FORM, records: { messages: 1 } });
    t.equal((await stat(file)).mode & 0o777, 0o600, "for its owner alone: it holds the tokens");
    t.same(await verifyBackup(file), manifest);
    t.strictSame((await readdir(join(file, ".."))).length, 1, "nothing else is left there");
  },
);

t.test(
  "what belongs to the running process or to this machine is not in it, and pictures only when asked",
  async (t) => {
    const rig = await lived(t);
    await rig.get("capture_photo");
    for (const name of ["runtime.json", "relays.off", "trial", "used.tmp", "tendril.sqlite.corrupt-1"])
      await writeFile(join(rig.state, name), "x");
    await mkdir(join(rig.state, "agent", "runs"), { recursive: true });
    await writeFile(join(rig.state, "agent", "runs", "0.jsonl"), "a whole conversation");
    await mkdir(join(rig.state, "before-restore-20260101T000000Z"));
    await writeFile(join(rig.state, "before-restore-20260101T000000Z", "used"), "x");
    const without = await backupOf(rig.state, await folderFor(t));
    const plain = await membersOf(without.file);
    t.same(without.manifest.left_out, [], "pictures are not missing from it");
    const tops = new Set([...plain.keys()].map((name) => name.split("/")[0]));
    t.strictSame([...tops].sort(), [
      "bench.json",
      "care.json",
      "journal",
      "manifest.json",
      "notes",
      "photo-link.key",
      "tendril.sqlite",
      "used",
    ]);
    const { file } = await backupOf(rig.state, await folderFor(t), { photos: true });
    const [picture] = await readdir(join(rig.state, "photos"));
    t.match((await membersOf(file)).get(`photos/${picture}`), /JFIF/);
  },
);

t.test(
  "what allows less is read before what it goes with, as the runtime may write between two reads",
  async (t) => {
    const state = await folderFor(t);
    await mkdir(join(state, "journal"));
    const names = [
      "used",
      ...["control.jsonl.end", "control.jsonl.lost", "light.jsonl.end", "water.jsonl.end"],
      ...["control.jsonl", "calls.jsonl", "light.jsonl", "water.jsonl"],
    ].map((name) => (name === "used" ? name : join("journal", name)));
    for (const name of names.toReversed()) await writeFile(join(state, name), "");
    t.same((await contentsOf(state, false)).names, names);
  },
);

t.test("a journal ends with its last whole line, and a link is left out and said", async (t) => {
  const rig = await lived(t);
  await rig.stop();
  await appendFile(join(rig.state, "journal", "messages.jsonl"), '{"id":2,"half');
  await symlink("/etc/passwd", join(rig.state, "passwd"));
  const { file, manifest } = await backupOf(rig.state, await folderFor(t));
  t.match((await membersOf(file)).get("journal/messages.jsonl"), /^\{"id":1.*\}\n$/);
  t.same(manifest.left_out, ["passwd"]);
  t.notOk((await membersOf(file)).has("passwd"));
});

t.test(
  "making one changes nothing of the state, whether a runtime has it, had it, or died on it",
  async (t) => {
    const rig = await lived(t);
    const to = await folderFor(t);
    await rig.stop();
    const before = await treeOf(rig.state);
    await backupOf(rig.state, to);
    t.same(await treeOf(rig.state), before, "no write-ahead log is left, which would look like a crash");
    const wal = join(rig.state, "tendril.sqlite-wal");
    await writeFile(wal, "what a crash has left");
    await backupOf(rig.state, to);
    t.equal(await readFile(wal, "utf8"), "what a crash has left");
  },
);

t.test("so many stay as were asked for: older ones of this machine go, nothing else does", async (t) => {
  const rig = await lived(t);
  const to = await folderFor(t);
  const others = [
    "tendril-there-20200101T000000Z.tar.gz",
    "tendril-here-20200101T000000Z.tar.gz.part",
    "letter.txt",
  ];
  for (const name of others) await writeFile(join(to, name), "x");
  const clock = new SimulatedClock();
  for (let day = 0; day < 5; day += 1, clock.stepWall(hours(24)))
    await backupOf(rig.state, to, { keep: 3, clock });
  const names = (await backupsIn(to, "here")).map(({ at }) => new Date(at).toISOString().slice(0, 10));
  t.same(names, ["2026-06-05", "2026-06-04", "2026-06-03"]);
  for (const name of others) t.ok((await readdir(to)).includes(name), name);
  t.match(await newestBackup(to), { host: "here", at: Date.parse("2026-06-05T08:00:00Z") });
  t.equal(await newestBackup(join(to, "nowhere")), undefined);
});

t.test("the newest stays, whatever the clock said, and two of one second are two", async (t) => {
  const rig = await lived(t);
  const to = await folderFor(t);
  await backupOf(rig.state, to, { keep: 1 });
  const clock = new SimulatedClock("1970-01-01T00:00:00.000Z");
  const { file, removed } = await backupOf(rig.state, to, { keep: 1, clock });
  t.equal(removed.length, 1);
  t.same(
    (await backupsIn(to)).map((each) => each.file),
    [file],
  );
  await backupOf(rig.state, to, { clock });
  t.equal((await backupsIn(to)).length, 2);
});

t.test("where there is no room nothing is written", async (t) => {
  await t.rejects(assertFreeSpace(await folderFor(t), Number.MAX_SAFE_INTEGER), { code: "NO_ROOM" });
});

for (const [what, kilobytes] of [
  ["the copy of the database", 32],
  ["the backup itself", 100],
] as const)
  t.test(`a disk that has no room for ${what} is left as it was`, async (t) => {
    const rig = await lived(t);
    const noise = Array.from({ length: 300_000 }, (_, n) => uniform(1, n) * 256);
    await writeFile(join(rig.state, "notes", "noise"), Buffer.from(noise));
    await rig.stop();
    const to = await folderFor(t);
    await writeFile(join(to, "tendril-here-20200101T000000Z.tar.gz"), "x");
    // tap's own hooks (NODE_OPTIONS) would die of the limit's signal
    const script = `unset NODE_OPTIONS && ulimit -f ${kilobytes} && exec "$0" "$@"`;
    const args = [process.execPath, STEPPER, "", "backup", rig.state, to];
    await t.rejects(promisify(execFile)("bash", ["-c", script, ...args]), /EFBIG|SQLITE_FULL|SQLITE_IOERR/);
    t.same(await readdir(to), ["tendril-here-20200101T000000Z.tar.gz"]);
  });

t.test(
  "killed at whatever step, there is a whole backup or none, and the next clears what is left",
  async (t) => {
    const rig = await lived(t);
    await rig.stop();
    const steps: string[] = [];
    const onStep = (step: string) => void steps.push(step);
    await backupOf(rig.state, await folderFor(t), { onStep });
    t.ok(steps.length > 5, steps.join(" "));
    for (const step of steps) {
      const to = await folderFor(t);
      await killedAt(step, "backup", rig.state, to);
      for (const { file } of await backupsIn(to)) await verifyBackup(file);
      const { file } = await backupOf(rig.state, to);
      await verifyBackup(file);
      t.same(
        (await readdir(to)).filter((name) => name.startsWith(".")),
        [],
        step,
      );
    }
  },
);

t.test("beside a restore that was interrupted there is nothing to back up", async (t) => {
  const state = await folderFor(t);
  await writeFile(join(state, "restore.json"), "{}");
  await t.rejects(backupOf(state, await folderFor(t)), { code: "RESTORE_UNFINISHED" });
  await t.rejects(backupOf(join(state, "nowhere"), state), { code: "INVALID_ARGUMENT" });
});

t.test("a rig that goes on while backups are made loses nothing of what was answered before", async (t) => {
  const rig = await lived(t);
  const to = await folderFor(t);
  for (let n = 0; n < 3; n += 1) {
    await rig.get("log_thought", thought(`before ${n}`));
    const making = backupOf(rig.state, to);
    const meanwhile = Array.from({ length: 20 }, (_, i) =>
      rig.get("log_thought", thought(`meanwhile ${n} ${i}`)),
    );
    const text = (await membersOf((await making).file)).get("journal/thoughts.jsonl") ?? "";
    await Promise.all(meanwhile);
    for (let earlier = 0; earlier <= n; earlier += 1) t.match(text, new RegExp(`"before ${earlier}"`));
    t.match(text, /\}\n$/);
    await rig.pass(hours(1));
  }
});

t.test(
  "where nothing has run yet there is nothing to back up, and no file that looks like one",
  async (t) => {
    const to = await folderFor(t);
    await t.rejects(backupOf(await folderFor(t), to), {
      message: /nothing to back up: no runtime has run on/,
    });
    t.same(await readdir(to), []);
  },
);

t.test("of one second's backups the last that was made is the newest, also the tenth", async (t) => {
  const to = await folderFor(t);
  const iso = "2026-11-21T03:12:45.678Z";
  for (const nth of [10, 1, 2]) await writeFile(join(to, backupName("here", iso, nth)), "");
  const names = (await backupsIn(to)).map(({ file }) => basename(file));
  t.same(
    names,
    [10, 2, 1].map((nth) => backupName("here", iso, nth)),
  );
});
