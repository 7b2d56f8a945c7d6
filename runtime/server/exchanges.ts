import type { ServerResponse } from "node:http";
import { TendrilError } from "../errors.js";
import type { Identity } from "../wire/identity.js";

/** Bodies of one token that may be on their way at once. A choice: a client of ours sends one after the other. */
const MOST_BODIES = 8;

/**
 * The HTTP exchanges on /mcp, by token. A body that arrives slowly keeps nobody out: of too many the one that has taken
 * longest gives way. An exchange counts once its body is there. A person's token has room beside all others.
 */
export class Exchanges {
  private readonly bodies = new Map<string, Set<AbortController>>();
  private readonly answering = new Map<string, number>();

  /** `most`: exchanges of tokens that are no person's, and as many of persons; one token has half of them. */
  constructor(private readonly most: number) {}

  /** Runs `read` with a signal that ends it, with RATE_LIMITED, where this token sends too many bodies at once. */
  async receive<T>({ name }: Identity, read: (giveWay: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    const all = this.bodies.get(name) ?? new Set();
    this.bodies.set(name, all.add(own));
    const [slowest] = all;
    if (all.size > MOST_BODIES)
      slowest?.abort(tooMany(`this token sends more than ${MOST_BODIES} bodies at once`));
    try {
      return await read(own.signal);
    } finally {
      all.delete(own);
      if (all.size === 0) this.bodies.delete(name);
    }
  }

  /** Counts an exchange until its response is closed. Throws RATE_LIMITED. */
  begin(identity: Identity, response: ServerResponse): void {
    const { name } = identity;
    const mine = this.answering.get(name) ?? 0;
    if (mine >= Math.ceil(this.most / 2))
      throw tooMany(`${mine} requests of this token are being answered already`);
    const all = this.of(identity.role === "human");
    if (all >= this.most) throw tooMany(`${all} requests are being answered already`);
    this.answering.set(name, mine + 1);
    response.once("close", () => this.end(name));
  }

  private end(name: string): void {
    const left = (this.answering.get(name) ?? 0) - 1;
    if (left > 0) this.answering.set(name, left);
    else this.answering.delete(name);
  }

  /** A token's name begins with its role (server/token-files.ts). */
  private of(persons: boolean): number {
    const ours = [...this.answering].filter(([name]) => (name.split(".")[0] === "human") === persons);
    return ours.reduce((sum, [, count]) => sum + count, 0);
  }
}

const tooMany = (what: string): TendrilError => new TendrilError("RATE_LIMITED", what, { retryAfter: 1 });
