import type { IncomingMessage, ServerResponse } from "node:http";
import { excerpt, TendrilError } from "../errors.js";
import type { OpenAccess } from "../tools/host.js";
import type { Allowed } from "../wire/identity.js";
import type { Admission } from "./authenticator.js";
import { PRIVATE, sendJson } from "./http-message.js";

export type Method = "GET" | "POST" | "DELETE";

/** One request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** How many stops there had been when the request was read. */
  readonly stopsBefore: number;
}

type Answering = Promise<void> | void;

interface Place {
  /** GET answers HEAD too: Node leaves out the body. */
  readonly methods: readonly Method[];
  /** "/photos/" matches everything beneath it; "/off" matches only itself. */
  readonly path: string;
  /** Only for requests from the runtime's own machine. */
  readonly here?: boolean;
  /** Does not wait for other requests, and skips the checks of Host and Origin. */
  readonly urgent?: boolean;
}

/** A route without a token. */
export interface OpenEntry extends Place {
  readonly may: OpenAccess;
  handle(exchange: Exchange): Answering;
}

export interface TokenEntry extends Place {
  readonly may: Allowed;
  /** Also for a browser's session, not for tokens alone. */
  readonly cookie?: boolean;
  /** Refused while the tokens cannot be read anew. */
  readonly adds?: boolean;
  handle(exchange: Exchange, admission: Admission): Answering;
}

export type Entry = OpenEntry | TokenEntry;

/** Answers with an object as JSON, which no cache may keep. */
export const privately =
  <Caller extends readonly unknown[]>(
    answer: (exchange: Exchange, ...caller: Caller) => Promise<object> | object,
  ) =>
  async (exchange: Exchange, ...caller: Caller): Promise<void> =>
    sendJson(exchange.response, 200, await answer(exchange, ...caller), PRIVATE);

/**
 * For a person with a bearer token, on this machine: neither a stolen token nor a stolen session makes others from
 * elsewhere.
 */
export const forPerson = (
  method: Method,
  path: string,
  answer: (exchange: Exchange, admission: Admission) => Promise<object> | object,
): TokenEntry => ({
  ...{ methods: [method], path, may: { role: "human" }, here: true, handle: privately(answer) },
  adds: method === "POST",
});

/** For a person's token and the page of a person. */
export const forPage = (method: Method, path: string, handle: TokenEntry["handle"]): TokenEntry => ({
  ...{ methods: [method], path, may: { role: "human" }, cookie: true, handle },
});

export const forAnybody = (method: Method, path: string, handle: OpenEntry["handle"]): OpenEntry => ({
  ...{ methods: [method], path, may: "anybody", handle },
});

export const isOpen = (entry: Entry): entry is OpenEntry => typeof entry.may === "string";

/** The table of all routes. The answer to an unknown route lists them. */
export class Router {
  /** Throws if two entries match the same request. */
  constructor(private readonly table: readonly Entry[]) {
    for (const [at, entry] of table.entries())
      for (const other of table.slice(at + 1))
        if (overlap(entry, other)) throw new Error(`two routes answer ${shown(other)}`);
  }

  find(method: string, path: string): Entry | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.at(path).find(({ methods }) => methods.some((each) => each === wanted));
  }

  /** The error for a route that is not there; it names those that are. */
  refusal(method: string, path: string): TendrilError {
    const there = this.at(path);
    const allow = there.flatMap(({ methods }) => methods.flatMap(withHead));
    if (allow.length > 0) {
      // what follows a prefix may be a secret
      const place = there.find(isPrefix)?.path ?? path;
      const what = `${excerpt(place)} takes ${allow.join(", ")}, not ${excerpt(method)}`;
      return new TendrilError("METHOD_NOT_ALLOWED", what, { details: { allow } });
    }
    const routes = this.table.map(shown).join("; ");
    return new TendrilError("NO_ROUTE", `there is no ${method} ${excerpt(path)} here, only ${routes}`);
  }

  private at(path: string): readonly Entry[] {
    return this.table.filter((entry) => leadsTo(entry, path));
  }
}

/** "/" is one page; any other path that ends in "/" stands for everything beneath it. */
const isPrefix = ({ path }: Place): boolean => path.length > 1 && path.endsWith("/");

const leadsTo = (entry: Place, path: string): boolean =>
  isPrefix(entry) ? path.startsWith(entry.path) : path === entry.path;

const overlap = (one: Place, other: Place): boolean =>
  one.methods.some((method) => other.methods.includes(method)) &&
  (leadsTo(one, other.path) || leadsTo(other, one.path));

const withHead = (method: Method): readonly string[] => (method === "GET" ? [method, "HEAD"] : [method]);

/** "GET /photos/…" */
const shown = (entry: Place): string =>
  `${entry.methods.join(" or ")} ${entry.path}${isPrefix(entry) ? "…" : ""}`;
