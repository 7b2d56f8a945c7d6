import { folded } from "../../word-stems.js";

/**
 * Whether a word is spelled as given names are, rather than as words: by its groups of three letters, which are counted in both (a naive
 * Bayes classifier). "Jorinde" is in no list, and "schmetterlinge" in none either.
 */
export function nameShape(names: Iterable<string>, words: Iterable<string>): (word: string) => number {
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
