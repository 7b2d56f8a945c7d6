/** Reading HTML of strangers, as a stream of tags and text: without a tree, so that no page takes long, however it is nested. */

/** The attributes of a tag. Names are in lower case. */
export type Attributes = ReadonlyMap<string, string>;

export interface HtmlReader {
  open(tag: string, attributes: Attributes): void;
  close(tag: string): void;
  text(text: string): void;
}

/** A page that would keep a program busy. */
export class TooComplex extends Error {
  override readonly name = "TooComplex";
}

/** Characters read at once. A choice: some 2 ms on a small Pi, and then others have their turn. */
const CHUNK = 8192;
/** Attributes of one tag. A choice: the parser compares each with all before, and no page needs a tenth of them. */
const MAX_ATTRIBUTES = 1000;

/** Elements whose text has no tags in it (HTML, 13.2.6.2). */
const RAW = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript"]);
const ESCAPABLE = new Set(["title", "textarea"]);

/** Reads a page; `pause` is called between its parts, and may throw. Throws TooComplex. Loads the parser when it is first called. */
export async function readHtml(text: string, reader: HtmlReader, pause: () => Promise<void>): Promise<void> {
  const { Tokenizer, TokenizerMode } = await import("parse5");

  class Bounded extends Tokenizer {
    assertFew(): void {
      const token = this.currentToken;
      if (token && "attrs" in token && token.attrs.length > MAX_ATTRIBUTES)
        throw new TooComplex("a tag has too many attributes");
    }
  }

  const say = ({ chars }: { readonly chars: string }) => reader.text(chars);
  const tokenizer = new Bounded(
    {},
    {
      onStartTag: ({ tagName, attrs }) => {
        if (RAW.has(tagName)) tokenizer.state = TokenizerMode.RAWTEXT;
        if (ESCAPABLE.has(tagName)) tokenizer.state = TokenizerMode.RCDATA;
        reader.open(tagName, new Map(attrs.map(({ name, value }) => [name, value])));
      },
      onEndTag: ({ tagName }) => reader.close(tagName),
      ...{ onCharacter: say, onWhitespaceCharacter: say },
      ...{ onNullCharacter: ignore, onComment: ignore, onDoctype: ignore, onEof: ignore },
    },
  );
  for (let at = 0; at < text.length; at += CHUNK) {
    tokenizer.write(text.slice(at, at + CHUNK), false);
    tokenizer.assertFew();
    await pause();
  }
  tokenizer.write("", true);
}

const ignore = (): void => undefined;

/** The words of `class`. */
export const classesOf = (attributes: Attributes): readonly string[] =>
  attributes.get("class")?.split(/\s+/) ?? [];
