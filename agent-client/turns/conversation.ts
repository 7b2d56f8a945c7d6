import type { z } from "zod";
import { chatMessages, type waitingChat } from "../../runtime/wire/chats.js";
import { ChildSignal, type Millis, seconds } from "../clock.js";
import { SENDER } from "../models/failover.js";
import { type ChatLine, type ConversationParts, conversationPrompt, houseSections } from "./prompt.js";
import { Turn, type TurnParts, type Work, work } from "./turn.js";

export type WaitingChat = z.output<typeof waitingChat>;

/** A choice: more than fits into the prompt's budget, and what is older is not what the person means. */
const MESSAGES_READ = 40;

/** Characters of an answer: the runtime takes 8000, with the notice of what was cut. */
const LONGEST_ANSWER = 7900;

/**
 * Answers the person of a chat, once: the models work, and the text of the last reply is sent. What a killed agent had done
 * before is not done a second time, since the same calls have the same keys. False if no turn could begin. Rejects with a
 * LinkError, or with the signal's reason.
 */
export const answer = (chat: WaitingChat, parts: TurnParts): Promise<boolean> =>
  Turn.during(
    parts,
    { kind: "conversation", chat_id: chat.chat_id },
    `in the chat of ${chat.user_id}`,
    (turn) => converse(turn, chat, parts),
  );

async function converse(turn: Turn, chat: WaitingChat, parts: TurnParts): Promise<void> {
  const read = await readChat(turn, chat.chat_id);
  if (read === undefined) return turn.end("failed", "the chat cannot be read");
  const { before, asked, newest, unread, untrusted } = read;
  const done = watchEnd(turn, parts);
  const prompt = async () =>
    conversationPrompt({ ...(await known(turn, parts, asked)), before, asked, unread, untrusted });
  const result = await work(turn, parts, { kind: "conversation", prompt, seed: newest }).finally(done);
  const text = answerOf(result);
  if (text === undefined) return turn.end("failed", "the link to the runtime broke");
  const sent = await turn.say("send_chat_message", { text });
  turn.signal.throwIfAborted();
  if (!sent.ok) parts.say(`the answer was not sent: ${sent.error.message}`);
  await turn.end(result.completed && sent.ok ? "done" : "failed", result.failure);
}

async function known(
  turn: Turn,
  { runtime }: TurnParts,
  asked: readonly string[],
): Promise<Pick<ConversationParts, "whose" | "instructions" | "sections">> {
  const whose = await turn.whose();
  const sections = await houseSections(turn.runtime, asked.join(" "), whose.zone);
  return { whose, instructions: await runtime.instructions(), sections };
}

interface ChatRead {
  readonly before: readonly ChatLine[];
  readonly asked: readonly string[];
  /** The id of the newest message to answer. */
  readonly newest: string;
  /** Messages before those that were read. */
  readonly unread: number;
  /** Where words of strangers in them came from: what the person has forwarded, say. */
  readonly untrusted: readonly string[];
}

async function readChat(turn: Turn, chat_id: string): Promise<ChatRead | undefined> {
  const result = await turn.runtime.call("list_chat_messages", { chat_id, limit: MESSAGES_READ });
  turn.signal.throwIfAborted();
  const found = result.ok ? chatMessages.safeParse(result.value).data : undefined;
  if (!found) return undefined;
  const { messages, count, unanswered } = found;
  const lines = messages.map(({ timestamp: at, from, text, message_id }) => ({ at, from, text, message_id }));
  const waiting = lines.filter(({ from }) => from === "person").slice(-Math.max(1, unanswered));
  const newest = waiting.at(-1)?.message_id;
  if (newest === undefined) return undefined;
  const before = lines.filter((line) => !waiting.includes(line));
  return {
    before,
    asked: waiting.map(({ text }) => text),
    newest,
    unread: Math.max(0, count - messages.length),
    untrusted: result.untrusted ?? [],
  };
}

/** Without an answer of a model the person is told why. Undefined: nothing can be said now. */
function answerOf({ completed, answer: text, failure, hasActed }: Work): string | undefined {
  if (completed) return shortened(text);
  if (failure === undefined) return undefined;
  const part = hasActed ? " Some of what you asked for may be done already: look before you ask again." : "";
  return shortened(`I could not answer: ${failure}.${part} ${SENDER}`);
}

function shortened(text: string): string {
  const characters = [...text];
  const more = characters.length - LONGEST_ANSWER;
  if (more <= 0) return text;
  return `${characters.slice(0, LONGEST_ANSWER).join("")}\n(cut here: ${more} more characters)`;
}

/** A choice: a person who ended a turn does not wait, and a model may think for minutes without a call. */
const LOOK_EVERY: Millis = seconds(2);

/**
 * Looks now and then whether the chat still waits for an answer, and ends the turn if it does not, until the returned
 * function is called. It reads the agenda: to read the chat would count as having seen what the person writes meanwhile.
 */
function watchEnd(turn: Turn, parts: Pick<TurnParts, "runtime" | "clock">): () => void {
  const watching = new ChildSignal(turn.signal);
  void look(turn, parts, watching.signal).catch(() => undefined); // the work itself reports a broken link
  return () => watching.abort();
}

async function look(
  turn: Turn,
  { runtime, clock }: Pick<TurnParts, "runtime" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(LOOK_EVERY, signal);
    const agenda = await runtime.agenda();
    signal.throwIfAborted();
    const isWaiting = agenda?.chats.some(({ chat_id }) => chat_id === turn.begun.chat_id) ?? true;
    if (!isWaiting) turn.stop("nobody waits for the answer any more");
  }
}
