import type { PrivateKind } from "../../wire/web-search.js";
import type { PrivateWords } from "../module.js";
import { isPlain } from "./plain-words.js";

/** Where something private stands in a text. `to` is behind it. */
export interface Found {
  readonly kind: PrivateKind;
  readonly from: number;
  readonly to: number;
}

/** A choice: "Bo" is a name, and a single letter is not. */
const SHORTEST = 2;
/** A name's part that is looked for alone. A choice: "de" and "von" are in many texts. */
const SHORTEST_PART = 3;

interface Wanted {
  readonly kind: PrivateKind;
  readonly pattern: RegExp;
  /** Also a usual word: it only counts where it stands as a name does. */
  readonly isUsual: boolean;
}

/** Finds the names of this house in a text: without regard to case and accents, whole words, with a genitive. */
export class HouseWords {
  private readonly wanted: readonly Wanted[];

  constructor(names: Iterable<PrivateWords>) {
    const seen = new Map<string, Wanted>();
    for (const { kind, words } of names)
      for (const parts of phrasesOf(kind, words)) {
        const isUsual = parts.every(isPlain) && !isIdentifier(kind, words);
        if (!isUsual || kind === "person") seen.set(parts.join(" "), wantedOf(kind, parts, isUsual));
      }
    this.wanted = [...seen.values()];
  }

  find(text: string): readonly Found[] {
    const { folded, origin } = foldedWithOrigin(text);
    return this.wanted.flatMap(({ kind, pattern, isUsual }) =>
      [...folded.matchAll(pattern)].flatMap(({ index, 0: match }) => {
        const found = { kind, from: origin[index] ?? 0, to: origin[index + match.length] ?? text.length };
        return isUsual && !isNameAt(text, found) ? [] : [found];
      }),
    );
  }
}

/** "light.kitchen" and "pi-7" are no usual words, whatever they are made of. */
const isIdentifier = (kind: PrivateKind, name: string): boolean =>
  (kind === "entity" || kind === "device") && /[._]|\p{L}-?\d/u.test(name);

/** A whole name; of a person each part of it too. */
function phrasesOf(kind: PrivateKind, name: string): readonly (readonly string[])[] {
  const parts = wordsOf(name);
  if (parts.join("").length < SHORTEST) return [];
  if (kind !== "person" || parts.length === 1) return [parts];
  return [parts, ...parts.filter(({ length }) => length >= SHORTEST_PART).map((part) => [part])];
}

const wordsOf = (text: string): readonly string[] =>
  foldedWithOrigin(text).folded.match(/[\p{L}\p{N}]+/gu) ?? [];

const wantedOf = (kind: PrivateKind, parts: readonly string[], isUsual: boolean): Wanted => ({
  kind,
  isUsual,
  pattern: new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${parts.join("[\\s._'’-]*")}${spelled(parts)})(?:['’]?s)?(?![\\p{L}\\p{N}])`,
    "gu",
  ),
});

/** "a.n.n.a": every letter apart, of a name that is long enough to be meant. */
const spelled = (parts: readonly string[]): string => {
  const letters = [...parts.join("")];
  return letters.length >= SHORTEST_PART ? `|${letters.join("[\\s._*-]+")}` : "";
};

const PARTS =
  /^ (?:leaf|leaves|roots?|stems?|flowers?|buds?|blossoms?|soil|pot|bark|shoots?|tips?|fruits?|growth)(?!\p{L})/iu;

/** "a gift for Rose", "Rose's gift"; not "rose pruning", "Rose pruning" or "a rose's leaves". */
const isNameAt = (text: string, { from, to }: Found): boolean =>
  (/['’]s$/.test(text.slice(from, to)) && !PARTS.test(text.slice(to))) ||
  (from > 0 && /^\p{Lu}/u.test(text.slice(from)));

/** Lower case without accents, and where each code unit of that stands in the text. */
function foldedWithOrigin(text: string): { folded: string; origin: readonly number[] } {
  const origin: number[] = [];
  let folded = "";
  let at = 0;
  for (const character of text) {
    const plain = character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
    folded += plain;
    for (let unit = 0; unit < plain.length; unit += 1) origin.push(at);
    at += character.length;
  }
  return { folded, origin: [...origin, text.length] };
}
