import { array, assert, constantFrom, property, string, stringMatching, tuple, uint8Array } from "fast-check";
import t from "tap";
import { REMOVED, Scrubber } from "../../../runtime/support/secrets.js";

const RUNS = { numRuns: 400, seed: 20261121 };

const inHex = (text: string) => Buffer.from(text).toString("hex");
const inPercents = (text: string) => inHex(text).replaceAll(/../g, "%$&");
const inBase64 = (text: string, before: string, after: string) =>
  Buffer.from(before + text + after).toString("base64");

/** How a secret may stand in a text. */
const FORMS: readonly ((secret: string, before: string, after: string) => string)[] = [
  (secret, before, after) => before + secret + after,
  (secret) => encodeURIComponent(secret),
  (secret) => inPercents(secret),
  (secret) => inPercents(secret).toUpperCase(),
  (secret) => inHex(secret),
  (secret) => inHex(secret).toUpperCase(),
  (secret) => JSON.stringify(secret),
  (secret, before) => `http://${encodeURIComponent(before)}:${encodeURIComponent(secret)}@host/`,
  inBase64,
  (...all) => Buffer.from(inBase64(...all), "base64").toString("base64url"),
  (...all) => encodeURIComponent(inBase64(...all)),
  (...all) => inPercents(inBase64(...all)),
];

const secrets = stringMatching(/^[\x21-\x7e]{8,64}$/);

/** Everything that a reader could decode out of a text. */
function readings(text: string): string[] {
  const plain = [
    text,
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ];
  const runs = plain.flatMap((each) => each.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []);
  const shifted = runs.flatMap((run) => [0, 1, 2, 3].map((from) => run.slice(from)));
  const decoded = shifted.map((run) => Buffer.from(run, "base64").toString("latin1"));
  const hex = runs.flatMap((run) =>
    [0, 1].map((from) => Buffer.from(run.slice(from), "hex").toString("latin1")),
  );
  return [...plain, ...decoded, ...hex];
}

t.test("a secret that is known never comes out, in whatever form and wherever it stands", async (t) => {
  const planted = tuple(
    secrets,
    constantFrom(...FORMS),
    string(),
    string(),
    array(string(), { maxLength: 3 }),
  );
  assert(
    property(planted, ([secret, form, before, after, around]) => {
      const text = [...around, form(secret, before, after), ...around].join(" ");
      const out = new Scrubber([secret]).scrub(text);
      return readings(out).every((reading) => !reading.includes(secret));
    }),
    RUNS,
  );
  t.pass("400 texts");
});

t.test("a key of bytes never comes out either", async (t) => {
  assert(
    property(uint8Array({ minLength: 16, maxLength: 32 }), string(), (bytes, before) => {
      const key = Buffer.from(bytes);
      const whole = Buffer.concat([Buffer.from(before), key]);
      const text = `${key.toString("hex")} ${key.toString("base64")} ${whole.toString("base64")} ${whole.toString("base64url")}`;
      const out = new Scrubber([key]).scrub(text);
      return readings(out).every((reading) => !reading.includes(key.toString("latin1")));
    }),
    RUNS,
  );
  t.pass("400 keys");
});

const SHAPED: Readonly<Record<string, readonly [string, string]>> = {
  "a bearer token": ["Authorization: Bearer abc", "abc"],
  "a key of OpenAI's": ["using sk-proj-abcdefgh12", "abcdefgh"],
  "a setting": ["OPENAI_API_KEY=abc", "abc"],
  "a setting in quotes": ['"api_key": "ab c"', "ab c"],
  "a setting in a URL": ["see http://h/p?x=1&token=abc", "abc"],
  "a password in a URL": ["http://me:abc@host/x", "abc"],
  "a link to a photo": ["http://h:8731/photos/1.jpg?until=1&signature=0af", "0af"],
  "an address of mail": ["write to abc.def@example.org", "abc.def"],
  "a network's name": ["ssid=abc", "abc"],
  "a password in words": ["password: abc", "abc"],
  "a private key": ["-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----", "abc"],
  "a private key that is cut off": ["-----BEGIN PRIVATE KEY-----\nabc\nde", "abc"],
  "a token of chance": ["found Qm9yZWQgYnkgYWxsIG9mIHRoaXM1", "Qm9yZWQ"],
  "a hash": ["0123456789abcdef0123456789abcdef", "0123456789"],
};
for (const [what, [text, secret]] of Object.entries(SHAPED))
  t.test(`${what} is known by its shape, whoever's it is`, async (t) => {
    const out = new Scrubber([]).scrub(`before ${text} after`);
    t.notMatch(out, secret);
    t.match(out, REMOVED);
    t.match(out, /^before /);
  });

t.test("what helps stays: paths, times, versions, errors, figures", async (t) => {
  const lines = [
    "2026-11-21T17:00:09+0000 pi node[123]: warn  the pump of basil did not go off",
    "/usr/lib/tendril/node_modules/sqlite3/build/Release/node_sqlite3.node",
    "state of 5f1c2a4e-1111-2222-3333-444455556666, 20261121T170009Z, before-restore-20261121T170009Z/journal/water.jsonl",
    "LEDGER_UNAVAILABLE: check the disk; no water flows without a ledger",
    '{"ml_requested":20,"ml_dispensed":19.5,"outcome":"completed"}',
    "tendril 0.1.0, node v20.19.2, Linux 6.12.47+rpt-rpi-v8",
  ];
  for (const line of lines) t.equal(new Scrubber(["hunter2hunter2"]).scrub(line), line);
});

t.test("a megabyte of one word takes no time worth speaking of", async (t) => {
  t.equal(new Scrubber(["hunter2hunter2"]).scrub("a".repeat(1_000_000)).length, 9);
});
