import { createHash, randomBytes, randomUUID } from "node:crypto";
import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { errorTable, excerpt, final, notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HOUSEHOLD } from "../household/household.js";
import type { Restored } from "../module.js";

/** A line of journal/calendar-links.jsonl: a link, or that it opens nothing any more. The secret is nowhere. */
type LinkEntry = { readonly timestamp: string } & (
  | { readonly link: string; readonly owner: string; readonly hash: string; readonly by: string }
  | { readonly of: number; readonly revoked: true; readonly by: string }
  // what an erasure has left of any of these
  | { readonly erased: true }
);

export interface LinkRecord {
  readonly link: string;
  readonly owner: string;
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly by: string;
  readonly created_at: string;
  readonly revoked: boolean;
}

const ERASED = { link: "", owner: HOUSEHOLD, hash: "", by: "", revoked: true };

export const LINK_LOG = {
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
export const linksRevokedSince = ({ before, today, timestamp }: Restored<LinkRecord>): readonly LinkEntry[] =>
  before
    .filter(({ id, record }) => !record.revoked && (today.get(id)?.revoked ?? true))
    .map(({ id: of }) => ({ timestamp, of, revoked: true, by: "a restore" }));

export const CALENDAR_ERRORS = errorTable({
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
export class CalendarLinks {
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
