import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { searchAdapter } from "../../../runtime/bridge/search/adapter.js";
import type { SearchAnswer } from "../../../runtime/wire/web-search.js";
import { OutsideServer } from "./outside-server.js";
import { duckDuckGoPage, NO_RESULTS, PUZZLE, searxngPage } from "./search-pages.js";

const CLOCK = new SystemClock();

/** The adapter with the addresses of a test's own servers. */
function adapterOf(
  config: object,
): (provider: string, query?: string, signal?: AbortSignal) => Promise<SearchAnswer> {
  const context = {
    ...{
      clock: CLOCK,
      say: () => undefined,
      onConnected: () => undefined,
      tellProblem: () => undefined,
      isAsked: () => true,
      upload: async () => "",
      call: async () => ({}),
    },
    signal: new AbortController().signal,
  };
  const { search } = searchAdapter.open(searchAdapter.config.parse(config), context);
  if (!search) throw new Error("no job search");
  return (provider, query = "yellow leaves", signal = new AbortController().signal) =>
    search({ provider, query }, signal) as unknown as Promise<SearchAnswer>;
}

const html =
  (text: string, status = 200) =>
  (_: unknown, response: import("node:http").ServerResponse) =>
    void response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(text);
const json = (value: unknown) => (_: unknown, response: import("node:http").ServerResponse) =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

async function failsWith(t: Test, work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (each: Error & { code: string }) => each,
  );
  t.equal(error?.code, code, `${error?.message}`);
  t.notMatch(`${error?.message}`, /127\.0\.0\.1/);
}

t.test(
  "DuckDuckGo: the first five results, without advertisements, and where their links lead",
  async (t) => {
    const server = await OutsideServer.start(t, html(duckDuckGoPage()));
    const search = adapterOf({ duckduckgo: `${server.origin}/html/` });
    const { results } = await search("duckduckgo", "helecho amarillo & más");
    t.equal(server.asked[0]?.url, "/html/?q=helecho+amarillo+%26+m%C3%A1s");
    t.notOk(server.asked[0]?.headers.cookie);
    t.equal(results.length, 5);
    t.same(results[0], {
      title: "Why fern leaves turn yellow & what to do",
      snippet: "Too much water is the usual reason. Let the top of the soil dry.",
      url: "https://garden.example.org/fern?x=1&y=2",
    });
    t.notMatch(JSON.stringify(results), /Buy ferns|ad_domain|<b>/);
  },
);

t.test(
  "DuckDuckGo: its words for no results are no results; a page without results and words is a failure",
  async (t) => {
    const server = await OutsideServer.start(t, html(NO_RESULTS));
    const search = adapterOf({ duckduckgo: `${server.origin}/html/` });
    t.same(await search("duckduckgo"), { results: [] });
    for (const page of [
      "",
      "<html><body>We are moving to a new address</body></html>",
      duckDuckGoPage().replaceAll("result__a", "headline"),
      '<div class="links"><a class="result__a" href="https://a.example">A</a></div>',
      duckDuckGoPage().replaceAll("uddg=", "target="),
      duckDuckGoPage().replaceAll(/href="[^"]*"/g, 'href="javascript:alert(1)"'),
    ]) {
      server.now(html(page));
      await failsWith(t, search("duckduckgo"), "PROVIDER_CHANGED");
    }
  },
);

t.test("a search engine that takes no more searches says so: a puzzle, 202, 429", async (t) => {
  const server = await OutsideServer.start(t, html(PUZZLE));
  const search = adapterOf({ duckduckgo: `${server.origin}/html/` });
  await failsWith(t, search("duckduckgo"), "PROVIDER_REFUSED");
  for (const status of [202, 429]) {
    server.now(html(PUZZLE, status));
    await failsWith(t, search("duckduckgo"), "PROVIDER_REFUSED");
  }
  server.now(html("", 503));
  await failsWith(t, search("duckduckgo"), "HTTP_503");
});

t.test("SearXNG: results of its JSON; a silent engine is no empty answer, nor is another form", async (t) => {
  const server = await OutsideServer.start(t, json(searxngPage(7)));
  const search = adapterOf({ searxng: server.origin });
  const { results } = await search("searxng");
  t.equal(server.asked[0]?.url, "/search?q=yellow+leaves&format=json");
  t.equal(results.length, 5);
  t.same(results[0], { title: "Page 0", snippet: "About ferns 0", url: "https://example.org/0" });
  server.now(json({ ...searxngPage(0), unresponsive_engines: [] }));
  t.same(await search("searxng"), { results: [] });
  server.now(json({ ...searxngPage(0), unresponsive_engines: [["bing", "timeout"]] }));
  await failsWith(t, search("searxng"), "PROVIDER_REFUSED");
  for (const other of [
    {},
    { results: {} },
    { results: [{ url: 1 }] },
    { results: [{ url: "ftp://a", title: "" }] },
  ]) {
    server.now(json(other));
    await failsWith(t, search("searxng"), "PROVIDER_CHANGED");
  }
  server.now(html("<html>log in</html>"));
  await failsWith(t, search("searxng"), "PROVIDER_CHANGED");
});

t.test("one result that no browser opens is left out and counted, and the others are shown", async (t) => {
  const [first, second] = (searxngPage(2) as { results: object[] }).results;
  const bad = ["javascript:alert(1)", "http://", `https://example.org/${"x".repeat(2000)}`];
  const odd = bad.map((url) => ({ ...first, url }));
  const server = await OutsideServer.start(t, json({ ...searxngPage(0), results: [first, ...odd, second] }));
  t.match(await adapterOf({ searxng: server.origin })("searxng"), {
    results: [{ url: "https://example.org/0" }, { url: "https://example.org/1" }],
    left_out: 3,
  });
  server.now(
    html(duckDuckGoPage().replace(/href="[^"]*example\.org%2F0[^"]*"/, 'href="javascript:alert(1)"')),
  );
  const { results, left_out } = await adapterOf({ duckduckgo: `${server.origin}/html/` })("duckduckgo");
  t.equal(left_out, 1);
  t.equal(results.length, 5);
});

t.test("SearXNG under a path, and one without an address", async (t) => {
  const server = await OutsideServer.start(t, json(searxngPage(1)));
  await adapterOf({ searxng: `${server.origin}/searx` })("searxng");
  t.equal(server.asked[0]?.url, "/searx/search?q=yellow+leaves&format=json");
  await failsWith(t, adapterOf({})("searxng"), "NOT_CONFIGURED");
  t.throws(() => searchAdapter.config.parse({ searxng: "http://search.example.org" }), /without TLS/);
});

t.test(
  "long words are cut with a mark, and a page that is too large, deep or slow is a failure",
  async (t) => {
    const long = { url: "https://example.org/", title: "t".repeat(999), content: "\u{1f33f}".repeat(999) };
    const server = await OutsideServer.start(
      t,
      json({ results: [long, { ...long, url: `https://a.example/${"x".repeat(3000)}` }] }),
    );
    const search = adapterOf({ searxng: server.origin, duckduckgo: server.origin });
    const { results } = await search("searxng");
    t.same(
      results.map(({ title, snippet }) => [
        title.length,
        snippet.length <= 500,
        /[\ud800-\udbff]…$/.test(snippet),
      ]),
      [[200, true, false]],
    );
    server.now(html("<div>".repeat(100_000)));
    await failsWith(t, search("duckduckgo"), "PROVIDER_CHANGED");
    const attributes = Array.from({ length: 80_000 }, (_, at) => `a${at}=">"`).join(" ");
    server.now(html(`<p ${attributes}>`));
    await failsWith(t, search("duckduckgo"), "PROVIDER_CHANGED");
    server.now(html("x".repeat(2_000_000)));
    await failsWith(t, search("duckduckgo"), "TOO_LARGE");
    server.now(() => undefined);
    await failsWith(t, search("duckduckgo", "a", AbortSignal.timeout(100)), "TOO_SLOW");
  },
);
