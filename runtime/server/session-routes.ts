import { randomBytes } from "node:crypto";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, minutes, plus } from "../../drivers/units.js";
import { invalidArgument, notAllowed, notFound, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import type { RuntimeApi } from "../tools/host.js";
import { RateLimit } from "../tools/rate-limit.js";
import { type Identity, OWNER } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import {
  codeBody,
  linkBody,
  type OpenedLink,
  type OwnSession,
  type SessionList,
} from "../wire/owner-page.js";
import { sameText, type TlsAddress } from "../wire/proof.js";
import { assertOwnPage, cookieFor, cookiesIn, deviceOf } from "./authenticator.js";
import { PRIVATE, parsedBody, sendJson } from "./http-message.js";
import {
  type Entry,
  type Exchange,
  forAnybody,
  forPage,
  forPerson,
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

interface SessionParts {
  readonly sessions: Sessions;
  readonly links: SessionLinks;
  readonly tokens: TokenStore;
  readonly tls: () => TlsAddress | undefined;
  readonly personOf: RuntimeApi["personOf"];
  /** What a person types for `tendril` on this machine. */
  readonly called: string;
}

/** `/sessions`: a person on this machine makes links, sees sessions and ends them. `/session`: a browser has its own. */
export function sessionRoutes(parts: SessionParts): Entry[] {
  const { sessions, called } = parts;
  const list = async (): Promise<SessionList> => ({ sessions: await sessions.list() });
  const end = async ({ url }: Exchange) => {
    const id = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    await sessions.end(id);
    return { ended: id };
  };
  const show = async ({ response }: Exchange, id: string) => {
    const view = (await sessions.list()).find((each) => each.id === id);
    if (!view) throw new TendrilError("UNAUTHORIZED", "the session is over");
    sendJson(response, 200, { ...view, called } satisfies OwnSession, PRIVATE);
  };
  const leave = async ({ request, response }: Exchange, id: string) => {
    const cookie = cookieFor(request, sessions.instance, { secret: "", lasts: 0 });
    await sessions.end(id);
    sendJson(response, 200, { ended: id }, { ...PRIVATE, "Set-Cookie": cookie });
  };
  return [
    forPerson("POST", PATHS.sessions, (exchange, { identity }) => makeLink(exchange, identity, parts)),
    forPerson("GET", PATHS.sessions, list),
    forPerson("DELETE", `${PATHS.sessions}/`, end),
    { ...forAnybody("POST", PATHS.session, (exchange) => begin(exchange, parts)), may: "one-time link" },
    { ...forPage("GET", PATHS.session, ofSession(show)), may: { role: "observer" } },
    { ...forPage("DELETE", PATHS.session, ofSession(leave)), may: { role: "observer" } },
    // a person in the kitchen ends the session of a lost phone; none is made here, so a stolen one makes no other
    forPage("GET", PATHS.allSessions, ofSession(privately(list))),
    forPage("DELETE", `${PATHS.allSessions}/`, ofSession(privately(end))),
  ];
}

const ofSession =
  (answer: (exchange: Exchange, session: string) => Promise<void>): TokenEntry["handle"] =>
  (exchange, { session }) => {
    if (session !== undefined) return answer(exchange, session);
    throw invalidArgument("a bearer token has no session; only a browser has one");
  };

/** The owner's token makes links for every token, another person's for itself and for observers that are no other person's. */
async function makeLink(
  { request }: Exchange,
  { name }: Identity,
  { tokens, links, tls, personOf }: SessionParts,
): Promise<OpenedLink> {
  const { token } = await parsedBody(linkBody, request);
  const named = await tokens.named(token);
  if (!named) throw notFound(`there is no token ${JSON.stringify(token)}`);
  const { role } = named.identity;
  if (role !== "human" && role !== "observer")
    throw invalidArgument(`a browser acts as a human or an observer, not as ${role}`);
  const isOthers = role !== "observer" || ![undefined, personOf(name)].includes(personOf(token));
  if (name !== OWNER && token !== name && isOthers)
    throw notAllowed(`the token ${name} may open the page for itself alone`);
  return { ...links.make({ token, key: named.key }), token, role, tls_port: tls()?.port ?? null };
}

/** The code is spent first. A browser that had a session already loses it for the new one. */
async function begin(
  { request, response }: Exchange,
  { sessions, links, called }: SessionParts,
): Promise<void> {
  assertOwnPage(request);
  const { code } = await parsedBody(codeBody, request);
  const linked = links.spend(code);
  const before = await sessions.find(cookiesIn(request, sessions.instance));
  const { secret, view } = await sessions.begin(linked, deviceOf(request));
  if (before) await sessions.end(before.id);
  const cookie = cookieFor(request, sessions.instance, { secret, lasts: LASTS / 1000 });
  sendJson(response, 200, { ...view, called } satisfies OwnSession, { ...PRIVATE, "Set-Cookie": cookie });
}
