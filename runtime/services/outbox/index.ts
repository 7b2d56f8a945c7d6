import { defineModule, idsIn } from "../module.js";
import { MESSAGE_LOG } from "../people/message-log.js";
import { outbox } from "./outbox.js";
import { personalMessages } from "./person.js";
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
