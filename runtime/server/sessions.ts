import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, millis, minutes } from "../../drivers/units.js";
import { notFound, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { SESSIONS_FILE } from "../places.js";
import { readIfThere, writeDurably } from "../store/durable-file.js";
import { isoUtc } from "../tools/iso-time.js";
import type { Identity } from "../wire/identity.js";
import type { SessionView } from "../wire/owner-page.js";
import { sameText, secretOf } from "../wire/proof.js";
import type { TokenUses } from "./token-files.js";
import { CHECK_WAITS, type TokenStore } from "./tokens.js";

const DAY: Millis = minutes(24 * 60);
/** A choice: a phone that lies in a drawer for a season is let in no more. */
const IDLE: Millis = millis(60 * DAY);
/** A choice, below the 400 days for which browsers keep a cookie (draft-ietf-httpbis-rfc6265bis, section 5.5). */
export const LASTS: Millis = millis(365 * DAY);
/** How often the file says that a session was used. A choice: a card wears out by writes. */
const NOTE_USE: Millis = DAY;
/** A choice: the phones, tablets and computers of a large house. The one that was used longest ago makes room. */
const MAX = 50;
/** Bits of a session's secret: 256. */
const SECRET_BYTES = 32;

const stored = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** The SHA-256 of what the cookie holds, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.string(),
  /** Of the token: a new token of the same name is another. */
  key: z.string(),
  device: z.string(),
  made: z.number(),
  used: z.number(),
});
type Session = z.output<typeof stored>;

const file = z.strictObject({
  /** Names this state folder: cookies ignore ports, so two runtimes on one computer need different names. */
  instance: z.string().regex(/^[0-9a-f]{8}$/),
  sessions: z.array(stored),
});

/** The token that a link's session acts as. */
export interface LinkedToken {
  readonly token: string;
  /** Of the token's secret: a link dies when the token is renewed. */
  readonly key: string;
}

/** A new session, and what its cookie holds. Only the browser keeps that. */
interface Begun {
  readonly secret: string;
  readonly view: SessionView;
}

/** A session whose cookie came with a request. */
interface Held {
  readonly id: string;
  readonly identity: Identity;
}

/** The browsers that may act as a token. A session dies with its token. */
export class Sessions {
  private readonly listeners = new Map<string, Set<() => void>>();
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly tokens: TokenStore,
    private readonly uses: TokenUses,
    private readonly clock: Clock,
    private readonly log: Log,
    readonly instance: string,
    private sessions: readonly Session[],
  ) {}

  /** A file that cannot be read costs the sessions, not the start: each browser needs a new link then. */
  static async open(tokens: TokenStore, uses: TokenUses, clock: Clock, log: Log): Promise<Sessions> {
    const path = tokens.beside(SESSIONS_FILE);
    const { instance, sessions } = await read(path, log);
    return new Sessions(path, tokens, uses, clock, log, instance, sessions);
  }

  /**
   * Throws SESSION_REFUSED if the token is not the one any more that the link was made for, and STORE_FAILED: a session that
   * a restart would forget is not begun.
   */
  async begin({ token, key }: LinkedToken, device: string): Promise<Begun> {
    const named = await this.tokens.named(token);
    if (named?.key !== key) throw new TendrilError("SESSION_REFUSED", `the token ${token} is no more`);
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    const now = this.clock.now();
    const session = {
      id: randomBytes(4).toString("hex"),
      hash: hashOf(secret),
      token,
      key,
      device,
      made: now,
      used: now,
    };
    await this.keep([...this.fresh(), session].sort((a, b) => b.used - a.used).slice(0, MAX));
    this.log("info", "a browser's session began", { session: session.id, token });
    return { secret, view: viewOf(session, named.identity) };
  }

  /** The session of one of these cookies; undefined if there is none, it is over, or its token is no more. */
  async find(secrets: readonly string[]): Promise<Held | undefined> {
    const hashes = secrets.map(hashOf);
    const isHeld = ({ hash }: Session) => hashes.filter((each) => sameText(hash, each)).length > 0;
    const session = this.sessions.filter(isHeld).find((one) => !this.isOver(one));
    const identity = session && (await this.identityOf(session));
    if (!session || !identity) return undefined;
    this.use(session);
    return { id: session.id, identity };
  }

  /** Whether the session still acts as this caller. Counts as a use: a page that stays open does not run out. */
  async holds(id: string, { name, role }: Identity): Promise<boolean> {
    const session = this.sessions.find((one) => one.id === id);
    const identity = session && (await this.identityOf(session, CHECK_WAITS));
    if (!session || identity?.name !== name || identity.role !== role) return false;
    this.use(session);
    return true;
  }

  /** Calls the listener when somebody ends the session; at once if it is over already, since who was admitted may have waited. */
  onEnd(id: string, listener: () => void): Cancel {
    if (!this.sessions.some((one) => one.id === id)) listener();
    const known = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0) this.listeners.delete(id);
    };
  }

  /** Those that are in force, the last used first. */
  async list(): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for (const session of this.sessions) {
      const identity = await this.identityOf(session);
      if (identity) views.push(viewOf(session, identity));
    }
    return views.sort((a, b) => (a.used < b.used ? 1 : -1));
  }

  /** Ends it at once and closes its connections, then writes that down. Throws NOT_FOUND, STORE_FAILED. */
  async end(id: string): Promise<void> {
    const ended = this.sessions.filter((one) => one.id === id);
    if (ended.length === 0) throw notFound(`there is no session ${JSON.stringify(id.slice(0, 20))}`);
    await this.endAll(ended);
  }

  /** Ends all sessions of these tokens, also those that are over. Throws STORE_FAILED. */
  endOf(isTheirs: (token: string) => boolean): Promise<void> {
    return this.endAll(this.sessions.filter(({ token }) => isTheirs(token)));
  }

  private async endAll(ended: readonly Session[]): Promise<void> {
    if (ended.length === 0) return;
    const kept = this.keep(this.sessions.filter((one) => !ended.includes(one)));
    for (const { id } of ended) {
      this.log("info", "a browser's session was ended", { session: id });
      for (const listener of this.listeners.get(id) ?? []) listener();
    }
    await kept;
  }

  private async identityOf(session: Session, longest?: Millis): Promise<Identity | undefined> {
    if (this.isOver(session)) return undefined;
    const named = await this.tokens.named(session.token, longest);
    return named?.key === session.key ? named.identity : undefined;
  }

  /** By the wall clock. One that is behind ends nothing; after one that was ahead, sessions are in force again. */
  private isOver({ made, used }: Session): boolean {
    const now = this.clock.now();
    return now - made >= LASTS || now - used >= IDLE;
  }

  private fresh(): readonly Session[] {
    return this.sessions.filter((one) => !this.isOver(one));
  }

  private use(session: Session): void {
    this.uses.note(session.key);
    const used = this.clock.now();
    if (used - session.used < NOTE_USE) return;
    const changed = this.sessions.map((one) => (one.id === session.id ? { ...one, used } : one));
    this.keep(changed).catch((error: unknown) =>
      this.log("warn", "the use of a session is not written down", { why: messageOf(error) }),
    );
  }

  /** Counts at once. One write after the other, each of what there is then. */
  private keep(sessions: readonly Session[]): Promise<void> {
    this.sessions = sessions;
    const write = () =>
      writeDurably(this.path, JSON.stringify({ instance: this.instance, sessions: this.sessions }));
    this.writing = this.writing.then(write, write);
    return this.writing;
  }
}

const hashOf = (secret: string): string => secretOf(secret).toString("hex");

const viewOf = ({ id, token, device, made, used }: Session, { role }: Identity): SessionView => ({
  id,
  token,
  role,
  device,
  made: isoUtc(made),
  used: isoUtc(used),
  expires: isoUtc(Math.min(made + LASTS, used + IDLE)),
});

async function read(path: string, log: Log): Promise<z.output<typeof file>> {
  const nothing = { instance: randomBytes(4).toString("hex"), sessions: [] };
  try {
    const text = await readIfThere(path);
    return text === undefined ? nothing : file.parse(JSON.parse(text));
  } catch (error) {
    log("warn", "the sessions of browsers are lost: make new links with `tendril open`", {
      why: messageOf(error),
    });
    return nothing;
  }
}
