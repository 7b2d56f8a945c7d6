import type { ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import type { Clock } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";
import { tooMany } from "../errors.js";
import type { Log } from "../log.js";
import { RateLimit } from "../tools/rate-limit.js";
import type { Identity } from "../wire/identity.js";
import { Counts } from "./turns.js";

/** Sockets allowed for each WebSocket: itself and some for HTTP. The TLS port allows as many. A choice. */
const SOCKETS_EACH = 4;
/** Sockets beyond that, above all for `POST /off`, also if no WebSocket is allowed. A choice. */
const SPARE = 16;

/** The sockets of one address, each set in the order in which they came. */
interface OfAddress {
  readonly silent: Set<Socket>;
  /** They have a request that is not answered, and whose token was not checked yet. */
  readonly asking: Set<Socket>;
}

/**
 * Limits the number of sockets on the plain port. A new socket is never refused, because it may bring a `POST /off`.
 * If there are too many, one that serves no token is closed, of the address that has most: its oldest silent socket,
 * or its oldest asking one if only a few are silent. So silent sockets never end somebody's call, and a socket that has
 * just come has the time to say what it wants, also while all others call.
 */
export class PlainSockets {
  private readonly byAddress = new Map<string, OfAddress>();
  private count = 0;
  private readonly most: number;

  /** `maxConnections`: how many WebSockets are allowed. */
  constructor(maxConnections: number) {
    this.most = SOCKETS_EACH * maxConnections + SPARE;
  }

  bound(server: Server): void {
    server.on("connection", (socket) => this.welcome(socket));
  }

  /** A request came in on the socket. Returns what to call when it is answered. */
  asks(socket: Socket): () => void {
    const of = this.byAddress.get(addressOf(socket));
    if (of?.silent.delete(socket)) of.asking.add(socket);
    return () => {
      if (of?.asking.delete(socket)) of.silent.add(socket);
    };
  }

  /** A caller with a token uses the socket: it is not closed in favour of others. Returns what to call afterwards. */
  serves(socket: Socket): () => void {
    const address = addressOf(socket);
    const isOurs = this.remove(address, socket); // a socket of the TLS port is not counted here
    return () => {
      if (isOurs && !socket.destroyed) this.add(address, socket);
    };
  }

  /** Must be quick: a `POST /off` waits for every connection that came before it. */
  private welcome(socket: Socket): void {
    const address = addressOf(socket);
    this.add(address, socket);
    socket.once("close", () => this.remove(address, socket));
    if (this.count > this.most) this.nextToClose()?.destroy();
  }

  private add(address: string, socket: Socket): void {
    const of = this.byAddress.get(address) ?? { silent: new Set(), asking: new Set() };
    of.silent.add(socket);
    this.byAddress.set(address, of);
    this.count += 1;
  }

  private remove(address: string, socket: Socket): boolean {
    const of = this.byAddress.get(address);
    if (!of?.silent.delete(socket) && !of?.asking.delete(socket)) return false;
    if (sizeOf(of) === 0) this.byAddress.delete(address);
    this.count -= 1;
    return true;
  }

  private nextToClose(): Socket | undefined {
    let most: OfAddress | undefined;
    for (const of of this.byAddress.values()) if (!most || sizeOf(of) > sizeOf(most)) most = of;
    const [silent] = most?.silent ?? [];
    const [asking] = most?.asking ?? [];
    const isNew = (most?.silent.size ?? 0) <= SPARE; // its request may come in the next turns of the event loop
    return isNew ? (asking ?? silent) : silent;
  }
}

/** Only while the socket is open: a closed one has no address any more. */
const addressOf = ({ remoteAddress = "" }: Socket): string => remoteAddress;
const sizeOf = ({ silent, asking }: OfAddress): number => silent.size + asking.size;

/**
 * New handshakes a second; four seconds' worth may come at once. A choice: one takes about 3 ms on a PC, several times
 * that on a small Pi, and the event loop must also keep the guard alive.
 */
const HANDSHAKES_PER_SECOND = 25;
const EVERYBODY = "everybody";

/** Limits the sockets of the TLS port before their handshake: in all, half as many from one address, and by rate. */
export class TlsSockets {
  private readonly open = new Set<Socket>();
  private readonly rate: RateLimit;

  constructor(
    server: Server,
    private readonly most: number,
    clock: Clock,
  ) {
    this.rate = new RateLimit(HANDSHAKES_PER_SECOND, clock);
    server.on("connection", (socket) => this.admit(socket));
  }

  /** Includes sockets in their handshake, which the HTTP server does not know yet. */
  destroyAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private admit(socket: Socket): void {
    if (this.isFullFor(socket) || !this.rate.admits(EVERYBODY)) return void socket.destroy();
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
  }

  private isFullFor({ remoteAddress }: Socket): boolean {
    const same = [...this.open].filter((other) => other.remoteAddress === remoteAddress).length;
    return this.open.size >= this.most || same >= Math.ceil(this.most / 2);
  }
}

/** Bodies of one token that may be under way at once. A choice: our clients send one after the other. */
const MAX_BODIES_PER_TOKEN = 8;

/**
 * Limits the HTTP exchanges on /mcp by token. If one token sends too many bodies at once, the oldest is ended, so slow
 * bodies keep nobody out. An exchange counts once its body is there. Persons' tokens are counted apart from the others.
 */
export class Exchanges {
  private readonly bodies = new Map<string, Set<AbortController>>();
  private readonly answering = new Counts<string>();

  /** `most`: exchanges of persons' tokens, and as many of all others; one token may have half of them. */
  constructor(private readonly most: number) {}

  /** Runs `read`. Its signal ends it with RATE_LIMITED if this token sends too many bodies at once. */
  async receive<T>({ name }: Identity, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const own = new AbortController();
    const all = this.bodies.get(name) ?? new Set();
    this.bodies.set(name, all.add(own));
    const [slowest] = all;
    if (all.size > MAX_BODIES_PER_TOKEN)
      slowest?.abort(tooMany(`this token sends more than ${MAX_BODIES_PER_TOKEN} bodies at once`, 1));
    try {
      return await read(own.signal);
    } finally {
      all.delete(own);
      if (all.size === 0) this.bodies.delete(name);
    }
  }

  /** Counts an exchange until its response is closed. Throws RATE_LIMITED. */
  begin({ name, role }: Identity, response: ServerResponse): void {
    const mine = this.answering.of(name);
    if (mine >= Math.ceil(this.most / 2))
      throw tooMany(`${mine} requests of this token are being answered already`, 1);
    const all = this.answering.total((token) => isPersons(token) === (role === "human"));
    if (all >= this.most) throw tooMany(`${all} requests are being answered already`, 1);
    this.answering.add(name);
    response.once("close", () => this.answering.remove(name));
  }
}

/** A token's name begins with its role (server/tokens.ts). */
const isPersons = (token: string): boolean => token.split(".")[0] === "human";

type AtBeat = () => Promise<void>;

/** Calls every member each `interval`, until stopped. */
export class Heartbeat {
  private readonly members = new Set<AtBeat>();
  private cancel: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly interval: Millis,
    private readonly log: Log,
  ) {
    this.cancel = clock.after(interval, () => this.beat());
  }

  /** Returns a function that removes the member. */
  add(member: AtBeat): () => void {
    this.members.add(member);
    return () => void this.members.delete(member);
  }

  stop(): void {
    this.cancel();
  }

  private beat(): void {
    this.cancel = this.clock.after(this.interval, () => this.beat());
    for (const member of this.members)
      member().catch((error: unknown) => this.log("error", "heartbeat failed", { error: String(error) }));
  }
}

/** RFC 6455, section 7.4.1; 1013 is from the IANA registry. */
export const CLOSE = {
  goingAway: 1001,
  protocolError: 1002,
  unsupportedData: 1003,
  policyViolation: 1008,
  tooBig: 1009,
  tryAgainLater: 1013,
} as const;
