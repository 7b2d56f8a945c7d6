import fc from "fast-check";
import t from "tap";
import {
  MAX_DEPTH,
  MAX_PARTS,
  MAX_PARTS_OF_BRIDGE,
  maxPartsOf,
  parseJson,
  parseMessage,
} from "../../../runtime/server/json-rpc.js";

const REQUEST = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", arguments: {} } };
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

t.test("a message is understood as it is", async (t) => {
  t.same(parseMessage(JSON.stringify(REQUEST)), REQUEST);
  const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  t.same(parseMessage(JSON.stringify(note)), note);
  const reply = { jsonrpc: "2.0", id: "a", result: {} };
  t.same(parseMessage(JSON.stringify(reply)), reply);
});

t.test(
  "an argument named __proto__ reaches whoever checks the arguments, however it is spelled",
  async (t) => {
    for (const key of ["__proto__", "\\u005f_proto__"]) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"ml":20,"${key}":{"ml":25}}}}`;
      const { params } = parseMessage(text) as { params?: { arguments?: object } };
      t.same(params?.arguments, { ml: 20, '"__proto__"': { ml: 25 } });
    }
    const elsewhere = '{"params":{"arguments":{"details":{"__proto__":1}}}}';
    t.equal(JSON.stringify(parseJson(elsewhere)), elsewhere, "inside of an argument all stays as it is");
  },
);

t.test("what is no JSON is a parse error", async (t) => {
  for (const text of ["", "{", "nonsense", '{"a":1}}', '"open', "\u0000", `${JSON.stringify(REQUEST)}x`]) {
    t.throws(() => parseMessage(text), { code: -32700, id: null }, JSON.stringify(text));
  }
});

t.test(
  "what is JSON but no message is an invalid request, answered under its id where it has one",
  async (t) => {
    const bad = [
      1,
      null,
      "x",
      {},
      { ...REQUEST, jsonrpc: "1.0" },
      { ...REQUEST, method: 5 },
      { ...REQUEST, params: [1] },
    ];
    for (const value of bad)
      t.throws(() => parseMessage(JSON.stringify(value)), { code: -32600 }, JSON.stringify(value));
    for (const [text, id] of Object.entries({ "7": 7, '"seven"': "seven", "{}": null, "1.5": null })) {
      t.throws(() => parseMessage(`{"id":${text},"method":5}`), { code: -32600, id });
    }
  },
);

t.test(`more than ${MAX_PARTS} commas and colons are refused unread; text may have any number`, async (t) => {
  const keys = (n: number) => Array.from({ length: n }, (_, at) => `"k${at}":0`).join(",");
  const refused = { code: -32600, id: null, message: /more than 10000 commas and colons/ };
  for (const params of [`{"arguments":{${keys(300_000)}}}`, `{"_meta":{${keys(30_000)}}}`])
    t.throws(
      () => parseMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`),
      refused,
    );
  const list = (items: number) => `[${"1,".repeat(items - 1)}1]`;
  t.throws(() => parseJson(list(MAX_PARTS + 2)), refused);
  t.equal(maxPartsOf({ name: "home", role: "bridge" }), MAX_PARTS_OF_BRIDGE, "a bridge lists a whole home");
  t.equal(maxPartsOf({ name: "agent", role: "agent" }), MAX_PARTS);
  t.equal(
    (parseJson(list(MAX_PARTS_OF_BRIDGE), MAX_PARTS_OF_BRIDGE) as unknown[]).length,
    MAX_PARTS_OF_BRIDGE,
  );
  t.equal((parseJson(list(MAX_PARTS + 1)) as unknown[]).length, MAX_PARTS + 1);
  t.equal(Object.keys(parseJson(`{${keys(MAX_PARTS / 2)}}`) as object).length, MAX_PARTS / 2);
  t.throws(() => parseMessage(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{${keys(65)}}}}`), {
    code: -32600,
    id: 7,
    message: "_meta has more than 64 keys",
  });
  t.ok(parseMessage(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"_meta":{${keys(64)}}}}`));
  const note = '{"a":[1,2]}, '.repeat(70_000);
  t.same(parseJson(JSON.stringify({ note })), { note });
});

t.test("a batch is refused with a word about it", async (t) => {
  t.throws(() => parseMessage(JSON.stringify([REQUEST])), {
    code: -32600,
    message: /batches are not supported/,
  });
});

t.test("nesting is limited, brackets inside of strings do not count", async (t) => {
  t.doesNotThrow(() => parseJson(nested(MAX_DEPTH)));
  t.throws(() => parseJson(nested(MAX_DEPTH + 1)), { code: -32600, message: /nested deeper than 64/ });
  t.throws(() => parseJson('{"a":'.repeat(500_000)), { code: -32600 });
  const text = { a: '[{"'.repeat(1000), 'b\\"[': "\\".repeat(7), c: nested(500) };
  t.same(parseJson(JSON.stringify(text)), text);
});

t.test("whatever JSON.parse accepts within the depth comes out the same; the rest is a fault", async () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => t.same(parseJson(text), JSON.parse(text))),
    { numRuns: 300, seed: 8731 },
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\01atrue ') }), (text) => {
      try {
        parseMessage(text);
      } catch (error) {
        t.match(error, { name: "JsonRpcFault" });
      }
    }),
    { numRuns: 300, seed: 8731 },
  );
});
