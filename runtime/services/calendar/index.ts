import { defineModule, idsIn } from "../module.js";
import { calendarKeys, calendarRoute } from "./feed.js";
import { CALENDAR_ERRORS, LINK_LOG } from "./links.js";
import {
  calendarLinks,
  calendarService,
  listCalendarLinks,
  makeCalendarLink,
  revokeCalendarLink,
} from "./tools.js";

/** The calendar of each person, read by a secret link. */
export const calendarModule = defineModule({
  name: "calendar",
  canBeOff: true,
  toolset: "planner",
  config: calendarKeys,
  journals: [{ definition: LINK_LOG }],
  errors: CALENDAR_ERRORS,
  parts: [calendarLinks, calendarService],
  tools: [makeCalendarLink, listCalendarLinks, revokeCalendarLink],
  routes: (house) => [calendarRoute(house, house.get(calendarLinks))],
  person: {
    find: async function* (house) {
      for await (const { id, record } of house.journal(LINK_LOG).stored())
        yield { log: LINK_LOG.name, id, owner: record.owner, names: [record.link] };
    },
    drop: (house, records) => house.get(calendarLinks).drop(idsIn(LINK_LOG, records)),
  },
});
