/** A mistake as the parser tells it. */
interface Mistake {
  readonly code: string;
  readonly message: string;
  /** Where it was found, in the text. */
  readonly pos: readonly [number, number];
}

interface Around {
  readonly text: string;
  lineAt(offset: number): number;
  /** Where the last text in quotes begins: one that is not closed goes on to the end of the file. */
  lastQuote(): number;
}

/**
 * What follows the file's name: plain words for the mistakes that people make most, else the parser's. No value is in them: the
 * file may hold secrets.
 */
export function mistakeInWords(mistake: Mistake, { text, lineAt, lastQuote }: Around): string {
  const known = KNOWN.find(({ is }) => is(mistake, text));
  if (!known) return `: ${mistake.message.trim()}`;
  return `:${lineAt(known.isQuote ? lastQuote() : mistake.pos[0])}: ${known.words(mistake)}`;
}

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
