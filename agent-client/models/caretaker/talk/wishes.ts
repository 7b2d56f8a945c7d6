import { JOINTS, sentencesIn } from "./sentences.js";
import { isClear, understandClause } from "./understand.js";
import type { Wish } from "./wish.js";

/** A choice: with some calls each they are done within the rounds of a turn. */
export const MAX_WISHES = 5;
/** Choices: nobody says more in a sentence, and any text is understood within milliseconds. */
const LONGEST_SENTENCE = 500;
const MAX_JOINTS = 12;

/** All wishes in a person's words, in their order. */
export const wishesIn = (texts: readonly string[]): readonly Wish[] =>
  texts
    .flatMap(sentencesIn)
    .flatMap((sentence) => new Divided(sentence).wishes())
    .filter(isSaid);

/** "mist the fern, and put perlite on the shopping list": divided only where the rest is clearly a wish of its own. */
class Divided {
  private readonly known = new Map<number, readonly Wish[]>();
  private readonly joints: readonly { readonly from: number; readonly to: number }[];

  constructor(private readonly sentence: string) {
    this.joints = [...sentence.matchAll(JOINTS)]
      .slice(0, MAX_JOINTS)
      .map(({ 0: joint, index }) => ({ from: index, to: index + joint.length }));
  }

  wishes(): readonly Wish[] {
    const { sentence } = this;
    return sentence.length > LONGEST_SENTENCE ? [{ kind: "unknown", text: sentence }] : this.from(0);
  }

  private from(start: number): readonly Wish[] {
    const known = this.known.get(start) ?? this.divide(start);
    this.known.set(start, known);
    return known;
  }

  private divide(start: number): readonly Wish[] {
    for (const joint of this.joints.filter(({ from }) => from > start)) {
      const left = understandClause(this.sentence.slice(start, joint.from));
      const rest = left.kind === "unknown" ? [] : this.from(joint.to);
      const [next] = rest;
      if (next && isClear(next)) return [left, ...rest];
    }
    return [understandClause(this.sentence.slice(start))];
  }
}

const isSaid = (wish: Wish, _: number, all: readonly Wish[]): boolean =>
  wish.kind !== "nothing" && (all.length === 1 || (wish.kind !== "hello" && wish.kind !== "thanks"));
