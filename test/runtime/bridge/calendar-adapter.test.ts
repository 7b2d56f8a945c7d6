import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, millis } from "../../../drivers/units.js";
import { calendarAdapter, MAX_BYTES } from "../../../runtime/bridge/calendar/adapter.js";
import { authority, signedBy } from "../../certificates.js";
import { BOMB, calendar, event, GOOGLE } from "./calendars.js";
import { answers, gives, OutsideServer } from "./outside-server.js";

const SECRET = "/calendar/ical/anna/private-0123456789abcdef0123456789abcdef/basic.ics";
/** A hundred times as fast: patience is over after a fifth of a second. */
const HASTY = new (class extends SystemClock {
  override after(duration: Millis, fn: () => void) {
    return super.after(millis(duration / 100), fn);
  }
})();
const WINDOW = {
  name: "family",
  from: "2026-11-23T00:00:00.000Z",
  to: "2026-12-15T00:00:00.000Z",
  zone: "Europe/Berlin",
};

type Answer = { version?: string; events?: { title: string }[]; unchanged?: true; left_off?: number };
type Fetch = (known?: string | null, signal?: AbortSignal) => Promise<Answer>;

/** The adapter with one address; `said` is its log. */
function adapterOf(
  address: unknown,
  name = "family",
  clock = new SystemClock(),
): { fetch: Fetch; said: string[] } {
  const said: string[] = [];
  const config = calendarAdapter.config.parse({ [name]: address });
  const context = {
    clock,
    say: (text: string) => void said.push(text),
    onConnected: () => undefined,
    tellProblem: () => undefined,
    isAsked: () => true,
    upload: async () => "",
    call: async () => ({}),
    signal: new AbortController().signal,
  };
  const { fetch } = calendarAdapter.open(config, context);
  if (!fetch) throw new Error("no job fetch");
  return {
    said,
    fetch: (known = null, signal = new AbortController().signal) =>
      fetch({ ...WINDOW, known }, signal) as Promise<Answer>,
  };
}

const served = (t: Test, answer: Parameters<typeof OutsideServer.start>[1]) => OutsideServer.start(t, answer);
const titles = ({ events = [] }: Answer) => events.map(({ title }) => title);

/** Fails with this code, and says nothing of the address. */
async function failsWith(t: Test, work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (each: Error & { code: string }) => each,
  );
  t.equal(error?.code, code, `${error?.message}`);
  t.notMatch(`${error?.message} ${error?.stack}`, /private-|127\.0\.0\.1|anna/);
}

t.test("a calendar is fetched and read; the server is told who asks, and nothing else", async (t) => {
  const server = await served(t, gives(GOOGLE));
  const { fetch } = adapterOf(`${server.origin}${SECRET}`);
  t.same(titles(await fetch()), ["Choir, second row", "Bin day", "Choir (moved)", "Choir, second row"]);
  const [asked] = server.asked;
  t.equal(asked?.url, SECRET);
  t.same(Object.keys(asked?.headers ?? {}).sort(), [
    "accept",
    "accept-encoding",
    "connection",
    "host",
    "user-agent",
  ]);
});

t.test("what is packed is unpacked", async (t) => {
  const server = await served(t, gives(GOOGLE));
  const { fetch } = adapterOf(`${server.origin}/a.ics`);
  for (const [coding, pack] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const) {
    server.now(
      (_, response) => void response.writeHead(200, { "content-encoding": coding }).end(pack(GOOGLE)),
    );
    t.equal(titles(await fetch()).length, 4, coding);
  }
  server.now(gives(GOOGLE, { "content-encoding": "gzip" }));
  await failsWith(t, fetch(), "CUT_OFF");
  server.now(gives(GOOGLE, { "content-encoding": "zstd" }));
  await failsWith(t, fetch(), "UNKNOWN_CODING");
});

t.test("what has not changed is not fetched again, if the runtime has the same state", async (t) => {
  const server = await served(t, (request, response) => {
    const isKnown = request.headers["if-none-match"] === '"7"';
    if (isKnown) response.writeHead(304).end();
    else
      response.writeHead(200, { etag: '"7"', "last-modified": "Mon, 23 Nov 2026 08:00:00 GMT" }).end(GOOGLE);
  });
  const { fetch } = adapterOf(`${server.origin}/a.ics`);
  const { version } = await fetch();
  t.same(await fetch(version), { unchanged: true });
  t.equal(server.asked.at(-1)?.headers["if-modified-since"], "Mon, 23 Nov 2026 08:00:00 GMT");
  t.equal(titles(await fetch("another")).length, 4);
  t.equal(titles(await fetch(null)).length, 4, "a new window needs all of it");
});

// 304 is no answer to who has nothing yet
for (const status of [304, 401, 403, 404, 410, 500, 503])
  t.test(`an answer ${status} is a failure with that code`, async (t) => {
    const server = await served(t, answers(status));
    await failsWith(t, adapterOf(`${server.origin}${SECRET}`).fetch(), `HTTP_${status}`);
  });

t.test(
  "a page, garbage, half a calendar and a cut connection are failures, not empty calendars",
  async (t) => {
    const server = await served(t, gives("<html>log in</html>"));
    const { fetch } = adapterOf(`${server.origin}${SECRET}`);
    await failsWith(t, fetch(), "NO_CALENDAR");
    server.now(gives("\u0000\u0001".repeat(5000)));
    await failsWith(t, fetch(), "NO_CALENDAR");
    server.now(gives(GOOGLE.slice(0, 1200)));
    await failsWith(t, fetch(), "NO_CALENDAR");
    server.now((_, response) => {
      response.writeHead(200, { "content-length": "99999" }).write(GOOGLE);
      setImmediate(() => response.destroy());
    });
    await failsWith(t, fetch(), "CUT_OFF");
    server.now((request) => void request.socket.destroy());
    await failsWith(t, fetch(), "CUT_OFF");
  },
);

t.test("a body without end is cut off, packed or not, and so is a server that says nothing", async (t) => {
  const line = Buffer.alloc(65_536, "X-A:b\r\n");
  const server = await served(t, (_, response) => {
    response.writeHead(200);
    const more = (): void => void (response.destroyed || response.write(line, () => setImmediate(more)));
    more();
  });
  const { fetch } = adapterOf(`${server.origin}${SECRET}`);
  await failsWith(t, fetch(), "TOO_LARGE");
  // what was packed in pieces is unpacked as one (RFC 1952, 2.2)
  const bomb = Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(MAX_BYTES))));
  t.ok(bomb.length < 200_000);
  server.now((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  await failsWith(t, fetch(), "TOO_LARGE");
  server.now(() => undefined);
  await failsWith(t, fetch(null, AbortSignal.timeout(100)), "TOO_SLOW");
  server.now((_, response) => void response.writeHead(200).write("BEGIN:VCALENDAR\r\n"));
  await failsWith(t, fetch(null, AbortSignal.timeout(100)), "TOO_SLOW");
});

t.test(
  "a calendar that would keep a program busy for ever is ended; its events that can be read are there",
  async (t) => {
    const server = await served(t, gives(BOMB));
    const { fetch, said } = adapterOf(`${server.origin}${SECRET}`);
    t.match(await fetch(), { events: [{ title: "Dentist" }], left_off: 2 });
    t.same(said, ["the calendar family: 2 events were left off"]);
    const rules = [
      "BEGIN:VTIMEZONE",
      "TZID:Evil",
      "BEGIN:STANDARD",
      "TZOFFSETFROM:+0000",
      "TZOFFSETTO:+0000",
    ];
    const evil = [
      ...rules,
      "DTSTART:19700101T000000",
      "RRULE:FREQ=SECONDLY",
      "END:STANDARD",
      "END:VTIMEZONE",
    ];
    server.now(gives(calendar(...evil, event("DTSTART;TZID=Evil:20261124T100000", "SUMMARY:x"))));
    const hasty = adapterOf(`${server.origin}${SECRET}`, "family", HASTY);
    await failsWith(t, hasty.fetch(), "TOO_COMPLEX");
  },
);

t.test("redirects are followed a few times, on the same server and from http to https", async (t) => {
  const server = await served(t, (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) gives(GOOGLE)(request, response);
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  t.equal(titles(await adapterOf(`${server.origin}/4`).fetch()).length, 4);
  await failsWith(t, adapterOf(`${server.origin}/5`).fetch(), "REDIRECT_REFUSED");
});

t.test("no redirect leads into this house, away from TLS, or to nowhere", async (t) => {
  const inside = await served(t, gives(GOOGLE));
  const server = await served(t, answers(302));
  for (const location of [
    `${inside.origin}/secrets`,
    "https://127.0.0.1:1/",
    "https://192.168.1.1/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost:1/",
    "ftp://example.com/",
    "http://",
    "",
  ]) {
    server.now(answers(301, location === "" ? {} : { location }));
    await failsWith(t, adapterOf(`${server.origin}${SECRET}`).fetch(), "REDIRECT_REFUSED");
  }
  t.same(inside.asked, [], "and nothing there was asked");
});

t.test("over TLS the certificate must be right, and a redirect to http is refused", async (t) => {
  const server = await OutsideServer.start(t, gives(GOOGLE), signedBy({ by: authority() }));
  await failsWith(t, adapterOf(`${server.origin}${SECRET}`).fetch(), "CERTIFICATE");
  t.same(server.asked, [], "nothing was sent");
});

t.test("a server that is not there, and a name that is none", async (t) => {
  await failsWith(t, adapterOf("http://127.0.0.1:1/private-0123456789abcdef01").fetch(), "UNREACHABLE");
  await failsWith(t, adapterOf("https://private-0123456789.invalid/").fetch(), "UNREACHABLE");
});

t.test("a calendar without an address is a failure that says so", async (t) => {
  const { fetch } = adapterOf("https://example.com/a.ics", "another");
  await t.rejects(fetch(), { code: "NOT_CONFIGURED" });
  await t.rejects(fetch(7 as unknown as string), { code: "NOT_UNDERSTOOD" });
});

t.test("an address is https or webcal; http only to this computer, or where the owner says so", async (t) => {
  const takes = (address: unknown) => calendarAdapter.config.safeParse({ family: address }).success;
  for (const good of [
    "https://example.com/a.ics",
    "webcal://example.com/a.ics",
    "http://localhost:8080/a.ics",
    "http://[::1]/a.ics",
    { address: "http://nas.local/a.ics", plain: true },
    { address: "https://example.com/" },
  ])
    t.ok(takes(good), JSON.stringify(good));
  for (const bad of [
    "http://example.com/a.ics",
    "ftp://example.com",
    "a.ics",
    "",
    7,
    { address: "http://nas.local/" },
    { url: "https://x" },
  ])
    t.notOk(takes(bad), JSON.stringify(bad));
  t.notOk(calendarAdapter.config.safeParse({ "../x": "https://example.com" }).success);
});
