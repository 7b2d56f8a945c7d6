/** A word, a run of digits, or a mark such as a colon. */
interface Token {
  /** In lower case, without accents on letters. */
  readonly text: string;
  /** No space stands before it. */
  readonly glued: boolean;
}

/**
 * The name of a zone, such as "america/new_york" or "utc+02:00"; a word with its apostrophe; digits; one mark.
 * "mon/wed/fri" names no zone.
 */
const TOKEN =
  /(?:utc|gmt)[+-]\d{1,2}(?::?\d\d)?|(?!(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\/)[a-z]+(?:_[a-z]+)*(?:\/[a-z][a-z_+-]*\d*)+|[a-z]+(?:'[a-z]*)?|\d+|[^\sa-z\d]/gu;

/** Slips and short forms that can be no other word of a time. "thusday" can be two. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [
    ["tomorrow", "tmrw tmr tommorow tommorrow tomorow"],
    ["night", "nite"],
    ["tonight", "tonite"],
    ["february", "febuary"],
    ["tuesday", "tuseday"],
    ["wednesday", "wednsday wensday wendsday"],
    ["thursday", "thrusday"],
    ["saturday", "satuday saterday"],
    ["minutes", "mintues minuts"],
  ].flatMap(([right = "", slips = ""]) => slips.split(" ").map((slip) => [slip, right] as const)),
);

/** The pieces of a phrase, in order; nothing is left out but spaces. */
export function tokensOf(phrase: string): readonly Token[] {
  const text = plain(phrase);
  return [...text.matchAll(TOKEN)].map(({ 0: piece, index }) => ({
    text: SPELLINGS.get(piece) ?? piece,
    glued: index > 0 && !/\s/u.test(text[index - 1] ?? ""),
  }));
}

/** Quotes and dashes are written as a keyboard has them, "o clock" as "o'clock"; a "please" and the last exclamation marks say nothing. */
const plain = (phrase: string): string =>
  phrase
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[‘’´`]/gu, "'")
    .replace(/\bo\s*'?\s*clock\b/gu, "o'clock")
    .replace(/[\s!]+$/u, "")
    .replace(/[\s,]+(?:please|pls|plz|por favor)$/u, "")
    .replace(/[‐-―−]/gu, "-");

/** Words and what each stands for. */
export type Table<V> = readonly (readonly [written: string, value: V])[];

/** What the captures of a pattern are: "{day} at {clock}?" gives [T["day"], T["clock"] | undefined]. */
type Captures<T, P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? [Capture<T, N, Rest>, ...Captures<T, Rest>]
  : [];
type Capture<T, N, Rest> = N extends keyof T ? (Rest extends `?${string}` ? T[N] | undefined : T[N]) : never;

interface Element {
  /** The texts that it matches, or undefined for a name in braces. */
  readonly texts?: readonly string[];
  readonly name?: string;
  readonly optional: boolean;
  /** No space may stand before it. */
  readonly glued: boolean;
}

interface Rule {
  readonly elements: readonly Element[];
  /** The words with which it can begin; undefined where a name is among them. Most rules need no further look at a place. */
  readonly firsts: ReadonlySet<string> | undefined;
  build(captured: readonly unknown[]): unknown;
}

/** A value, and the number of the token behind what it was read from. */
type Match = readonly [value: unknown, end: number];

/**
 * A grammar as a table of rules. It finds every way to read a phrase as a whole, so that what can be read in two ways is seen to
 * be ambiguous. `T` says what each name stands for.
 *
 * A pattern has words ("in|within"), names ("{day}"), a `?` behind what may be missing, and a `~` in front of what must follow
 * without a space. `build` gets the value of each name, and undefined for a missing one. Where it returns undefined, the rule
 * does not apply. No name may stand first in a rule of its own.
 */
export class Grammar<T extends object> {
  private readonly rules = new Map<string, Rule[]>();

  /** `patterns`: one, or several with the same names in the same order. */
  rule<N extends keyof T & string, const P extends string>(
    name: N,
    patterns: P | readonly P[],
    build: (...captured: Captures<T, P>) => T[N] | undefined,
  ): this {
    const untyped = build as (...captured: unknown[]) => unknown;
    const rules = this.rules.get(name) ?? [];
    for (const pattern of [patterns].flat()) {
      const elements = pattern.split(" ").map(elementOf);
      rules.push({ elements, firsts: firstsOf(elements), build: (captured) => untyped(...captured) });
    }
    this.rules.set(name, rules);
    return this;
  }

  /** Rules with one name, whose value is their own. */
  same<N extends keyof T & string, const P extends string>(
    name: N,
    patterns: (P | readonly P[]) & (Captures<T, P> extends readonly [T[N]] ? unknown : never),
  ): this {
    return this.rule(name, patterns as readonly string[], (...captured: unknown[]) => captured[0] as T[N]);
  }

  /** A rule for each row: what is written, several ways parted by commas, and what it stands for. */
  table<N extends keyof T & string>(name: N, rows: Table<T[N]>): this {
    for (const [written, value] of rows)
      for (const pattern of written.split(",")) this.rule(name, pattern.trim(), () => value);
    return this;
  }

  /** Every value that the name can have where all tokens belong to it. */
  readings<N extends keyof T & string>(name: N, tokens: readonly Token[]): readonly T[N][] {
    const matches = new Run(this.rules, tokens).matches(name, 0);
    return matches.filter(([, end]) => end === tokens.length).map(([value]) => value as T[N]);
  }

  /**
   * The number of the first token with which no rule goes on; that of the token behind the last one where a rule wants more than
   * there is.
   */
  furthest<N extends keyof T & string>(name: N, tokens: readonly Token[]): number {
    const run = new Run(this.rules, tokens);
    run.matches(name, 0);
    return run.furthest;
  }
}

function elementOf(written: string): Element {
  const glued = written.startsWith("~");
  const optional = written.endsWith("?");
  const text = written.slice(glued ? 1 : 0, optional ? -1 : undefined);
  return text.startsWith("{")
    ? { name: text.slice(1, -1), optional, glued }
    : { texts: text.split("|"), optional, glued };
}

function firstsOf(elements: readonly Element[]): ReadonlySet<string> | undefined {
  const firsts = new Set<string>();
  for (const { texts, optional } of elements) {
    if (!texts) return undefined;
    for (const text of texts) firsts.add(text);
    if (!optional) return firsts;
  }
  return undefined;
}

/** The work on one phrase. What a name can be at a place is found once. */
class Run {
  private readonly known = new Map<string, readonly Match[]>();
  furthest = 0;

  constructor(
    private readonly rules: ReadonlyMap<string, readonly Rule[]>,
    private readonly tokens: readonly Token[],
  ) {}

  matches(name: string, at: number): readonly Match[] {
    const key = `${name}@${at}`;
    const known = this.known.get(key);
    if (known) return known;
    const found: Match[] = [];
    this.furthest = Math.max(this.furthest, at);
    const text = this.tokens[at]?.text;
    for (const rule of this.rules.get(name) ?? [])
      if (rule.firsts === undefined || (text !== undefined && rule.firsts.has(text)))
        found.push(...this.ofRule(rule, at));
    this.known.set(key, found);
    return found;
  }

  private ofRule({ elements, build }: Rule, at: number): Match[] {
    return this.ofElements(elements, 0, at).flatMap(([captured, end]) => {
      const value = build(captured);
      return value === undefined ? [] : [[value, end] as const];
    });
  }

  private ofElements(elements: readonly Element[], index: number, at: number): [unknown[], number][] {
    const element = elements[index];
    if (!element) return [[[], at]];
    const found = this.ofElement(element, at).flatMap(([value, end]) =>
      this.ofElements(elements, index + 1, end).map(([rest, last]): [unknown[], number] => [
        element.name ? [value, ...rest] : rest,
        last,
      ]),
    );
    if (!element.optional) return found;
    const without = this.ofElements(elements, index + 1, at).map(([rest, last]): [unknown[], number] => [
      element.name ? [undefined, ...rest] : rest,
      last,
    ]);
    return [...found, ...without];
  }

  private ofElement({ texts, name, glued }: Element, at: number): readonly Match[] {
    const token = this.tokens[at];
    this.furthest = Math.max(this.furthest, at);
    if (!token || (glued && !token.glued)) return [];
    if (texts) return texts.includes(token.text) ? [[undefined, at + 1]] : [];
    return name === DIGITS
      ? digitsOf(token, at)
      : name === WORD
        ? [[token.text, at + 1]]
        : this.matches(name ?? "", at);
  }
}

/** A name for any run of digits; its value is their text. */
const DIGITS = "digits";
/** A name for any token. */
const WORD = "word";

const digitsOf = ({ text }: Token, at: number): readonly Match[] =>
  /^\d+$/.test(text) ? [[text, at + 1]] : [];
