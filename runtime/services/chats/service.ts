import { excerpt, TendrilError } from "../../errors.js";
import { sourcesIn } from "../../tools/taint.js";
import { type Call, untrustedIf } from "../../tools/tool.js";
import { HOUSEHOLD, type Household, household, type Who } from "../household/household.js";
import { definePart, type TurnMaker } from "../module.js";
import { outbox } from "../outbox/outbox.js";
import { TURN_ERRORS } from "../turns/open-turn.js";
import { turns } from "../turns/turns.js";
import { CHAT_LOG, type Chat, type MessageRecord } from "./chat.js";
import { Chats } from "./chats.js";

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
    const named = user_id ?? (chat_id !== undefined && this.isReserved(chat_id) ? chat_id : undefined);
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
      throw new TendrilError("FORBIDDEN", "this turn has no chat: send_message_to_human reaches the people");
    if ((chat_id ?? chat.id) !== chat.id) throw noChat(chat_id ?? "");
    if ((user_id ?? chat.person) !== chat.person) throw noChat(chat.id);
    return chat;
  }

  /** A person's own chats; an agent reads that of its conversation turn. Throws NOT_FOUND, FORBIDDEN. */
  placeToRead(call: Call, who: Who): Place {
    if (call.turn) {
      if (call.turn.kind !== "conversation")
        throw new TendrilError("FORBIDDEN", "a chat is read in a turn that answers it");
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
    if (this.isReserved(id) && (!this.household.speaksFor(call, id) || (userId ?? id) !== id))
      throw noChat(id);
  }

  private isReserved(id: string): boolean {
    return id === HOUSEHOLD || this.household.person(id) !== undefined;
  }
}

const noChat = (id: string): TendrilError =>
  new TendrilError("NOT_FOUND", `there is no chat ${excerpt(id)} for this caller`);

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

export const chatService = definePart("chats", async (house) => {
  const { clock, realClock, complain } = house;
  const log = house.journal(CHAT_LOG);
  const chats = await Chats.open({ log, clock, realClock, outbox: await house.use(outbox), complain });
  (await house.use(turns)).watchClosing(() => chats.close());
  return new ChatService(chats, await house.use(household));
});
