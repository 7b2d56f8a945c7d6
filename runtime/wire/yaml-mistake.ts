import { type Document, type LineCounter, visit, type YAMLParseError, type YAMLWarning } from "yaml";

/**
 * The first mistake of a text that is no YAML, in plain words for those that people make most, else in the parser's: what comes
 * after it mostly follows from it. No value is in the words: the file may hold secrets.
 */
export function firstMistake(
  document: Document.Parsed,
  text: string,
  lines: LineCounter,
): string | undefined {
  const [first] = [...document.errors, ...document.warnings];
  if (!first) return undefined;
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const known = KNOWN.find(({ is }) => is(first, text));
  if (!known) return `: ${first.message.trim()}`;
  const at = known.isQuote ? quoteBefore(document, first.pos[0]) : first.pos[0];
  return `:${lineAt(at)}: ${known.words(first)}`;
}

type Mistake = YAMLParseError | YAMLWarning;

interface Known {
  is(mistake: Mistake, text: string): boolean;
  words(mistake: Mistake): string;
  /** It is told where the quote begins: the parser tells where the text ends. */
  readonly isQuote?: true;
}

const BRACKET = /end with a ([\]}])/;

const KNOWN: readonly Known[] = [
  {
    is: ({ code, pos }, text) => code === "MULTILINE_IMPLICIT_KEY" && /^[\w-]+:\S/.test(text.slice(pos[0])),
    words: () => "a space is missing after the colon",
  },
  {
    is: ({ code, message }) => code === "MISSING_CHAR" && /^Missing closing ["']quote/.test(message),
    words: () => "the quote that begins here is not closed",
    isQuote: true,
  },
  {
    is: ({ code }) => code === "TAB_AS_INDENT",
    words: () => "a tab stands at the beginning of the line: write spaces",
  },
  {
    is: ({ message }) => BRACKET.test(message),
    words: ({ message }) => `a ${BRACKET.exec(message)?.[1]} is missing here or before`,
  },
];

/** Where the last text in quotes begins: one that is not closed goes on to the end of the file. */
function quoteBefore(document: Document.Parsed, end: number): number {
  let last = end;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") && range) last = range[0];
    },
  });
  return last;
}
