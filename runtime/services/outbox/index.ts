import { defineModule } from "../module.js";
import { outbox } from "./outbox.js";
import { listNotifications, noteDelivery } from "./tools.js";

/** What the runtime tells people by itself. It is kept in the journal of the messages. */
export const outboxModule = defineModule({
  name: "outbox",
  canBeOff: false,
  toolset: "plants",
  parts: [outbox],
  tools: [listNotifications, noteDelivery],
});
