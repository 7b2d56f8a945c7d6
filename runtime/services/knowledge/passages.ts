import { othersTurn } from "../../../drivers/clock/system-clock.js";
import type { FoundPassage, IndexedDocument } from "../../store/passage-index.js";
import type { KnowledgeText } from "../module.js";

/**
 * Code units in a passage. A choice: five of them are some 1,200 tokens of a model's prompt, and one still has a whole
 * thought or paragraph.
 */
const LONGEST = 1000;

const HEADING = /^#{1,6} .*$/m;

/**
 * Code units that are split at once. A choice: 2 ms of processor time where all of them are short words, and five times that on a
 * small Pi. Then others have their turn: 5 MB at once kept everything waiting for more than a second, `POST /off` too.
 */
const BLOCK = 8192;
/** Where a block may end, the best place first. */
const ENDS = ["\n\n", "\r\n\r\n", "\n", " "];

/**
 * A choice: the longest text of a file (10 million code units) has as many, if each is half full. More has only a text of many
 * headings with next to nothing below them.
 */
export const MAX_PASSAGES = 20_000;

/**
 * Splits a text into passages for an answer, at most `MAX_PASSAGES`: at headings of Markdown, then between paragraphs, sentences,
 * words. A passage that is not the first below its heading begins with it too. A long text is split in short steps.
 */
export async function passagesOf(text: string): Promise<readonly string[]> {
  const passages: string[] = [];
  let heading = "";
  for (const { block, isFirst } of blocksOf(text)) {
    if (!isFirst) await othersTurn();
    for (const section of sectionsOf(block, heading)) {
      passages.push(...passagesIn(section));
      heading = section.heading;
    }
    if (passages.length >= MAX_PASSAGES) return passages.slice(0, MAX_PASSAGES);
  }
  return passages;
}

function* blocksOf(text: string): Generator<{ readonly block: string; readonly isFirst: boolean }> {
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + BLOCK);
    const end = at + BLOCK < text.length ? endIn(part) : part.length;
    yield { block: part.slice(0, end).replaceAll("\r\n", "\n"), isFirst: at === 0 };
    at += end;
  }
}

/** The last good place in its second half; else the end, but never within a character. */
function endIn(part: string): number {
  for (const end of ENDS) {
    const at = part.lastIndexOf(end);
    if (at > part.length / 2) return at + end.length;
  }
  return wholeCharacters(part, part.length);
}

/** So many code units, or one less where the last is the first half of a character. */
const wholeCharacters = (text: string, length: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length;

interface Section {
  /** "" before the first heading. */
  readonly heading: string;
  readonly body: string;
}

/** `before`: the heading above the first line. */
function sectionsOf(text: string, before: string): readonly Section[] {
  const sections: { heading: string; body: string }[] = [{ heading: before, body: "" }];
  for (const line of text.split("\n")) {
    const last = sections.at(-1);
    if (HEADING.test(line)) sections.push({ heading: line, body: "" });
    else if (last) last.body += `${line}\n`;
  }
  return sections.filter(({ body }, at) => at > 0 || body.trim() !== "");
}

function passagesIn({ heading, body }: Section): readonly string[] {
  const room = LONGEST - heading.length - 1;
  if (room <= LONGEST / 2) return split(`${heading}\n${body}`, LONGEST);
  const pieces = split(body, room);
  return (pieces.length === 0 ? [""] : pieces).map((piece) => `${heading}\n${piece}`.trim());
}

/** Where a text may be divided: the first separator that makes short pieces counts. */
const SEPARATORS = [/\n\s*\n/, /(?<=[.!?…])\s+/, /\s+/] as const;

function split(
  text: string,
  longest: number,
  [separator, ...finer]: readonly RegExp[] = SEPARATORS,
): string[] {
  const trimmed = text.trim();
  if (trimmed.length <= longest) return trimmed === "" ? [] : [trimmed];
  const parts = separator
    ? trimmed.split(separator).flatMap((part) => split(part, longest, finer))
    : inPieces(trimmed, longest);
  return joined(parts, longest, separator === SEPARATORS[0] ? "\n\n" : " ");
}

/** Text without blanks: by length alone, and never within a character. */
function inPieces(text: string, longest: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0)
    pieces.push(text.slice(at, at + wholeCharacters(text.slice(at), longest)));
  return pieces;
}

/** Neighbours come together as long as they are short. */
function joined(parts: readonly string[], longest: number, between: string): string[] {
  const pieces: string[] = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + between.length + part.length <= longest)
      pieces[pieces.length - 1] = `${last}${between}${part}`;
    else pieces.push(part);
  }
  return pieces;
}

export async function documentOf(
  id: string,
  { title, text, owner, isPrivate = false, at, metadata = {} }: KnowledgeText,
  tainted: readonly string[] = [],
): Promise<IndexedDocument> {
  return { id, title, passages: await passagesOf(text), owner, isPrivate, at, metadata, tainted };
}

/** The kind of a passage and what it is called: "file: pump manual". */
export const sourceOf = ({ type, title }: Pick<FoundPassage, "type" | "title">): string =>
  title === "" ? type : `${type}: ${title}`;
