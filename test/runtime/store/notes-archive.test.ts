import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { NotesArchive } from "../../../runtime/store/notes-archive.js";

const NOW = Date.parse("2026-06-01T08:00:00.123Z");

t.test("without a note there is nothing, and no time", async (t) => {
  t.same(await new NotesArchive(t.testdir()).current(), { content: "", timestamp: null });
});

t.test("every call leaves a file with the whole note, named by number and time", async (t) => {
  const folder = t.testdir();
  const notes = new NotesArchive(folder);
  t.same(await notes.save("one", "replace", NOW), { content: "one", timestamp: NOW });
  t.same(await notes.save("two", "append", NOW + 1), { content: "one\ntwo", timestamp: NOW + 1 });
  await notes.save("three", "replace", NOW + 2);
  const files = [
    "000001-2026-06-01T08-00-00.123Z.md",
    "000002-2026-06-01T08-00-00.124Z.md",
    "000003-2026-06-01T08-00-00.125Z.md",
  ];
  t.same((await readdir(folder)).sort(), files);
  t.equal(await readFile(join(folder, files[1] ?? ""), "utf8"), "one\ntwo");
  t.same(await notes.current(), { content: "three", timestamp: NOW + 2 });
});

t.test("two notes within a millisecond are two files", async (t) => {
  const folder = t.testdir();
  const notes = new NotesArchive(folder);
  await Promise.all(["a", "b", "c"].map((content) => notes.save(content, "replace", NOW)));
  t.equal((await readdir(folder)).length, 3);
  t.match(await notes.current(), { content: "c" });
});

t.test("notes appended at the same time are all there, in order", async (t) => {
  const notes = new NotesArchive(t.testdir());
  await Promise.all(Array.from({ length: 20 }, (_, n) => notes.save(String(n), "append", NOW)));
  t.equal((await notes.current()).content, Array.from({ length: 20 }, (_, n) => n).join("\n"));
});

t.test("appending to an empty note adds no newline", async (t) => {
  const notes = new NotesArchive(t.testdir());
  await notes.save("", "replace", NOW);
  t.match(await notes.save("first", "append", NOW), { content: "first" });
});

t.test("after a restart, and with the clock set back, the newest note is the last one saved", async (t) => {
  const folder = t.testdir();
  await new NotesArchive(folder).save("old", "replace", NOW);
  await new NotesArchive(folder).save("new", "replace", NOW - 3_600_000);
  t.same(await new NotesArchive(folder).current(), { content: "new", timestamp: NOW - 3_600_000 });
});

t.test("what does not belong to the archive is ignored, what a crash left behind too", async (t) => {
  const folder = t.testdir();
  await new NotesArchive(folder).save("mine", "replace", NOW);
  await writeFile(join(folder, "999999-2026-06-01T08-00-00.123Z.md.tmp"), "torn");
  await writeFile(join(folder, "readme.md"), "a person's");
  await mkdir(join(folder, "old"));
  t.match(await new NotesArchive(folder).current(), { content: "mine" });
});

t.test("a note that a power cut has zeroed hides none before it, and its file stays", async (t) => {
  const folder = t.testdir();
  await new NotesArchive(folder).save("mine", "replace", NOW);
  await writeFile(join(folder, "000002-2026-06-01T08-00-00.124Z.md"), Buffer.alloc(4096));
  const notes = new NotesArchive(folder);
  t.same(await notes.current(), { content: "mine", timestamp: NOW });
  t.match(await notes.save("more", "append", NOW + 2), { content: "mine\nmore" });
  t.same((await readdir(folder)).sort().at(-1)?.slice(0, 6), "000003");
});

t.test("a save that the disk refuses is STORE_FAILED and leaves nothing behind", async (t) => {
  const folder = t.testdir({
    "000001-2026-06-01T08-00-00.123Z.md": "mine",
    "000002-2026-06-01T08-00-00.124Z.md.tmp": {},
  });
  const notes = new NotesArchive(folder);
  await t.rejects(notes.save("x", "replace", NOW + 1), { code: "STORE_FAILED", message: /000002-/ });
  t.match(await notes.current(), { content: "mine" });
});

t.test("a save that fails does not block the next", async (t) => {
  const folder = join(t.testdir(), "notes");
  const notes = new NotesArchive(folder);
  await t.rejects(notes.save("x", "replace", NOW));
  await mkdir(folder);
  t.match(await notes.save("y", "replace", NOW), { content: "y" });
});

t.test("a note of more than a MiB is refused before it is written, appended to or not", async (t) => {
  const folder = t.testdir();
  const notes = new NotesArchive(folder);
  await notes.save("n".repeat(1_000_000), "replace", 1);
  const refusal = { code: "REQUEST_TOO_LARGE", message: /replace it with a shorter one/ };
  await t.rejects(notes.save("n".repeat(100_000), "append", 2), refusal);
  await t.rejects(notes.save("ü".repeat(600_000), "replace", 3), refusal);
  t.equal((await notes.current()).content.length, 1_000_000);
  t.match(await notes.save("short", "replace", 4), { content: "short" });
});

const DAY = 86_400_000;

/** Notes of ten bytes, so many a day. */
async function saveDaily(notes: NotesArchive, days: number, each: number): Promise<void> {
  for (let n = 0; n < days * each; n += 1)
    await notes.save(String(n).padStart(10, "0"), "replace", NOW + Math.floor(n / each) * DAY + (n % each));
}

const sizesIn = async (folder: string) => {
  const names = (await readdir(folder)).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
};

t.test("all notes together have a limit: of each day the last note is kept longest", async (t) => {
  const folder = t.testdir();
  await saveDaily(new NotesArchive(folder, { mostBytes: 50 }), 3, 3);
  t.same(await sizesIn(folder), ["0000000002", "0000000005", "0000000006", "0000000007", "0000000008"]);
});

t.test(
  "where not even a note a day fits, the oldest goes; the newest stays, however long it is",
  async (t) => {
    const folder = t.testdir();
    const notes = new NotesArchive(folder, { mostBytes: 20 });
    await saveDaily(notes, 3, 1);
    t.same(await sizesIn(folder), ["0000000001", "0000000002"]);
    await notes.save("n".repeat(100), "replace", NOW + 3 * DAY);
    t.same(await sizesIn(folder), ["n".repeat(100)]);
    t.match(await notes.current(), { content: "n".repeat(100) });
  },
);

t.test("after a restart the notes of before count too", async (t) => {
  const folder = t.testdir();
  await saveDaily(new NotesArchive(folder), 1, 5);
  await new NotesArchive(folder, { mostBytes: 20 }).save("0000000005", "replace", NOW + DAY);
  t.same(await sizesIn(folder), ["0000000004", "0000000005"]);
});
