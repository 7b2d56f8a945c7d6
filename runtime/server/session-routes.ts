import { randomBytes } from "node:crypto";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { RateLimit } from "../tools/rate-limit.js";
import { OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import { sameText, type TlsAddress } from "../wire/proof.js";
import { codeBody, linkBody, type OpenedLink, type OwnSession, type SessionView } from "../wire/sessions.js";
import { type Admission, assertOwnPage, cookieFor, cookieIn, deviceOf } from "./authenticator.js";
import { PRIVATE, parsedBody, sendJson } from "./http-message.js";
import {
  type Entry,
  type Exchange,
  forAnybody,
  forPage,
  forPerson,
  type Method,
  privately,
  type TokenEntry,
} from "./router.js";
import { LASTS, type LinkedToken, type Sessions } from "./sessions.js";
import type { TokenStore } from "./tokens.js";

/** A choice: time to walk to the tablet on the wall. */
const LINK_LASTS: Millis = minutes(10);
/** 128 bits: nobody guesses them, and a QR code of the link fits a terminal. */
const CODE_BYTES = 16;
/** Links that wait at once. A choice: the devices of a house, one after the other. A new one ends the oldest. */
const MAX_LINKS = 8;
/** Wrong codes a second. The right one is never refused for others' guesses. */
const GUESSES_PER_SECOND = 1;

interface Link extends LinkedToken {
  readonly code: string;
  readonly until: Millis;
}

/** Codes that each begin one session, within ten minutes. They are in memory only. */
export class SessionLinks {
  private links: readonly Link[] = [];
  private readonly guesses: RateLimit;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.guesses = new RateLimit(GUESSES_PER_SECOND, clock);
  }

  /** A new code for sessions of this token. */
  make({ token, key }: LinkedToken): { readonly code: string; readonly expires_in_s: number } {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const link = { code, token, key, until: plus(this.clock.monotonic(), LINK_LASTS) };
    this.links = [...this.open(), link].slice(-MAX_LINKS);
    return { code, expires_in_s: LINK_LASTS / 1000 };
  }

  /**
   * The token that the code is for; the code is spent before anybody waits. Throws SESSION_REFUSED, in the same words for
   * every cause, and RATE_LIMITED for guesses.
   */
  spend(given: string): LinkedToken {
    const found = this.open().filter(({ code }) => sameText(code, given))[0];
    if (!found) throw this.miss();
    this.links = this.links.filter((link) => link !== found);
    return found;
  }

  /** Takes back the links that were made for these tokens. */
  forget(isTheirs: (token: string) => boolean): void {
    this.links = this.links.filter(({ token }) => !isTheirs(token));
  }

  private open(): readonly Link[] {
    const now = this.clock.monotonic();
    return this.links.filter(({ until }) => now < until);
  }

  private miss(): TendrilError {
    const times = this.guesses.refusalsToTell("code");
    if (times > 0) this.log("warn", "a link to the page that is wrong, used or expired", { times });
    try {
      this.guesses.take("code");
    } catch (error) {
      if (error instanceof TendrilError) return error;
      throw error;
    }
    return new TendrilError("SESSION_REFUSED", "the link is wrong, used or expired");
  }
}

/** What browsers are told of this runtime. */
interface SessionAbout {
  readonly tls: () => TlsAddress | undefined;
  /** What a person types for `tendril` on this machine. */
  readonly called: string;
}

/** `/sessions`: a person on this machine makes links, sees sessions and ends them. `/session`: a browser has its own. */
export class SessionRoutes {
  constructor(
    private readonly sessions: Sessions,
    private readonly links: SessionLinks,
    private readonly tokens: TokenStore,
    private readonly about: SessionAbout,
  ) {}

  routes(): Entry[] {
    return [
      forPerson("POST", PATHS.sessions, (exchange, admission) => this.makeLink(exchange, admission)),
      forPerson("GET", PATHS.sessions, () => this.list()),
      forPerson("DELETE", `${PATHS.sessions}/`, (exchange) => this.end(exchange)),
      { ...forAnybody("POST", PATHS.session, (exchange) => this.begin(exchange)), may: "one-time link" },
      this.forBrowser("GET", (exchange, session) => this.show(exchange, session)),
      this.forBrowser("DELETE", (exchange, session) => this.leave(exchange, session)),
      // a person in the kitchen ends the session of a lost phone; none is made here, so a stolen one makes no other
      this.forBrowser(
        "GET",
        privately(() => this.list()),
        PATHS.allSessions,
      ),
      this.forBrowser(
        "DELETE",
        privately((exchange) => this.end(exchange)),
        `${PATHS.allSessions}/`,
      ),
    ];
  }

  /** The owner's token makes links for every token, another person's for itself and for observers. */
  private async makeLink({ request }: Exchange, { identity }: Admission): Promise<OpenedLink> {
    const { token } = await parsedBody(linkBody, request);
    const named = await this.tokens.named(token);
    if (!named) throw new TendrilError("NOT_FOUND", `there is no token ${JSON.stringify(token)}`);
    const { role } = named.identity;
    if (role !== "human" && role !== "observer")
      throw new TendrilError("INVALID_ARGUMENT", `a browser acts as a human or an observer, not as ${role}`);
    if (identity.name !== OWNER && token !== identity.name && role !== "observer")
      throw new TendrilError("FORBIDDEN", `the token ${identity.name} may open the page for itself alone`);
    return {
      ...this.links.make({ token, key: named.key }),
      token,
      role,
      tls_port: this.about.tls()?.port ?? null,
    };
  }

  private async list(): Promise<object> {
    return { sessions: await this.sessions.list() };
  }

  private async end({ url }: Exchange): Promise<object> {
    const id = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    await this.sessions.end(id);
    return { ended: id };
  }

  /** The code is spent first. A browser that had a session already loses it for the new one. */
  private async begin({ request, response }: Exchange): Promise<void> {
    assertOwnPage(request);
    const { code } = await parsedBody(codeBody, request);
    const linked = this.links.spend(code);
    const before = await this.sessions.find(cookieIn(request, this.sessions.instance) ?? "");
    const { secret, view } = await this.sessions.begin(linked, deviceOf(request));
    if (before) await this.sessions.end(before.id);
    const cookie = cookieFor(request, this.sessions.instance, { secret, lasts: LASTS / 1000 });
    sendJson(response, 200, this.told(view), { ...PRIVATE, "Set-Cookie": cookie });
  }

  private async show({ response }: Exchange, id: string): Promise<void> {
    const view = (await this.sessions.list()).find((each) => each.id === id);
    if (!view) throw new TendrilError("UNAUTHORIZED", "the session is over");
    sendJson(response, 200, this.told(view), PRIVATE);
  }

  private told(view: SessionView): OwnSession {
    return { ...view, called: this.about.called };
  }

  private async leave({ request, response }: Exchange, id: string): Promise<void> {
    const cookie = cookieFor(request, this.sessions.instance, { secret: "", lasts: 0 });
    await this.sessions.end(id);
    sendJson(response, 200, { ended: id }, { ...PRIVATE, "Set-Cookie": cookie });
  }

  /** Without `path`: a browser's own session, for observers too. */
  private forBrowser(
    method: Method,
    answer: (exchange: Exchange, session: string) => Promise<void>,
    path?: string,
  ): TokenEntry {
    const handle = (exchange: Exchange, { session }: Admission) => {
      if (session !== undefined) return answer(exchange, session);
      throw new TendrilError("INVALID_ARGUMENT", "a bearer token has no session; only a browser has one");
    };
    if (path !== undefined) return forPage(method, path, handle);
    return { ...forPage(method, PATHS.session, handle), may: { role: "observer" } };
  }
}
