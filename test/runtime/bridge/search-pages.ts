/** Pages of our own making, in the form of DuckDuckGo's page without scripts. */

const result = (title: string, target: string, snippet: string, kind = "web-result ") => `
  <div class="result results_links results_links_deep ${kind}">
    <div class="links_main links_deep result__body">
      <h2 class="result__title">
        <a rel="nofollow" class="result__a" href="${target}">${title}</a>
      </h2>
      <div class="result__extras"><div class="result__extras__url">
        <a class="result__url" href="${target}"> garden.example.org </a>
      </div></div>
      <a class="result__snippet" href="${target}">${snippet}</a>
      <div class="clear"></div>
    </div>
  </div>`;

const page = (results: string) => `<!DOCTYPE html>
<html><head><title>fern at DuckDuckGo</title></head><body class="body--html">
<div><div class="serp__results"><div id="links" class="results">${results}</div></div></div>
</body></html>`;

const over = (url: string) => `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=0123abcd`;

export const duckDuckGoPage = (): string =>
  page(
    [
      result("Buy ferns now", "https://duckduckgo.com/y.js?ad_domain=shop.example", "Cheap", "result--ad "),
      result("Buy ferns there", over("https://duckduckgo.com/y.js?ad_domain=shop.example"), "Cheap"),
      result(
        "Why <b>fern</b> leaves turn yellow &amp; what to do",
        over("https://garden.example.org/fern?x=1&y=2"),
        "Too much <b>water</b> is the usual\n   reason. Let the top of the soil dry.",
      ),
      ...Array.from({ length: 7 }, (_, at) => result(`Page ${at}`, over(`https://example.org/${at}`), "…")),
    ].join(""),
  );

export const NO_RESULTS = page(`
  <div class="result results_links results_links_deep result--no-result">
    <div class="links_main links_deep result__body">
      <h2 class="result__title"></h2><div class="no-results">No results.</div>
    </div>
  </div>`);

export const PUZZLE = `<!DOCTYPE html><html><body>
  <form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">
    <div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>
  </form></body></html>`;

/** An answer in the form of SearXNG's JSON. */
export const searxngPage = (results: number): object => ({
  query: "fern",
  number_of_results: 0,
  results: Array.from({ length: results }, (_, at) => ({
    ...{
      url: `https://example.org/${at}`,
      title: `Page ${at}`,
      content: `About ferns ${at}`,
      engine: "bing",
    },
    ...{ parsed_url: ["https"], engines: ["bing"], positions: [1], score: 1, category: "general" },
  })),
  ...{ answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] },
});
