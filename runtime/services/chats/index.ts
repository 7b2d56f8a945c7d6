import { z } from "zod";
import { codePoints } from "../../tools/parameters.js";
import { defineTool, reads, tells } from "../../tools/tool.js";
import { chatMessages, sentChatMessage } from "../../wire/chats.js";
import { household, whoInput } from "../household/household.js";
import { defineModule, type House, idsIn, type PersonalRecord } from "../module.js";
import { CHAT_LOG, type Chat, type MessageRecord } from "./chat.js";
import { CHAT_ERRORS } from "./limits.js";
import { chatService } from "./service.js";

/** A choice: some pages of a book. */
const LONGEST_TEXT = 8000;
/** As long as a call waits for a person's yes: well within the 60 s that MCP clients allow a call. */
const LONGEST_WAIT = 20;

const text = z
  .string()
  .refine((given) => given.trim() !== "", { error: "is empty" })
  .refine((given) => codePoints(given) <= LONGEST_TEXT, {
    error: `is longer than ${LONGEST_TEXT} characters`,
  })
  .describe(`up to ${LONGEST_TEXT} characters`);

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
    const { id, person } = service.placeOfPerson(call, who);
    const by = call.identity.name;
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
    find: personalChats,
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

/** Every chat and every message of each person. */
async function* personalChats(house: House): AsyncGenerator<PersonalRecord> {
  for await (const { id, record } of house.journal(CHAT_LOG).stored())
    if (record.person !== "")
      yield {
        log: CHAT_LOG.name,
        id,
        owner: record.person,
        names: [record.kind === "message" ? record.message : record.chat],
      };
}
