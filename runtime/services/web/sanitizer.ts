import { createHmac, randomBytes } from "node:crypto";
import type { PrivateKind } from "../../wire/web-search.js";
import { folded, wordsOf } from "../../word-stems.js";
import type { PrivateWords } from "../module.js";
import { foundByCue, LANGUAGE_WORDS } from "./cues.js";
import { foundByGivenName, GIVEN_NAMES, isGivenName } from "./given-names.js";
import { type Found, HouseWords, PLAIN_WORDS } from "./house-words.js";
import { foundByForm } from "./patterns.js";

let shape: ReturnType<typeof nameShape> | undefined;
/** Made for the first search: counting all the words takes 12 ms, which a start need not wait for. */
const shapeOf = (word: string): number => {
  shape ??= nameShape(GIVEN_NAMES, [...LANGUAGE_WORDS, ...PLAIN_WORDS]);
  return shape(word);
};

/** Something that was removed: what it was is only in the hash. */
export interface Removed {
  readonly kind: PrivateKind;
  /** Equal for equal things until the runtime stops; nobody can work out the thing from it. */
  readonly hash: string;
}

export interface Cleaned {
  readonly text: string;
  readonly removed: readonly Removed[];
}

/**
 * Removes from a text what is somebody's or this house's alone. It finds names of the house by its own data, and the rest by
 * its form; a person whom the house does not know is found by a common given name, a title, a relative, a room or a gift, or words such
 * as "my name is".
 */
export class Sanitizer {
  /** A plain hash of a telephone number can be worked out by trying all numbers. This key is never written anywhere. */
  private readonly key = randomBytes(32);

  clean(given: string, names: Iterable<PrivateWords>): Cleaned {
    const text = readable(given);
    const spans = privateSpans(text, names);
    let rest = "";
    let at = 0;
    for (const { from, to } of spans) {
      rest += `${text.slice(at, from)} `;
      at = to;
    }
    return {
      text: `${rest}${text.slice(at)}`.replaceAll(/\s+/g, " ").trim(),
      removed: spans.map(({ kind, from, to }) => ({ kind, hash: this.hash(text.slice(from, to)) })),
    };
  }

  private hash(thing: string): string {
    const same = thing.toLowerCase().replaceAll(/[\s-]+/g, " ");
    return createHmac("sha256", this.key).update(same).digest("hex").slice(0, 16);
  }
}

/** What of a readable text is private, in its order. */
export function privateSpans(text: string, names: Iterable<PrivateWords>): readonly Found[] {
  const all = [...names];
  const persons = new Set(all.flatMap(({ kind, words }) => (kind === "person" ? wordsOf(words) : [])));
  const isName = (word: string) => persons.has(word) || isGivenName(word);
  return merged([
    ...new HouseWords(all).find(text),
    ...foundByForm(text),
    ...foundByGivenName(text),
    ...foundByCue(text, isName, shapeOf),
  ]);
}

/** Spans that overlap are one thing, of the longest one's kind. */
function merged(found: readonly Found[]): readonly Found[] {
  const all: Found[] = [];
  for (const span of [...found].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (!last || span.from >= last.to) all.push(span);
    else {
      const { kind } = span.to - span.from > last.to - last.from ? span : last;
      all[all.length - 1] = { kind, from: last.from, to: Math.max(last.to, span.to) };
    }
  }
  return all;
}

/**
 * Whether a word is spelled as given names are, rather than as words: by its groups of three letters, which are counted in both (a naive
 * Bayes classifier). "Jorinde" is in no list, and "schmetterlinge" in none either.
 */
function nameShape(names: Iterable<string>, words: Iterable<string>): (word: string) => number {
  const known = new Set(names);
  const [inNames, inWords] = [logShares(known), logShares([...words].filter((word) => !known.has(word)))];
  return (word) => groupsOf(folded(word)).reduce((sum, group) => sum + inNames(group) - inWords(group), 0);
}

const SIZE = 3;
/** Additive smoothing, choices: a group that was never seen says little, and there are some 600 usual ones. */
const [UNSEEN, USUAL_GROUPS] = [0.3, 600];

/** With marks for beginning and end. */
function groupsOf(word: string): readonly string[] {
  const marked = `${"^".repeat(SIZE - 1)}${word}$`;
  return Array.from({ length: marked.length - SIZE + 1 }, (_, at) => marked.slice(at, at + SIZE));
}

function logShares(words: Iterable<string>): (group: string) => number {
  const counts = new Map<string, number>();
  let all = 0;
  for (const word of new Set(words))
    for (const group of groupsOf(word)) {
      counts.set(group, (counts.get(group) ?? 0) + 1);
      all += 1;
    }
  return (group) => Math.log(((counts.get(group) ?? 0) + UNSEEN) / (all + UNSEEN * USUAL_GROUPS));
}

/** Letters of other alphabets that look like a Latin one: the small and capital ones of Cyrillic and Greek (Unicode, confusables). */
const ALIKE: ReadonlyMap<string, string> = new Map(
  [
    ["аеорсухіјѕԁһкАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdhkABEKMHOPCTYXIJS"],
    ["αειοκνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeiokvptuxABEZHIKMNOPTYX"],
  ].flatMap(([others = "", latin = ""]) =>
    [...others].map((letter, at) => [letter, [...latin][at] ?? letter]),
  ),
);

/** A word with Latin letters and others that look like them: nobody writes so but to hide it. */
const MIXED = /(?=\p{L}*\p{Script=Latin})(?=\p{L}*[\p{Script=Cyrillic}\p{Script=Greek}])\p{L}+/gu;

/**
 * The text as a reader sees it. What does not show would cut a name in two; letters of another alphabet or width, digits of another
 * script and signs by their numbers would hide one.
 */
export const readable = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|\p{Default_Ignorable_Code_Point}|\u2800/gu, "")
    .replaceAll(/\p{Cc}/gu, " ")
    .replaceAll(/&#(\d{2,3});/g, (whole, code: string) =>
      Number(code) > 32 ? String.fromCharCode(Number(code)) : whole,
    )
    .replaceAll(/(?<=[\p{L}\d])%(40|2e|2b)(?=[\p{L}\d])/giu, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/(?!\d)\p{Nd}/gu, plainDigit)
    .replaceAll(MIXED, (word) => [...word].map((letter) => ALIKE.get(letter) ?? letter).join(""));

/** Digits of a script stand in a row, from its zero on (Unicode, General Category Nd). */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
