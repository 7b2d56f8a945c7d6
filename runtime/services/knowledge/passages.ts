import type { FoundPassage, IndexedDocument } from "../../store/passage-index.js";
import type { KnowledgeText } from "../module.js";

/**
 * Code units in a passage. A choice: five of them are some 1,200 tokens of a model's prompt, and one still has a whole
 * thought or paragraph.
 */
const LONGEST = 1000;

const HEADING = /^#{1,6} .*$/m;

/**
 * Splits a text into passages for an answer: at headings of Markdown, then between paragraphs, sentences, words. A passage that is
 * not the first below its heading begins with it too.
 */
export const passagesOf = (text: string): readonly string[] =>
  sectionsOf(text.replaceAll("\r\n", "\n")).flatMap(({ heading, body }) => {
    const room = LONGEST - heading.length - 1;
    const pieces = room > LONGEST / 2 ? split(body, room) : split(`${heading}\n${body}`, LONGEST);
    const whole = pieces.length === 0 ? [""] : pieces;
    return whole.map((piece) => (room > LONGEST / 2 ? `${heading}\n${piece}`.trim() : piece)).filter(Boolean);
  });

interface Section {
  /** "" before the first heading. */
  readonly heading: string;
  readonly body: string;
}

function sectionsOf(text: string): readonly Section[] {
  const sections: { heading: string; body: string }[] = [{ heading: "", body: "" }];
  for (const line of text.split("\n")) {
    const last = sections.at(-1);
    if (HEADING.test(line)) sections.push({ heading: line, body: "" });
    else if (last) last.body += `${line}\n`;
  }
  return sections.filter(({ heading, body }) => heading !== "" || body.trim() !== "");
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
  let piece = "";
  for (const character of text) {
    if (piece.length + character.length > longest) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...pieces, piece];
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

export const documentOf = (
  id: string,
  { title, text, owner, isPrivate = false, at, metadata = {} }: KnowledgeText,
  tainted: readonly string[] = [],
): IndexedDocument => ({ id, title, passages: passagesOf(text), owner, isPrivate, at, metadata, tainted });

/** The kind of a passage and what it is called: "file: pump manual". */
export const sourceOf = ({ type, title }: Pick<FoundPassage, "type" | "title">): string =>
  title === "" ? type : `${type}: ${title}`;
