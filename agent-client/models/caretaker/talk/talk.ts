import { readOpening } from "../../../turns/prompt.js";
import type { Message, Reply } from "../../model.js";
import { exchangesOf } from "../facts.js";
import { carryOut } from "./carry-out.js";
import type { Steps, TalkContext } from "./steps.js";
import type { Wish } from "./wish.js";
import { MAX_WISHES, wishesIn } from "./wishes.js";

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
