import { defineModule } from "../module.js";
import { calendars } from "./calendars.js";
import { calendarsConfig } from "./declarations.js";
import { listEvents } from "./tools.js";

/** Calendars of others, subscribed to through the bridge. It is on if the configuration names one. */
export const calendarsModule = defineModule({
  name: "calendars",
  canBeOff: true,
  config: calendarsConfig,
  isNeeded: ({ calendars }) => calendars.length > 0,
  needsBridge: () => true,
  toolset: "planner",
  parts: [calendars],
  tools: [listEvents],
  person: { drop: (house, _, person) => house.get(calendars).forget(person) },
  start: (house) => house.get(calendars).start(),
});
