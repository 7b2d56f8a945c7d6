import { type Attributes, type HtmlReader, readHtml } from "../../wire/html.js";

/** Elements that have no text for a reader. */
const SILENT = new Set([
  ...[
    "script",
    "style",
    "template",
    "noscript",
    "noembed",
    "noframes",
    "iframe",
    "object",
    "svg",
    "math",
    "canvas",
  ],
  ...["audio", "video", "select", "textarea", "button", "dialog"],
]);
/** Elements without an end (HTML, 13.1.2). */
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements whose end may be left out: the next of its kind ends it (HTML, 13.1.2.4). */
const OPEN_ENDED = new Set("dd dt li option p td th tr".split(" "));
/** Elements that begin a line. */
const BLOCKS = new Set(
  "address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form head header hr html legend li main nav ol p pre section summary table tbody tfoot thead title tr ul".split(
    " ",
  ),
);
const HEADING = /^h([1-6])$/;
/** Styles by which a text does not show. */
const HIDING =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?![.\d]*[1-9])|font-size\s*:\s*0(?![.\d]*[1-9])|(?:text-indent|left|top)\s*:\s*-\d{3,}/i;

/**
 * The text of a page as a reader sees it, with headings of Markdown. What does not show is left out, since it may be meant for
 * a model alone: scripts, comments, elements that are hidden by an attribute or by their own style. A style sheet is not
 * followed. Throws TooComplex.
 */
export async function htmlText(html: string, pause: () => Promise<void>): Promise<string> {
  const page = new VisibleText();
  await readHtml(html, page, pause);
  return page.all();
}

class VisibleText implements HtmlReader {
  private readonly lines: string[] = [];
  private line = "";
  /** The element that is left out, and how many of its kind are open in it. */
  private hidden: { readonly tag: string; depth: number } | undefined;

  open(tag: string, attributes: Attributes): void {
    if (this.hidden && this.staysHidden(tag)) return;
    const heading = HEADING.exec(tag)?.[1];
    if (heading !== undefined || BLOCKS.has(tag)) this.endLine();
    if (heading !== undefined) this.line = `${"#".repeat(Number(heading))} `;
    if (tag === "li") this.line = "- ";
    if (tag === "td" || tag === "th") this.line += " ";
    if (!VOID.has(tag) && (SILENT.has(tag) || isHidden(attributes))) this.hidden = { tag, depth: 1 };
  }

  close(tag: string): void {
    if (this.hidden) {
      if (tag !== this.hidden.tag) return;
      this.hidden.depth -= 1;
      if (this.hidden.depth === 0) this.hidden = undefined;
      return;
    }
    if (HEADING.test(tag) || BLOCKS.has(tag)) this.endLine();
  }

  text(text: string): void {
    if (!this.hidden) this.line += text;
  }

  all(): string {
    this.endLine();
    return this.lines.join("\n");
  }

  /** Whether an element that begins now is left out with the one around it. */
  private staysHidden(tag: string): boolean {
    if (!this.hidden || tag !== this.hidden.tag) return true;
    if (OPEN_ENDED.has(tag) && this.hidden.depth === 1) {
      this.hidden = undefined;
      return false;
    }
    this.hidden.depth += 1;
    return true;
  }

  private endLine(): void {
    const line = this.line
      .replaceAll(/\s+/g, " ")
      .replaceAll(/\p{Cf}/gu, "")
      .trim();
    this.line = "";
    if (line !== "" && line !== "-" && !/^#+$/.test(line))
      this.lines.push(line, ...(line.startsWith("- ") ? [] : [""]));
  }
}

const isHidden = (attributes: Attributes): boolean =>
  attributes.has("hidden") ||
  attributes.get("aria-hidden") === "true" ||
  HIDING.test(attributes.get("style") ?? "");
