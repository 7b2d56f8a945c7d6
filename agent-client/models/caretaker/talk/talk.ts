import { readOpening } from "../../../turns/prompt.js";
import type { Message, Reply } from "../../model.js";
import { exchangesOf } from "../facts.js";
import { carryOut } from "./carry-out.js";
import { isClear, JOINTS, sentencesIn, understandClause } from "./understand.js";
import type { Steps, TalkContext, Wish } from "./wish.js";

/** Answers a person, or does a task, by rules. */
export function talk(conversation: readonly Message[]): Reply {
  return carryOutAll(wishesIn(readOpening(openingOf(conversation)).asked), conversation);
}

const openingOf = (conversation: readonly Message[]): string =>
  conversation.find(({ role }) => role === "user")?.content ?? "";

/**
 * Carries the wishes out and says what came of it. It keeps no state: each time it goes through the wishes again with the
 * answers that the conversation has, up to the first call that was not made yet.
 */
export function carryOutAll(wishes: readonly Wish[], conversation: readonly Message[]): Reply {
  const { time } = readOpening(openingOf(conversation));
  const exchanges = exchangesOf(conversation);
  const steps = all(wishes.slice(0, MAX_WISHES), { time });
  let step = steps.next();
  for (const exchange of exchanges) if (!step.done) step = steps.next(exchange);
  if (!step.done) return { toolCalls: [{ id: `call-${exchanges.length + 1}`, ...step.value }] };
  const more = wishes.length - MAX_WISHES;
  const rest = more > 0 ? [`I took the first ${MAX_WISHES} things. Please write the others again.`] : [];
  return { text: [...step.value, ...rest].join("\n"), toolCalls: [] };
}

function* all(wishes: readonly Wish[], context: TalkContext): Steps<readonly string[]> {
  const said: string[] = [];
  for (const wish of wishes) said.push(yield* carryOut(wish, context));
  return [...new Set(said)].filter((text) => text !== "");
}

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
