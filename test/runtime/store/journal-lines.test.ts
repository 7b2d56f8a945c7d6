import t from "tap";
import { isBeginningOfLine } from "../../../runtime/store/journal-lines.js";

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
