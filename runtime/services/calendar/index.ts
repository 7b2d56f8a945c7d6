import { z } from "zod";
import { acts, reads, removes, ShownOnce, toolFor } from "../../tools/tool.js";
import { calendarLinkList, madeCalendarLink } from "../../wire/calendar.js";
import { type Household, household, whoInput } from "../household/household.js";
import { defineModule, definePart, idsIn, personalIn } from "../module.js";
import { CALENDAR_PATH, calendarKeys, calendarRoute } from "./feed.js";
import { CALENDAR_ERRORS, CalendarLinks, LINK_LOG, type LinkRecord, linksRevokedSince } from "./links.js";

interface Service {
  readonly links: CalendarLinks;
  readonly household: Household;
  readonly url: () => string;
}

const calendarLinks = definePart("calendar links", (house) =>
  CalendarLinks.open(house.journal(LINK_LOG), house.clock),
);

const calendarService = definePart(
  "calendar tools",
  async (house): Promise<Service> => ({
    links: await house.use(calendarLinks),
    household: await house.use(household),
    url: () => house.publicUrl(),
  }),
);

const tool = toolFor(calendarService);

const makeCalendarLink = tool({
  name: "make_calendar_link",
  description: "Make a secret link to the calendar of a person or of the household. It is shown once.",
  facts: acts("Make a calendar link"),
  role: "human",
  input: z.strictObject({ user_id: whoInput.user_id }),
  output: madeCalendarLink,
  run: async ({ user_id }, { service, call }) => {
    const owner = service.household.ownerOf(call, user_id);
    const { record, secret } = await service.links.make(owner, call.identity.name);
    const path = `${CALENDAR_PATH}${secret}.ics`;
    const made = shown(record);
    return new ShownOnce({ ...made, path, url: service.url() + path }, { ...made, path: "", url: "" });
  },
});

const listCalendarLinks = tool({
  name: "list_calendar_links",
  description: "The links to calendars that open, without their secrets.",
  facts: reads("Calendar links", { world: "closed" }),
  role: "human",
  input: z.strictObject({ user_id: whoInput.user_id }),
  output: calendarLinkList,
  run: ({ user_id }, { service, call }) => {
    const { sees } = service.household.viewOf(call, user_id);
    const links = service.links.all(sees).map((record) => ({ ...shown(record), by: record.by }));
    return { links, count: links.length };
  },
});

const revokeCalendarLink = tool({
  name: "revoke_calendar_link",
  description: "A link to a calendar opens nothing any more.",
  facts: removes("Revoke a calendar link"),
  role: "human",
  input: z.strictObject({ link_id: z.string().min(1).max(64).describe("`link_id` of list_calendar_links") }),
  output: z.object({ link_id: z.string(), user_id: z.string(), revoked: z.literal(true) }),
  run: async ({ link_id }, { service, call }) => {
    const { sees } = service.household.viewOf(call, undefined);
    const { owner } = await service.links.revoke(link_id, sees, call.identity.name);
    return { link_id, user_id: owner, revoked: true as const };
  },
});

const shown = ({ link: link_id, owner, created_at }: LinkRecord) => ({ link_id, user_id: owner, created_at });

/** The calendar of each person, read by a secret link. */
export const calendarModule = defineModule({
  name: "calendar",
  canBeOff: true,
  toolset: "planner",
  config: calendarKeys,
  journals: [{ definition: LINK_LOG, revokedSince: linksRevokedSince }],
  errors: CALENDAR_ERRORS,
  parts: [calendarLinks, calendarService],
  tools: [makeCalendarLink, listCalendarLinks, revokeCalendarLink],
  routes: (house) => [calendarRoute(house, house.get(calendarLinks))],
  person: {
    find: personalIn(LINK_LOG, ({ owner, link }) => ({ owners: [owner], names: [link] })),
    drop: (house, records) => house.get(calendarLinks).drop(idsIn(LINK_LOG, records)),
  },
});
