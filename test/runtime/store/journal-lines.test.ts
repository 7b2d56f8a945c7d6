import t from "tap";
import {
  isBeginningOfLine,
  lastLineEnd,
  lastLineId,
  type Readable,
  readLines,
} from "../../../runtime/store/journal-lines.js";

const LINE = `{"id":12,"timestamp":"2026-06-01T08:00:00.000Z","text":"Blüte 🌱 \\"q\\" \\\\ \\u0001 [{","n":-1.5e+3,"flags":[true,false,null,{"a":[]}],"o":{"k":{}}}`;

t.test("every prefix of a line is its beginning, cut within a character or an escape too", async (t) => {
  const bytes = Buffer.from(LINE);
  const refused = Array.from({ length: bytes.length }, (_, i) => i + 1).filter(
    (length) => !isBeginningOfLine(bytes.subarray(0, length), 12),
  );
  t.same(refused, []);
});

t.test("another line's number is no beginning of this one", async (t) => {
  for (const id of [1, 2, 11, 13, 120, 1200])
    t.equal(isBeginningOfLine(Buffer.from(LINE), id), false, `${id}`);
  t.equal(isBeginningOfLine(Buffer.from('{"id":1'), 12), true, "a number may be cut off");
  t.equal(isBeginningOfLine(Buffer.from('{"id":1,'), 12), false);
});

t.test("zeros, bytes that are no UTF-8 and text that is no JSON are no beginning of a line", async (t) => {
  const head = Buffer.from('{"id":12,"te');
  const bad = [
    Buffer.alloc(1),
    Buffer.from("{\0"),
    Buffer.concat([head, Buffer.alloc(1)]),
    Buffer.concat([head, Buffer.from([0xff])]),
    Buffer.concat([head, Buffer.from([0xc3, 0x28])]),
    Buffer.from('{"id":12,"text":"a" "b"'),
    Buffer.from('{"id":12,"text":tru!'),
    Buffer.from('{"id":12,"text":[1,2}'),
    Buffer.from('{"id":12,"n":1}{"id":13'),
    Buffer.from('{"id":12,n'),
    Buffer.from("x"),
  ];
  for (const bytes of bad)
    t.equal(isBeginningOfLine(bytes, 12), false, JSON.stringify(bytes.toString("latin1")));
});

t.test("a beginning of any byte changed to zero is none", async (t) => {
  const bytes = Buffer.from(LINE);
  for (let at = 0; at < bytes.length; at += 1) {
    const spoiled = Buffer.from(bytes);
    spoiled[at] = 0;
    if (isBeginningOfLine(spoiled, 12)) t.fail(`a zero at byte ${at} went unnoticed`);
  }
  t.pass();
});

/** A file in memory. */
const fileOf = (bytes: Buffer) =>
  ({
    read: async (into: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: bytes.copy(into, offset, position, position + length),
      buffer: into,
    }),
  }) as unknown as Readable;

async function linesOf(text: string) {
  const lines: unknown[] = [];
  const bytes = Buffer.from(text);
  for await (const line of readLines(fileOf(bytes), 0, bytes.length)) lines.push(line);
  return lines;
}

t.test("an empty line is damage, and hides none behind it", async (t) => {
  t.same(await linesOf('\n{"id":1,"a":2}\n'), [
    { start: 0, end: 1, damaged: true },
    { start: 1, end: 16, id: 1, entry: { a: 2 } },
  ]);
});

t.test(
  "the last complete line is found before a tail of any length, also 64 KiB and a byte beside",
  async (t) => {
    for (const length of [0, 1, 65_534, 65_535, 65_536, 131_071]) {
      const bytes = Buffer.from(`{"id":1}\n{"id":2}\n${"x".repeat(length)}`);
      t.equal(await lastLineEnd(fileOf(bytes), bytes.length), 18, `${length}`);
      t.equal(await lastLineId(fileOf(bytes), 18), 2);
    }
    t.equal(await lastLineEnd(fileOf(Buffer.from("\ntail")), 5), 1);
    t.equal(await lastLineEnd(fileOf(Buffer.from("tail")), 4), 0);
  },
);
