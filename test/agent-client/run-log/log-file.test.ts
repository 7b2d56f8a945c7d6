import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { LogFile, RotatedLog } from "../../../agent-client/run-log/log-files.js";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";

const lostLine = (lines: number) => `lost ${lines}`;
const read = (...path: string[]) => readFileSync(join(...path), "utf8");
const FIRST = "2026-06-01T12-00-00.000Z-caretaker.jsonl";
const [SECOND, THIRD] = [FIRST.replace(".jsonl", ".2.jsonl"), FIRST.replace(".jsonl", ".3.jsonl")];

t.test("a line is in the file as soon as it is written, and the file is its owner's alone", (t) => {
  const path = join(t.testdir({}), "deep", "run.jsonl");
  const file = new LogFile(path, lostLine, t.fail);
  file.write("one");
  t.equal(read(path), "one\n");
  file.write("two");
  t.equal(read(path), "one\ntwo\n");
  t.equal((statSync(path).mode & 0o777).toString(8), "600");
  t.end();
});

t.test(
  "a folder that cannot be written costs lines, said once; they are counted when it takes lines again",
  (t) => {
    const folder = t.testdir({ runs: "a file in the folder's place" });
    const said: string[] = [];
    const path = join(folder, "runs", "run.jsonl");
    const file = new LogFile(path, lostLine, (problem) => said.push(problem));
    for (const line of ["one", "two"]) file.write(line);
    t.match(said, [
      /^\S+run\.jsonl cannot be written: the folder \S+ cannot be made: there is a file of that name$/,
    ]);
    t.equal(said.length, 1);
    rmSync(join(folder, "runs"));
    file.write("three");
    t.equal(read(path), "lost 2\nthree\n");
    t.end();
  },
);

t.test("what is there already is never written over", (t) => {
  const path = join(t.testdir({ "run.jsonl": "precious\n" }), "run.jsonl");
  const said: string[] = [];
  new LogFile(path, lostLine, (problem) => said.push(problem)).write("one");
  t.match(said, [/EEXIST/]);
  t.equal(read(path), "precious\n");
  t.end();
});

t.test("a disk that is full tears one line, and nothing is thrown", async (t) => {
  const folder = t.testdir({});
  const script = `
    import { LogFile } from "${new URL("../../../agent-client/run-log/log-files.js", import.meta.url)}";
    const file = new LogFile(${JSON.stringify(join(folder, "run.jsonl"))}, (n) => "lost " + n, console.log);
    for (let n = 0; n < 4; n += 1) file.write("x".repeat(3000));
    console.log("care goes on");`;
  const child = spawnNode(["--input-type=module", "-e", script], {}, [
    "bash",
    "-c",
    'ulimit -f 4; exec "$@"',
    "-",
  ]);
  const { code, out } = await endOf(child);
  t.equal(code, 0);
  t.match(out, /^\S+run\.jsonl cannot be written: EFBIG: .*\ncare goes on\n$/);
  t.equal(read(folder, "run.jsonl").length, 4096, "a limit on file sizes stands in for the disk");
});

t.test("a log that has grown goes on in another file, which begins as the first did", (t) => {
  const folder = t.testdir({});
  const limits = { file: 10, total: 1000 };
  const log = new RotatedLog(folder, FIRST, limits, "run", lostLine, t.fail);
  for (const line of ["0123456789", "a", "0123456789", "b"]) log.write(line);
  t.strictSame(readdirSync(folder).sort(), [SECOND, THIRD, FIRST].sort());
  t.equal(read(folder, FIRST), "run\n0123456789\n");
  t.equal(read(folder, SECOND), "run\na\n0123456789\n");
  t.equal(read(folder, THIRD), "run\nb\n");
  t.end();
});

t.test("the oldest runs go where all are too much; other files and the one being written stay", (t) => {
  const old = (day: number) => `2026-05-0${day}T12-00-00.000Z-ollama-qwen3.jsonl`;
  const folder = t.testdir({
    [old(1)]: "x".repeat(400),
    [old(2)]: "x".repeat(400),
    [old(3)]: "x".repeat(400),
    "notes.jsonl": "x".repeat(4000),
  });
  new RotatedLog(folder, FIRST, { file: 500, total: 900 }, "run", lostLine, t.fail).write("one");
  t.strictSame(readdirSync(folder).sort(), [old(2), old(3), FIRST, "notes.jsonl"].sort());
  t.end();
});

t.test("a log in trouble says so once, however many files it begins", (t) => {
  const folder = join(t.testdir({ runs: "a file" }), "runs");
  const said: string[] = [];
  const log = new RotatedLog(folder, FIRST, { file: 1, total: 10 }, "run", lostLine, (problem) =>
    said.push(problem),
  );
  for (let n = 0; n < 5; n += 1) log.write("line");
  t.equal(said.length, 1);
  t.end();
});
