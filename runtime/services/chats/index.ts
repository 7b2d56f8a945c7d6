import { household } from "../household/household.js";
import { defineModule, type House, idsIn, type PersonalRecord } from "../module.js";
import type { Chat } from "./chat.js";
import { CHAT_LOG } from "./chat-log.js";
import { CHAT_ERRORS } from "./limits.js";
import { chatService } from "./service.js";
import { listChatMessages, sendChatMessage } from "./tools.js";

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
