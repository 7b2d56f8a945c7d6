import { z } from "zod";
import { defineTool, reads, sets } from "../../tools/tool.js";
import { channelName, notedDelivery, notificationList } from "../../wire/notifications.js";
import { household } from "../household/household.js";
import { defineModule, type House, idsIn, isTelling, type PersonalRecord } from "../module.js";
import { MESSAGE_LOG, type MessageRecord } from "../people/message-log.js";
import { outbox, ownerOf } from "./outbox.js";

const listNotifications = defineTool({
  name: "list_notifications",
  service: outbox,
  description:
    "What the runtime itself tells the person, as data, newest first, among the newest 500 messages. Reading marks nothing.",
  facts: reads("Notifications", { world: "closed" }),
  role: "human",
  scopes: ["bridge"],
  input: z.strictObject({
    limit: z.int().min(1).max(50).default(20),
    since: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional()
      .describe("a message_id: only what came after it"),
    channel: channelName
      .optional()
      .describe("only what this channel of yours has still to deliver: not delivered, over or expired"),
  }),
  output: notificationList,
  run: async ({ limit, since, channel }, { service, call }) => {
    const waitingOn = channel === undefined ? undefined : { token: call.identity.name, channel };
    const after = since === undefined ? undefined : Number(since);
    return { notifications: await service.list({ limit, after, waitingOn, caller: call }) };
  },
});

const noteDelivery = defineTool({
  name: "note_delivery",
  service: outbox,
  description: "Note that a message or notification has reached the person on a channel of yours.",
  facts: sets("Note a delivery"),
  role: "human",
  scopes: ["bridge"],
  input: z.strictObject({
    message_id: z.string().min(1),
    channel: channelName,
    state: z.enum(["delivered", "seen"]),
  }),
  output: notedDelivery,
  run: async ({ message_id, ...arrival }, { service, call, isoNow }) => {
    const known = await service.arrived(message_id, { token: call.identity.name, ...arrival });
    return { timestamp: isoNow(), known };
  },
});

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
  const whose = ({ notification, user_id, direction, by, in_reply_to }: MessageRecord) => {
    if (notification) return ownerOf(notification);
    return user_id ?? (direction === "from_human" ? personOfToken(by) : owners.get(in_reply_to ?? ""));
  };
  for await (const { id, record } of house.journal(MESSAGE_LOG).stored()) {
    const owner = record.erased ? undefined : whose(record);
    if (owner === undefined) continue;
    owners.set(String(id), owner);
    yield { log: MESSAGE_LOG.name, id, owner, names: [record.content].filter(isTelling) };
  }
}
