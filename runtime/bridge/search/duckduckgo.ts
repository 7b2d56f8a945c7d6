import { type Attributes, classesOf, type HtmlReader, readHtml, TooComplex } from "../../wire/html.js";
import { JobFailure } from "../adapter.js";
import { type OutsideAddress, outsideAddress } from "../http/address.js";
import { changed, defineSearchProvider, type FoundPage } from "./provider.js";

const NAME = "DuckDuckGo";

/**
 * DuckDuckGo's page without scripts. Its form, as parsers of others and their recorded pages have it (2017 to 2026): each
 * result is a `.result` with a link `a.result__a` and a `.result__snippet`; an advertisement is a `.result--ad`; where there
 * is nothing, `.no-results`. A link leads over duckduckgo.com/l/ with the address in `uddg`.
 */
export const duckduckgo = defineSearchProvider<OutsideAddress>({
  name: "duckduckgo",
  settings: outsideAddress().prefault("https://html.duckduckgo.com/html/"),
  needs: "address",
  secrets: () => [], // everybody knows the address
  accept: "text/html",
  ask: (address, query) => {
    const url = new URL(address.url);
    url.searchParams.set("q", query);
    return { address: { ...address, url } };
  },
  read: async (text, pause) => {
    const page = new ResultsPage();
    await readHtml(text, page, pause).catch((error: unknown) => {
      throw error instanceof TooComplex ? changed(NAME, error.message) : error;
    });
    // it asks for a picture puzzle where it takes the asker for a program
    if (page.isPuzzle)
      throw new JobFailure("PROVIDER_REFUSED", `${NAME} asks if a person searches: wait, or use SearXNG`);
    if (page.links === 0 && !page.isEmpty) throw changed(NAME, "neither results nor the words for none");
    return page.found();
  },
});

interface Result {
  readonly isAdvertisement: boolean;
  href: string | undefined;
  title: string;
  snippet: string;
}

class ResultsPage implements HtmlReader {
  links = 0;
  isEmpty = false;
  isPuzzle = false;
  private readonly results: Result[] = [];
  /** What the text belongs to, until the tag ends. */
  private field: { readonly name: "title" | "snippet"; readonly tag: string } | undefined;

  open(tag: string, attributes: Attributes): void {
    const classes = classesOf(attributes);
    this.isPuzzle ||= classes.some((each) => each.startsWith("anomaly"));
    this.isEmpty ||= classes.includes("no-results");
    if (classes.includes("result")) {
      const isAdvertisement = classes.includes("result--ad");
      this.results.push({ isAdvertisement, href: undefined, title: "", snippet: "" });
    }
    if (tag === "a" && classes.includes("result__a")) this.beginLink(attributes.get("href"));
    if (classes.includes("result__snippet")) this.field = { name: "snippet", tag };
  }

  close(tag: string): void {
    if (this.field?.tag === tag) this.field = undefined;
  }

  text(text: string): void {
    const result = this.results.at(-1);
    if (result && this.field) result[this.field.name] += text;
  }

  /** Without advertisements. Throws PROVIDER_CHANGED. */
  found(): readonly FoundPage[] {
    return this.results.flatMap(({ isAdvertisement, href, title, snippet }) => {
      if (href === undefined) return [];
      const url = targetOf(href);
      if (isAdvertisement || /^https?:\/\/(\w+\.)?duckduckgo\.com\/y\.js/.test(url)) return [];
      if (title.trim() === "") throw changed(NAME, "a result without a title");
      return [{ title, snippet, url }];
    });
  }

  private beginLink(href = ""): void {
    const result = this.results.at(-1);
    if (!result) throw changed(NAME, "a link outside of a result");
    this.links += 1;
    result.href = href;
    this.field = { name: "title", tag: "a" };
  }
}

/** Where a link leads in the end. */
function targetOf(href: string): string {
  const base = "https://duckduckgo.com";
  if (!URL.canParse(href, base)) return href;
  const url = new URL(href, base);
  const isDetour = /(^|\.)duckduckgo\.com$/.test(url.hostname) && url.pathname.startsWith("/l/");
  return isDetour ? (url.searchParams.get("uddg") ?? "") : url.href;
}
