import { household } from "../household/household.js";
import { defineModule, type House, idsIn, type PersonalRecord } from "../module.js";
import { MESSAGE_LOG, type MessageRecord } from "../people/message-log.js";
import { outbox } from "./outbox.js";
import { ownerOf } from "./reading.js";
import { listNotifications, noteDelivery } from "./tools.js";

/** Notifications of the runtime itself, kept in the journal of messages. */
export const outboxModule = defineModule({
  name: "outbox",
  canBeOff: false,
  toolset: "plants",
  parts: [outbox],
  tools: [listNotifications, noteDelivery],
  person: {
    find: personalMessages,
    drop: (house, records) => house.get(outbox).drop(idsIn(MESSAGE_LOG, records)),
  },
});

/** What each person has written with a token that is only that person's, the answers to it, and notifications for that person. */
async function* personalMessages(house: House): AsyncGenerator<PersonalRecord> {
  const { personOfToken } = house.get(household);
  const owners = new Map<string, string>();
  const whose = ({
    direction,
    by,
    in_reply_to,
    notification,
    user_id,
  }: MessageRecord): string | undefined => {
    if (notification) return ownerOf(notification);
    if (user_id !== undefined) return user_id;
    return direction === "from_human" ? personOfToken(by) : owners.get(in_reply_to ?? "");
  };
  for await (const { id, record } of house.journal(MESSAGE_LOG).stored()) {
    const owner = record.erased ? undefined : whose(record);
    if (owner === undefined) continue;
    owners.set(String(id), owner);
    yield { log: MESSAGE_LOG.name, id, owner, names: [record.content].filter(isTelling) };
  }
}

/** A choice: shorter words are in too many results that have nothing to do with the message. */
const isTelling = (text: string): boolean => text.length >= 8;
