import type { TurnKind } from "../wire/chats.js";
import type { Identity } from "../wire/identity.js";

/** The words of strangers that an agent has read: in a turn, or without one by its token in the last 24 hours. */
export interface Taint {
  /** Where they came from, the first ones first; empty if none were read. */
  readonly sources: readonly string[];
  /** Resolves once it counts, whatever happens next. */
  add(sources: readonly string[]): Promise<void> | void;
}

/** Of calls that no words can mislead: a person's, and those that switch off. */
export const UNTAINTED: Taint = { sources: [], add: () => undefined };

/** What a record keeps of it: where words of strangers came from that whoever wrote it had read before. */
export interface Tainted {
  readonly tainted?: readonly string[];
}

/** The source of what a camera of the house has seen: whoever was in the room may have held words before it. */
export const FROM_PHOTO = "a photo";

/**
 * Of these sources, those that count for what a plant gets. A care cycle that looks at its plant waters it within the rules, as one
 * that does not look: a yes for each such dose would end the looking. One name for all photos, so that many of them push no
 * other source out of the few that are remembered.
 */
export const exceptPhotos = (sources: readonly string[]): readonly string[] =>
  sources.filter((source) => source !== FROM_PHOTO);

/** For the record that a call writes. Nothing is written where nothing was read. */
export const taintOf = ({ taint }: { readonly taint: Taint }): Tainted =>
  taint.sources.length === 0 ? {} : { tainted: taint.sources };

/** For the results that show these records. */
export const sourcesIn = (records: readonly Tainted[]): readonly string[] => [
  ...new Set(records.flatMap(({ tainted = [] }) => tainted)),
];

/** For a record that is made of several lines. */
export function bothTainted(...records: readonly Tainted[]): Tainted {
  const tainted = sourcesIn(records);
  return tainted.length === 0 ? {} : { tainted };
}

export interface CallTurn {
  readonly id: string;
  readonly kind: TurnKind;
  /** Whose turn it is: a person, or the household. */
  readonly person: string;
  readonly chat: string | null;
  /** Throws TURN_OVER. */
  assertOpen(): void;
  /** Shows a call to the person who waits. The result is to be called with "done", or the code of a refusal. */
  showCall(tool: string, title: string): (outcome: string) => void;
}

/** Who calls, and in which turn that says it is. */
interface Caller {
  readonly identity: Identity;
  readonly instance?: string | undefined;
  /** As received. */
  readonly turn?: unknown;
}

/** Knows the open turns. The registry asks it before each call. */
export interface TurnGate {
  /** Undefined for a call without a turn. Throws INVALID_ARGUMENT, and TURN_OVER for a turn that is not this caller's. */
  turnOf(caller: Caller): CallTurn | undefined;
  taintOf(identity: Identity, turn: CallTurn | undefined): Taint;
  /** Ends all waiting for turns. */
  close(): void;
}

/**
 * Signs in words of strangers that they were written for a model and not for a reader. Advisory: they are told to the agent
 * and the log, and nothing depends on them, since no list of signs knows every way to write an order.
 */
const SIGNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: "asks to ignore instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass|ignoriere|vergiss|ignora|olvida|esqueça|ignore[zm]?)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|above|previous|anweisungen|regeln|instrucciones|reglas|instruções|regras|consignes)\b/iu,
  },
  {
    name: "speaks as the system",
    pattern:
      /<\|?(?:im_start|im_end|system|assistant|user|endoftext)\|?>|\[\/?(?:INST|SYS|SYSTEM)\]|<<SYS>>|(?:^|["\n]|\\n)\s*(?:###? ?)?(?:system|assistant|developer)(?: (?:message|prompt|note|update))? ?:/iu,
  },
  {
    name: "speaks to a model",
    pattern:
      /\b(?:(?:attention|note|message|instructions?|reminder) (?:to|for) (?:the |any |all )?(?:ai|llm|assistant|agent|model|chatbot)s?|if you are an? (?:ai|llm|assistant|agent|language model|bot)|(?:dear|hey|hello) (?:ai|assistant|agent|chatgpt|claude|gemini)|as an ai\b|you are now (?:an?|in|called|my)\b|from now on,? you|act as (?:an?|the)|wenn du eine ki|si eres una ia|se você é uma ia)/iu,
  },
  {
    name: "names a tool",
    pattern:
      /\b(?:dispense_water|turn_on_light|turn_light|call_ha_service|sendemail|send_email|save_memory|update_user_profile|save_notes|add_task|scheduleagenttask|search_web|task_tool|list_tool|log_thought|tool_calls?|function_call)\b/i,
  },
  {
    name: "asks for secrets",
    pattern:
      /\b(?:send|reveal|print|show|repeat|tell|include|post|share|forward|leak|schicke|verrate|envía|revela|envie)\b.{0,40}\b(?:your|my|the|all|any|every|deine?|tus?|seus?) (?:\w+ )?(?:system prompt|instructions|prompt|rules|passwords?|tokens?|api keys?|secrets?|credentials|passwort|contraseña|senha)\b/iu,
  },
  {
    name: "asks to act unasked",
    pattern:
      /\b(?:without (?:asking|telling|confirmation|approval)|do not (?:tell|ask|mention|inform|notify)|don't (?:tell|ask|mention|inform|notify)|no need to (?:ask|confirm)|already (?:approved|authori[sz]ed|confirmed) (?:by|this)|(?:owner|user|person) (?:has )?(?:already )?(?:approved|authori[sz]ed|confirmed|agreed)|ohne (?:zu fragen|nachzufragen|rückfrage)|sin preguntar|sem perguntar)\b/iu,
  },
  {
    name: "has signs that do not show",
    pattern: /[\u{e0000}-\u{e007f}]|[\u200b\u2060\u202a-\u202e\u2066-\u2069]/u,
  },
];

/** A choice: longer results are few, and what is behind that is cut by most models. */
const LOOKED_AT = 200_000;

/** The signs in a text, by name. */
export function suspicionsIn(text: string): readonly string[] {
  const start = text.slice(0, LOOKED_AT);
  return SIGNS.filter(({ pattern }) => pattern.test(start)).map(({ name }) => name);
}
