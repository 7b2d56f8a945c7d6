import { z } from "zod";
import { changes, defineTool, reads } from "../../tools/tool.js";
import { channelName, notedDelivery, notificationList } from "../../wire/notifications.js";
import { outbox } from "./outbox.js";

export const listNotifications = defineTool({
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

export const noteDelivery = defineTool({
  name: "note_delivery",
  service: outbox,
  description: "Note that a message or notification has reached the person on a channel of yours.",
  facts: changes("Note a delivery", { destroys: false, repeatable: true, speaks: false, world: "closed" }),
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
