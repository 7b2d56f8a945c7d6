import { defineModule } from "../module.js";
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
  turns: { kind: "conversation", maker: (house) => house.get(chatService).turnMaker() },
  agenda: {
    watch: (house, listener) => house.get(chatService).chats.watch(listener),
    view: (house) => ({ chats: house.get(chatService).chats.waiting().flatMap(waitingChat) }),
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
