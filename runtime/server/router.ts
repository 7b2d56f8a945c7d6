import type { IncomingMessage, ServerResponse } from "node:http";
import { excerpt, TendrilError } from "../errors.js";
import type { OpenAccess } from "../tools/host.js";
import type { Allowed } from "../wire/identity.js";
import type { Admission } from "./authenticator.js";

export type Method = "GET" | "POST" | "DELETE";

/** One request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** How many stops there had been when it was read. */
  readonly stopsBefore: number;
}

type Answering = Promise<void> | void;

interface Place {
  /** GET answers HEAD too: Node leaves the body out. */
  readonly methods: readonly Method[];
  /** "/photos/": everything beneath it. "/off": exactly that. */
  readonly path: string;
  /** Only from the runtime's own machine. */
  readonly here?: boolean;
  /** Waits behind nothing, and neither Host nor Origin is looked at. */
  readonly urgent?: boolean;
}

/** Taken without a token. */
export interface OpenEntry extends Place {
  readonly may: OpenAccess;
  handle(exchange: Exchange): Answering;
}

/** Taken with a token. */
export interface TokenEntry extends Place {
  readonly may: Allowed;
  handle(exchange: Exchange, admission: Admission): Answering;
}

export type Entry = OpenEntry | TokenEntry;

export const isOpen = (entry: Entry): entry is OpenEntry => typeof entry.may === "string";

/** The table of all routes. What an unknown route is answered with is made from it. */
export class Router {
  /** Throws where two entries answer the same request: it would be unclear which of them wins. */
  constructor(private readonly table: readonly Entry[]) {
    for (const [at, entry] of table.entries())
      for (const other of table.slice(at + 1))
        if (overlap(entry, other)) throw new Error(`two routes answer ${shown(other)}`);
  }

  find(method: string, path: string): Entry | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.at(path).find(({ methods }) => methods.some((each) => each === wanted));
  }

  /** Why there is no such route, and which there are. */
  refusal(method: string, path: string): TendrilError {
    const allow = this.at(path).flatMap(({ methods }) => methods.flatMap(withHead));
    if (allow.length > 0) {
      const what = `${excerpt(path)} takes ${allow.join(", ")}, not ${excerpt(method)}`;
      return new TendrilError("METHOD_NOT_ALLOWED", what, { details: { allow } });
    }
    const routes = this.table.map(shown).join("; ");
    return new TendrilError("NO_ROUTE", `there is no ${method} ${excerpt(path)} here, only ${routes}`);
  }

  private at(path: string): readonly Entry[] {
    return this.table.filter((entry) => leadsTo(entry, path));
  }
}

/** The index at "/" is one path; any other path that ends in "/" stands for what is beneath it. */
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
