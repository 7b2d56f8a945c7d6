import { defineModule } from "../module.js";
import { outbox } from "./outbox.js";
import { listNotifications, noteDelivery } from "./tools.js";

/** Notifications of the runtime itself, kept in the journal of messages. */
export const outboxModule = defineModule({
  name: "outbox",
  canBeOff: false,
  toolset: "plants",
  parts: [outbox],
  tools: [listNotifications, noteDelivery],
});
