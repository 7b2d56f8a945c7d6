import { createHmac, randomBytes } from "node:crypto";
import type { PrivateKind } from "../../wire/web-search.js";
import { wordsOf } from "../../word-stems.js";
import type { PrivateWords } from "../module.js";
import { foundByCue, LANGUAGE_WORDS } from "./cues.js";
import { foundByGivenName, GIVEN_NAMES, isGivenName } from "./given-names.js";
import { type Found, HouseWords } from "./house-words.js";
import { nameShape } from "./name-shape.js";
import { foundByForm } from "./patterns.js";
import { PLAIN_WORDS } from "./plain-words.js";
import { readable } from "./readable.js";

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
