import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { errorTable, excerpt, final, notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Route, RouteRequest } from "../../tools/host.js";
import { isoUtc } from "../../tools/iso-time.js";
import { RateLimit } from "../../tools/rate-limit.js";
import { acts, reads, removes, ShownOnce, toolFor } from "../../tools/tool.js";
import { calendarLinkList, madeCalendarLink } from "../../wire/calendar.js";
import { HOUSEHOLD, type Household, household, whoInput } from "../household/household.js";
import {
  type CalendarEntry,
  defineModule,
  definePart,
  type House,
  idsIn,
  personalIn,
  type Restored,
} from "../module.js";
import { calendarText, etagOf } from "./ics.js";

/** A line of journal/calendar-links.jsonl: a link, or that it opens nothing any more. The secret is nowhere. */
type LinkEntry = { readonly timestamp: string } & (
  | { readonly link: string; readonly owner: string; readonly hash: string; readonly by: string }
  | { readonly of: number; readonly revoked: true; readonly by: string }
  // what an erasure has left of any of these
  | { readonly erased: true }
);

interface LinkRecord {
  readonly link: string;
  readonly owner: string;
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly by: string;
  readonly created_at: string;
  readonly revoked: boolean;
}

const ERASED = { link: "", owner: HOUSEHOLD, hash: "", by: "", revoked: true };

const LINK_LOG = {
  name: "calendar-links",
  erasable: true,
  fold: (previous: LinkRecord | undefined, entry: LinkEntry): LinkRecord => {
    if ("erased" in entry) return { ...ERASED, created_at: entry.timestamp };
    if ("link" in entry) {
      const { timestamp: created_at, link, owner, hash, by } = entry;
      return { link, owner, hash, by, created_at, revoked: false };
    }
    if (!previous) throw new Error(`calendar-links.jsonl: link ${entry.of} was revoked before it was made`);
    return { ...previous, revoked: true };
  },
};

/** In doubt a link opens nothing. */
const linksRevokedSince = ({ before, today, timestamp }: Restored<LinkRecord>): readonly LinkEntry[] =>
  before
    .filter(({ id, record }) => !record.revoked && (today.get(id)?.revoked ?? true))
    .map(({ id: of }) => ({ timestamp, of, revoked: true, by: "a restore" }));

const CALENDAR_ERRORS = errorTable({
  TOO_MANY_LINKS: final("revoke links that nobody uses", "nothing"),
  LINK_NOT_PRIVATE: final(
    "read the calendar over https://, or on the runtime's own machine: on the network others could read the link",
    "nothing",
  ),
});

/** Choices: a person has fewer programs that read a calendar; in all, what is searched for each request. */
const MAX_LINKS_OF_ONE = 20;
const MAX_LINKS = 200;
/** 256 bits: nobody guesses it. */
const SECRET_BYTES = 32;

interface Link {
  readonly row: number;
  readonly record: LinkRecord;
}

/** Secret links to calendars. Of a secret only its digest is kept. */
class CalendarLinks {
  private readonly links = new Map<string, Link>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly log: RecordLog<LinkEntry, LinkRecord>,
    private readonly clock: Clock,
  ) {}

  static async open(log: RecordLog<LinkEntry, LinkRecord>, clock: Clock): Promise<CalendarLinks> {
    const links = new CalendarLinks(log, clock);
    for await (const { id, record } of log.stored()) links.keep(id, record);
    return links;
  }

  /** The secret is told here once. Throws TOO_MANY_LINKS. */
  make(owner: string, by: string): Promise<{ record: LinkRecord; secret: string }> {
    return this.turns.run(async () => {
      this.assertRoom(owner);
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const made = { link: randomUUID(), owner, hash: hashOf(secret), by };
      const { id, record } = await this.log.append({ timestamp: isoUtc(this.clock.now()), ...made });
      this.keep(id, record);
      return { record, secret };
    });
  }

  /** In the order in which they were made. */
  all(sees: (owner: string) => boolean): readonly LinkRecord[] {
    return [...this.links.values()].map(({ record }) => record).filter(({ owner }) => sees(owner));
  }

  /** Throws NOT_FOUND. */
  revoke(link: string, sees: (owner: string) => boolean, by: string): Promise<LinkRecord> {
    return this.turns.run(async () => {
      const known = [...this.links.values()].find(({ record }) => record.link === link && sees(record.owner));
      if (!known) throw notFound(`there is no link ${excerpt(link)}`);
      const timestamp = isoUtc(this.clock.now());
      const { id, record } = await this.log.append({ timestamp, of: known.row, revoked: true, by });
      this.keep(id, record);
      return record;
    });
  }

  /** Of a link that opens. A digest is looked up, so the time it takes tells nothing of a secret. */
  linkOf(secret: string): LinkRecord | undefined {
    return this.links.get(hashOf(secret))?.record;
  }

  /** Forgets links that are erased of the journal. */
  drop(rows: readonly number[]): void {
    for (const [hash, { row }] of this.links) if (rows.includes(row)) this.links.delete(hash);
  }

  private keep(row: number, record: LinkRecord): void {
    if (record.revoked) this.links.delete(record.hash);
    else this.links.set(record.hash, { row, record });
  }

  private assertRoom(owner: string): void {
    const own = this.all((each) => each === owner).length;
    if (own < MAX_LINKS_OF_ONE && this.links.size < MAX_LINKS) return;
    const what = `${owner} has ${own} links, and there are ${this.links.size} in all`;
    throw new TendrilError(CALENDAR_ERRORS.TOO_MANY_LINKS, what);
  }
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

const CALENDAR_PATH = "/calendar/";

const calendarKeys = {
  calendar: z
    .strictObject({
      descriptions: z
        .boolean()
        .default(false)
        .describe("show descriptions and places too; by default titles and times only"),
    })
    .prefault({})
    .describe("calendars of people, read by a secret link"),
};

/** A choice: programs ask every some minutes. Of each link, and of all wrong ones together; bursts of eight. */
const READS_PER_SECOND = 2;

/** `GET /calendar/<secret>.ics`. The secret is all that is asked for, and no refusal repeats it. */
function calendarRoute(house: House, links: CalendarLinks): Route {
  const limit = new RateLimit(READS_PER_SECOND, house.realClock);
  return {
    path: CALENDAR_PATH,
    may: "secret link",
    answer: async (request) => {
      if (!request.isPrivate)
        throw new TendrilError(CALENDAR_ERRORS.LINK_NOT_PRIVATE, "calendars are not shown over plain HTTP");
      const link = linkIn(request, links);
      limit.take(link?.link ?? "wrong");
      if (!link) throw notFound("this link opens no calendar, or was revoked");
      return answerOf(await feedOf(house, link), request);
    },
  };
}

function linkIn({ path }: RouteRequest, links: CalendarLinks): LinkRecord | undefined {
  const secret = /^([\w-]{43})\.ics$/.exec(path.slice(CALENDAR_PATH.length))?.[1];
  return secret === undefined ? undefined : links.linkOf(secret);
}

/** The person's entries and the household's; a link of the household shows the household's alone. */
async function feedOf(house: House, { owner }: LinkRecord): Promise<string> {
  const entries: CalendarEntry[] = [];
  const sees = (each: string) => each === owner || each === HOUSEHOLD;
  for (const { calendar } of house.modules)
    for await (const entry of calendar?.(house, sees) ?? []) entries.push(entry);
  const person = house.get(household).people.find(({ id }) => id === owner);
  const { calendar } = house.config(calendarKeys);
  return calendarText(
    entries.sort((a, b) => (a.uid < b.uid ? -1 : 1)),
    { name: person?.name ?? owner, withDescriptions: calendar.descriptions, now: house.clock.now() },
  );
}

function answerOf(body: string, { header }: RouteRequest) {
  const etag = etagOf(body);
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  const known = header("if-none-match")
    ?.split(",")
    .map((each) => each.trim().replace(/^W\//, ""));
  if (known?.some((each) => each === etag || each === "*"))
    return { status: 304, type: ICS, body: "", headers } as const;
  return { type: ICS, body, headers };
}

const ICS = "text/calendar; charset=utf-8";

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
