import { appendFile, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { Journal, openOrCreate } from "../../../runtime/store/journal.js";
import type { JournalLine } from "../../../runtime/store/journal-lines.js";

const entry = (n: number) => ({ timestamp: "2026-06-01T08:00:00.000Z", n });

async function linesOf(journal: Journal, from = 0): Promise<JournalLine[]> {
  const lines: JournalLine[] = [];
  for await (const line of journal.read(from)) lines.push(line);
  return lines;
}

const idsOf = (lines: readonly JournalLine[]) => lines.map((line) => ("id" in line ? line.id : "damaged"));

t.test("the name of a new journal is durable before anybody hears of its first line", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  const done: string[] = [];
  let refuses = true;
  const openFile = async (file: string) => {
    const { syncName = () => t.fail("it is there already"), ...opened } = await openOrCreate(file);
    const slow = async () => {
      await syncName();
      if (refuses) throw new Error("the folder cannot be synced");
      done.push("name");
    };
    return { ...opened, syncName: slow };
  };
  const { journal } = await Journal.open({ file, openFile });
  t.teardown(() => journal.close());
  await t.rejects(journal.append(entry(1)), { message: /the folder cannot be synced/ });
  t.equal(await readFile(file, "utf8"), "");
  refuses = false;
  for (const n of [1, 2]) done.push(`line ${await journal.append(entry(n))}`);
  t.same(done, ["name", "line 1", "line 2"]);
});

t.test("a journal that is not there is made, and one that is there goes on where it was", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  const first = await Journal.open({ file });
  t.same(first.report, { created: true, tail: undefined });
  t.equal(await first.journal.append(entry(1)), 1);
  await first.journal.close();
  const second = await Journal.open({ file });
  t.same(second.report, { created: false, tail: undefined });
  t.equal(await second.journal.append(entry(2)), 2);
  t.equal(
    await readFile(file, "utf8"),
    '{"id":1,"timestamp":"2026-06-01T08:00:00.000Z","n":1}\n{"id":2,"timestamp":"2026-06-01T08:00:00.000Z","n":2}\n',
  );
  await second.journal.close();
});

t.test("what append has resolved is in the file", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  const { journal } = await Journal.open({ file });
  await journal.append(entry(1));
  t.match(await readFile(file, "utf8"), /"n":1}\n$/);
  t.equal((await stat(file)).size, journal.size);
  await journal.close();
});

t.test("appends at the same time keep their order and numbers", async (t) => {
  const { journal } = await Journal.open({ file: join(t.testdir(), "test.jsonl") });
  const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => journal.append(entry(n))));
  t.same(
    ids,
    Array.from({ length: 100 }, (_, n) => n + 1),
  );
  const lines = await linesOf(journal);
  t.same(
    lines.map((line) => "entry" in line && line.entry.n),
    Array.from({ length: 100 }, (_, n) => n),
  );
  await journal.close();
});

t.test("reading goes on from the end of any line", async (t) => {
  const { journal } = await Journal.open({ file: join(t.testdir(), "test.jsonl") });
  for (const n of [1, 2, 3]) await journal.append(entry(n));
  const [first] = await linesOf(journal);
  t.same(idsOf(await linesOf(journal, first?.end)), [2, 3]);
  t.same(await linesOf(journal, journal.size), []);
  await journal.close();
});

t.test("a line longer than any buffer is read whole, umlauts and all", async (t) => {
  const { journal } = await Journal.open({ file: join(t.testdir(), "test.jsonl") });
  const text = "Blüte 🌱 ".repeat(30_000);
  await journal.append({ ...entry(1), text } as ReturnType<typeof entry>);
  await journal.append(entry(2));
  const [long, short] = await linesOf(journal);
  t.equal(long && "entry" in long && long.entry.text, text);
  t.match(short, { id: 2 });
  await journal.close();
});

t.test("a torn last line is set aside, reported and never fatal", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1,"n":1}\n{"id":2,"n"' }), "test.jsonl");
  const { journal, report } = await Journal.open({ file });
  t.same(report, { created: false, tail: { start: 15, bytes: 11, torn: true } });
  t.equal(await readFile(`${file}.torn`, "utf8"), '{"id":2,"n"\n');
  t.equal(await journal.append(entry(2)), 2);
  t.same(idsOf(await linesOf(journal)), [1, 2]);
  await journal.close();
});

t.test("a second torn line does not overwrite the first", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1' }), "test.jsonl");
  await (await Journal.open({ file })).journal.close();
  await appendFile(file, '{"id":9');
  await (await Journal.open({ file })).journal.close();
  t.equal(await readFile(`${file}.torn`, "utf8"), '{"id":1\n{"id":9\n');
});

t.test("what is more than the beginning of the next line is damage, and is set aside whole", async (t) => {
  const zeros = Buffer.alloc(200_000);
  for (const [what, end] of [
    ["zeros", zeros],
    ["the next line with a zero in it", Buffer.from('{"id":2,"n\0')],
    ["the next line, then zeros", Buffer.concat([Buffer.from('{"id":2,"n":"'), zeros])],
    ["another line's number", Buffer.from('{"id":3,"n"')],
  ] as const) {
    const file = join(t.testdir(), "test.jsonl");
    await writeFile(file, Buffer.concat([Buffer.from('{"id":1}\n'), end]));
    const { journal, report } = await Journal.open({ file });
    t.same(report.tail, { start: 9, bytes: end.length, torn: false }, what);
    t.same(await readFile(`${file}.torn`), Buffer.concat([end, Buffer.from("\n")]), what);
    t.same(idsOf(await linesOf(journal)), [1], what);
    await journal.close();
  }
});

t.test("a long line that was cut short is torn, however many bytes it has", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  const end = `{"id":2,"text":"${"Blüte ".repeat(50_000)}`;
  await writeFile(file, `{"id":1}\n${end}`);
  const { journal, report } = await Journal.open({ file });
  t.match(report.tail, { torn: true, bytes: Buffer.byteLength(end) });
  await journal.close();
});

t.test("complete lines of a batch may stand before the torn one", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1,"n":1}\n{"id":2,"n":2}\n{"id":3,"' }), "test.jsonl");
  const { journal, report } = await Journal.open({ file });
  t.match(report.tail, { torn: true });
  t.same(idsOf(await linesOf(journal)), [1, 2]);
  await journal.close();
});

t.test("a newline within the damage makes damaged lines, and what follows is judged by itself", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  await writeFile(file, '{"id":1}\n\0\0\n\0\0');
  const { journal, report } = await Journal.open({ file });
  t.match(report.tail, { start: 12, bytes: 2, torn: false });
  t.same(idsOf(await linesOf(journal)), [1, "damaged"]);
  await journal.close();
});

t.test("what is set aside is on the disk before it leaves the journal", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1}\n{"id":2,"n"' }), "test.jsonl");
  const done: string[] = [];
  const openFile = async (path: string) => {
    const opened = await openOrCreate(path);
    const noting = (what: string, work: () => Promise<void> | undefined) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await work();
      done.push(`${what} ${path.endsWith(".torn") ? "torn" : "journal"}`);
    };
    const { handle } = opened;
    const own: Readonly<Record<PropertyKey, unknown>> = {
      sync: noting("sync", () => handle.sync()),
      truncate: noting("truncate", () => handle.truncate(9)),
    };
    const get = (target: typeof handle, key: keyof typeof handle) => own[key] ?? target[key].bind(target);
    const noted = { ...opened, handle: new Proxy(handle, { get } as object) };
    return opened.created ? { ...noted, syncName: noting("name", () => opened.syncName?.()) } : noted;
  };
  const { journal } = await Journal.open({ file, openFile });
  t.same(done, ["sync torn", "name torn", "truncate journal", "sync journal"]);
  await journal.close();
});

t.test("nothing is cut off before its loss could be noted", async (t) => {
  const text = '{"id":1}\n\0\0\0';
  const file = join(t.testdir({ "test.jsonl": text }), "test.jsonl");
  const beforeCut = () => Promise.reject(new Error("the disk is full"));
  await t.rejects(Journal.open({ file, beforeCut }), { code: "STORE_FAILED", message: /disk is full/ });
  t.equal(await readFile(file, "utf8"), text);
});

t.test("a journal that cannot be opened leaves no file open", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1}\n\0\0\0' }), "test.jsonl");
  let closed = 0;
  const openFile = async () => {
    const handle = await open(file, "r+");
    const close = handle.close.bind(handle);
    handle.close = () => {
      closed++;
      return close();
    };
    return { handle, created: false };
  };
  const beforeCut = () => Promise.reject(new Error("the disk is full"));
  await t.rejects(Journal.open({ file, beforeCut, openFile }), { code: "STORE_FAILED" });
  t.equal(closed, 1);
});

t.test("lines that cannot be read are told apart from good ones and skipped", async (t) => {
  const garbage = ["not json", '{"no":"id"}', '{"id":0}', '{"id":"1"}', "[1]", "null", "7", ""];
  const file = join(t.testdir({ "test.jsonl": `{"id":1}\n${garbage.join("\n")}\n{"id":2}\n` }), "test.jsonl");
  const { journal } = await Journal.open({ file });
  t.same(idsOf(await linesOf(journal)), [1, ...garbage.map(() => "damaged"), 2]);
  t.match((await linesOf(journal))[1], { start: 9, end: 18 });
  await journal.close();
});

t.test("a damaged last line keeps its number: it is not given again", async (t) => {
  const file = join(t.testdir({ "test.jsonl": '{"id":1}\n{"id":2}\n{"iX":3}\n' }), "test.jsonl");
  const { journal } = await Journal.open({ file });
  t.equal(await journal.append(entry(4)), 4);
  await journal.close();
});

t.test("the last number is found behind a megabyte of damage", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  await writeFile(file, `{"id":41}\n${"x".repeat(1_000_000)}\n`);
  const { journal } = await Journal.open({ file });
  t.equal(await journal.append(entry(1)), 43);
  await journal.close();
});

t.test("a journal that cannot be opened says which and why", async (t) => {
  const file = t.testdir();
  await t.rejects(Journal.open({ file }), { code: "STORE_FAILED", message: /the journal .*EISDIR/ });
});

const long = (n: number) => ({ ...entry(n), text: "x".repeat(3000) });

t.test("a relaxed journal that is read while it is written keeps every line", async (t) => {
  const file = join(t.testdir(), "test.jsonl");
  const { journal } = await Journal.open({ file, relaxed: true });
  const reading: Promise<JournalLine[]>[] = [];
  for (let n = 1; n <= 300; n += 1) {
    await journal.append(long(n));
    reading.push(linesOf(journal));
  }
  const read = await Promise.all(reading);
  t.same(
    read.map((lines) => idsOf(lines).join()),
    read.map((_, index) => Array.from({ length: index + 1 }, (__, id) => id + 1).join()),
  );
  await journal.close();
  t.equal((await stat(file)).size, journal.size);
});
