import type { Identity } from "../../wire/identity.js";
import { household } from "../household/household.js";
import { cancelAll, defineModule, type House } from "../module.js";
import { CONTROL_ERRORS, CONTROL_LOG, control } from "./control.js";
import { MESSAGE_ERRORS, messageConfig } from "./message-limit.js";
import { MESSAGE_LOG } from "./message-log.js";
import { messages } from "./messages.js";
import { PAUSE_ERRORS, PAUSE_LOG, pause } from "./pause.js";
import { peopleToolParts, peopleTools } from "./tools.js";

/** How many of the newest messages are searched for unread ones: a list shows no more at once. */
const MESSAGES_LOOKED_AT = 50;
/** Code points of a message that the agenda shows; `length` says how long it is. */
const EXCERPT = 500;

/** Messages between person and agent; holds, faults, and the stop of everything. */
export const peopleModule = defineModule({
  name: "people",
  canBeOff: false,
  toolset: "plants",
  config: messageConfig,
  journals: [
    {
      definition: CONTROL_LOG,
      atRestore: "stays",
      // what a person had forbidden is unknown: everything is held
      afterLoss: async (house, reason) => (await house.use(control)).holdAfterLoss(reason, house.timestamp()),
    },
    { definition: MESSAGE_LOG },
    {
      definition: PAUSE_LOG,
      atRestore: "stays",
      afterLoss: async (house, reason) =>
        (await house.use(pause)).record({
          timestamp: house.timestamp(),
          paused: true,
          by: "runtime",
          reason,
        }),
    },
  ],
  errors: { ...CONTROL_ERRORS, ...PAUSE_ERRORS, ...MESSAGE_ERRORS },
  parts: [control, pause, messages, ...peopleToolParts],
  tools: peopleTools,
  agenda: {
    watch: (house, listener) =>
      cancelAll([house.get(messages).watchInbox(listener), house.get(control).watchLifted(listener)]),
    view: async (house, identity) => ({ unread: await unread(house, identity) }),
    plant: forbidden,
  },
  overview: {
    view: (house) => {
      const { now } = house.get(pause);
      return { paused: now ? { ...now } : null };
    },
    plant: (house, plant) => {
      const { hold, faults } = forbidden(house, plant);
      return { hold, fault: faults[0] ?? null, faults };
    },
  },
});

/** What keeps the plant's pump or light off until a person lifts it. */
function forbidden(house: House, plant: string) {
  const all = house.get(control);
  const hold = all.hold(plant);
  return { hold: hold ? { ...hold } : null, faults: all.faults(plant).map((fault) => ({ ...fault })) };
}

async function unread(house: House, identity: Identity) {
  const sees = house.get(household).writersSeenBy({ identity });
  const found = await house.get(messages).unread(MESSAGES_LOOKED_AT, sees);
  const shown = found.map(({ message_id, timestamp, in_reply_to, content = "" }) => {
    const points = [...content];
    const excerpt = points.length > EXCERPT ? `${points.slice(0, EXCERPT).join("")}…` : content;
    return { message_id, timestamp, in_reply_to, excerpt, length: points.length };
  });
  return { count: shown.length, messages: shown };
}
