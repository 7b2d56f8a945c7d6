import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { encode, Lines, type Order, type Report } from "../../../drivers/guard/protocol.js";
import { type Millis, millis } from "../../../drivers/units.js";

const id = fc.nat();
const output = fc.string({ unit: "grapheme" });
const instant = fc.double({ min: 0, max: 1e12, noNaN: true }).map((value) => (value + 0) as Millis);
const only = <const T>(value: T) => fc.constant(value);
const plain = { noNullPrototype: true };
const message: fc.Arbitrary<Order | Report> = fc.oneof(
  fc.record({ do: only("on"), id, output, for: instant, sent: instant }, plain),
  fc.record({ do: only("beat"), id }, plain),
  fc.record({ is: only("input"), name: output, active: fc.boolean() }, plain),
  fc.record({ is: only("trouble"), code: only("PIN_FAILED"), what: output }, plain),
);

/** A text in pieces of these lengths, over and over. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const length = lengths[piece % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

t.test("however the pipe cuts them, the same messages come out", async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(message), lengths, (sent, lengths) => {
      const lines = new Lines();
      const got = cut(sent.map(encode).join(""), lengths).flatMap((piece) => [...lines.take(piece)]);
      return isDeepStrictEqual(got, sent);
    }),
  );
});

t.test("a message that is not over yet waits for its rest", async (t) => {
  const lines = new Lines();
  t.same([...lines.take('{"do":"beat",')], []);
  t.same([...lines.take('"id":1}')], []);
  t.same([...lines.take('\n{"do"')], [{ do: "beat", id: 1 }]);
});

t.test("what is no message is garbage", async (t) => {
  for (const garbage of ["{]", "", "hello", "null", "1", '"on"', "[]", "\u0000"])
    t.throws(() => [...new Lines().take(`${garbage}\n`)], SyntaxError, JSON.stringify(garbage));
});

t.test("messages before the garbage are still heard", async (t) => {
  const heard: unknown[] = [];
  t.throws(() => {
    for (const each of new Lines().take(`${encode({ do: "off", id: 1 })}{]\n`)) heard.push(each);
  }, SyntaxError);
  t.same(heard, [{ do: "off", id: 1 }]);
});

t.test("a line without an end is garbage, long before it fills the memory", async (t) => {
  const lines = new Lines();
  const endless = () => {
    for (let piece = 0; piece < 100; piece++) for (const _ of lines.take("x".repeat(1000))) break;
  };
  t.throws(endless, { name: "SyntaxError", message: /without an end/ });
});

t.test("durations survive the way to the last bit", async (t) => {
  const sent = {
    do: "on",
    id: 1,
    output: "basil-pump",
    for: millis(0.1 + 0.2),
    sent: millis(1e9 / 3),
  } as const;
  t.strictSame([...new Lines().take(encode(sent))], [sent]);
});
