import { z } from "zod";
import { notAllowed, TendrilError } from "../../errors.js";
import { codePoints } from "../../tools/parameters.js";
import { sourcesIn } from "../../tools/taint.js";
import { type Call, defineTool, reads, tells, untrustedIf } from "../../tools/tool.js";
import { chatMessages, sentChatMessage } from "../../wire/chats.js";
import { LONGEST_CHAT_TEXT } from "../../wire/names.js";
import { HOUSEHOLD, type Household, household, type Who, whoInput } from "../household/household.js";
import { defineModule, definePart, idsIn, personalIn, type TurnMaker } from "../module.js";
import { outbox } from "../outbox/outbox.js";
import { TURN_ERRORS, turns } from "../turns/turns.js";
import { CHAT_ERRORS, CHAT_LOG, type Chat, type MessageRecord } from "./chat.js";
import { Chats, noChat } from "./chats.js";

/** A chat, and whose it is; it may be that nobody has written into it. */
interface Place {
  readonly id: string;
  readonly person: string;
  readonly chat: Chat | undefined;
}

interface Wanted {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Finds the chat that a call means, and whether the call may. */
class ChatService {
  constructor(
    readonly chats: Chats,
    private readonly household: Household,
  ) {}

  /** Where a person writes. A chat belongs to the person who wrote into it first. Throws NOT_FOUND, FORBIDDEN. */
  placeOfPerson(call: Call, { chat_id, user_id }: Who): Place {
    if (call.identity.role !== "human")
      throw new TendrilError(TURN_ERRORS.NO_TURN, "an agent reads and writes chats in its turns only");
    if (chat_id !== undefined) this.assertMayOpen(call, chat_id, user_id);
    const named = user_id ?? (chat_id === undefined ? undefined : this.reservedFor(chat_id));
    const person = this.household.ownerOf(call, named);
    const id = chat_id ?? person;
    const chat = this.chats.find(id);
    if (chat && (!this.household.speaksFor(call, chat.person) || (user_id ?? chat.person) !== chat.person))
      throw noChat(id);
    return { id, person: chat?.person ?? person, chat };
  }

  /** The chat of the turn. Throws NOT_FOUND, FORBIDDEN. */
  placeOfTurn({ turn }: Call, { chat_id, user_id }: Who): Chat {
    const chat = turn?.chat == null ? undefined : this.chats.find(turn.chat);
    if (!chat || chat.person !== turn?.person)
      throw notAllowed("this turn has no chat: send_message_to_human reaches the people");
    if ((chat_id ?? chat.id) !== chat.id) throw noChat(chat_id ?? "");
    if ((user_id ?? chat.person) !== chat.person) throw noChat(chat.id);
    return chat;
  }

  /** A person's own chats; an agent reads that of its conversation turn. Throws NOT_FOUND, FORBIDDEN. */
  placeToRead(call: Call, who: Who): Place {
    if (call.turn) {
      if (call.turn.kind !== "conversation") throw notAllowed("a chat is read in a turn that answers it");
      const chat = this.placeOfTurn(call, who);
      return { id: chat.id, person: chat.person, chat };
    }
    const place = this.placeOfPerson(call, who);
    if (place.chat || place.id === place.person) return place;
    throw noChat(place.id);
  }

  /** The result of list_chat_messages. Throws NOT_FOUND, RESULT_TOO_LARGE. */
  async read({ id, person, chat }: Place, { turn }: Call, { after, limit }: Wanted) {
    const version = this.chats.version(id); // before the reading: what comes meanwhile is a change
    const messages = chat ? await this.chats.read(chat, limit, after) : [];
    if (turn) this.chats.noteSeen(turn, messages.at(-1)?.number ?? 0);
    return untrustedIf(sourcesIn(messages), {
      chat_id: id,
      user_id: person,
      messages: messages.map(shown),
      count: chat?.count ?? 0,
      unanswered: chat?.waiting.length ?? 0,
      version,
      turn: chat?.turn ? turnOf(chat.turn) : null,
    });
  }

  /** Says which chats an agent may answer. Throws NOT_FOUND, NOTHING_TO_ANSWER. */
  turnMaker(): TurnMaker {
    return ({ chat_id = "", user_id }, call) => {
      const chat = this.chats.find(chat_id);
      if (!chat || !this.household.mayServe(call, chat.person) || (user_id ?? chat.person) !== chat.person)
        throw noChat(chat_id);
      return this.chats.turnFor(chat);
    };
  }

  /** A name that is a person's is for that person's chat. Throws NOT_FOUND. */
  private assertMayOpen(call: Call, id: string, userId: string | undefined): void {
    const person = this.reservedFor(id);
    if (person === undefined) return;
    if (!this.household.speaksFor(call, person) || (userId ?? person) !== person) throw noChat(id);
  }

  /** The person whom the name is for: a person's own, alone or behind a channel's name, such as "telegram:anna". */
  private reservedFor(id: string): string | undefined {
    const name = id.slice(id.lastIndexOf(":") + 1);
    return name === HOUSEHOLD || this.household.person(name) !== undefined ? name : undefined;
  }
}

const shown = ({ message, timestamp, from, text, in_reply_to, turn }: MessageRecord) => ({
  message_id: message,
  timestamp,
  from,
  text,
  in_reply_to: in_reply_to ?? null,
  turn_id: turn ?? null,
});

const turnOf = ({ id, began, calls = [], outcome }: NonNullable<Chat["turn"]>) => ({
  turn_id: id,
  began,
  outcome,
  calls: calls.map((call) => ({ ...call })),
});

const chatService = definePart("chats", async (house) => {
  const { clock, realClock, complain } = house;
  const log = house.journal(CHAT_LOG);
  const chats = await Chats.open({ log, clock, realClock, outbox: await house.use(outbox), complain });
  (await house.use(turns)).watchClosing(() => chats.close());
  return new ChatService(chats, await house.use(household));
});

/** As long as a call waits for a person's yes: well within the 60 s that MCP clients allow a call. */
const LONGEST_WAIT = 20;

const text = z
  .string()
  .refine((given) => given.trim() !== "", { error: "is empty" })
  .refine((given) => codePoints(given) <= LONGEST_CHAT_TEXT, {
    error: `is longer than ${LONGEST_CHAT_TEXT} characters`,
  })
  .describe(`up to ${LONGEST_CHAT_TEXT} characters`);

const where = {
  chat_id: whoInput.chat_id,
  user_id: whoInput.user_id,
};

const sendChatMessage = defineTool({
  name: "send_chat_message",
  service: chatService,
  description: "Write into a chat: a person (by default into their own), or an agent into that of its turn.",
  facts: tells("Write into a chat"),
  role: "agent",
  words: "text",
  input: z.strictObject({
    text,
    ...where,
    in_reply_to: z.string().min(1).max(64).describe("a `message_id`").optional(),
    forwarded: z.boolean().default(false).describe("of a person: the words of somebody else"),
  }),
  output: sentChatMessage,
  run: async ({ text, in_reply_to, forwarded, ...who }, { service, call }) => {
    const message = { text, in_reply_to };
    if (call.turn) {
      const chat = service.placeOfTurn(call, who);
      return sent(chat.id, await service.chats.writeInTurn(chat, call.turn, message, call));
    }
    const by = call.identity.name;
    const { id, person } = service.placeOfPerson(call, who);
    const words = forwarded ? { ...message, tainted: [`what ${person} has forwarded`] } : message;
    return sent(id, await service.chats.writeAsPerson(id, person, words, by));
  },
});

const sent = (chat_id: string, { message, timestamp }: MessageRecord) => ({
  message_id: message,
  chat_id,
  timestamp,
});

const listChatMessages = defineTool({
  name: "list_chat_messages",
  service: chatService,
  description:
    "Messages of a chat: the newest, or the first after `after`. With `version` (of the last answer) and wait_s it waits until the chat or its turn has changed since then.",
  facts: reads("Read a chat", { world: "closed" }),
  role: "agent",
  input: z.strictObject({
    ...where,
    after: z.string().min(1).max(64).describe("a `message_id`").optional(),
    limit: z.int().min(1).max(100).default(20),
    version: z.string().min(1).max(64).optional(),
    wait_s: z.number().min(0).max(LONGEST_WAIT).default(0).describe("seconds"),
  }),
  output: chatMessages,
  run: async ({ after, limit, version, wait_s, ...who }, { service, call }) => {
    const { id } = service.placeToRead(call, who);
    if (version !== undefined) await service.chats.changed(id, version, wait_s, call);
    call.turn?.assertOpen();
    return service.read(service.placeToRead(call, who), call, { after, limit });
  },
});

/** Chats between people and the agent. */
export const chatsModule = defineModule({
  name: "chats",
  canBeOff: true,
  toolset: "chats",
  journals: [{ definition: CHAT_LOG }],
  errors: CHAT_ERRORS,
  parts: [chatService],
  tools: [sendChatMessage, listChatMessages],
  start: (house) => house.get(chatService).chats.endLostTurns(),
  person: {
    find: personalIn(CHAT_LOG, (record) => ({
      owners: [record.person],
      names: [record.kind === "message" ? record.message : record.chat],
    })),
    drop: (house, records) => house.get(chatService).chats.drop(idsIn(CHAT_LOG, records)),
  },
  watchChats: (house, listener) => house.get(chatService).chats.watchAnswers(listener),
  turns: { kind: "conversation", maker: (house) => house.get(chatService).turnMaker() },
  agenda: {
    watch: (house, listener) => house.get(chatService).chats.watch(listener),
    view: (house, identity) => {
      const { sees } = house.get(household).viewOf({ identity }, undefined);
      const waiting = house.get(chatService).chats.waiting();
      return { chats: waiting.filter(({ person }) => sees(person)).flatMap(waitingChat) };
    },
  },
});

/** Without words: they are read in a turn. */
function waitingChat({ id, person, waiting, failed }: Chat) {
  const newest = waiting.at(-1);
  if (!newest) return [];
  const { message_id, timestamp } = newest;
  const unanswered = waiting.length;
  return [{ chat_id: id, user_id: person, message_id, timestamp, unanswered, failed_turns: failed }];
}
