import { isIPv4 } from "node:net";
import { hasCode, messageOf } from "../../drivers/system-error.js";
import { dataOf, type HeardRecord, readMessage, writeQuery } from "../../runtime/wire/dns-message.js";
import { type Found, type Heard, runtimesIn, SERVICE } from "../../runtime/wire/mdns-record.js";
import {
  type Interface,
  interfacesOf,
  MulticastSocket,
  type Place,
  placeOf,
} from "../../runtime/wire/multicast.js";
import type { Clock } from "../clock.js";
import { LinkError, UsageError } from "../errors.js";
import type { Environment } from "../models/http.js";
import { type Millis, seconds } from "../units.js";

/** How long it looks. A choice: a runtime answers within 0.12 s (RFC 6762, section 6), Wi-Fi loses a message now and then. */
export const LOOKING: Millis = seconds(3);
/** Before the second question; each further pause is twice as long (RFC 6762, section 5.2). */
const FIRST_PAUSE: Millis = seconds(1);
/** Messages that are read in one look. A choice: a busy network has a hundred a second. */
const MAX_MESSAGES = 2000;

/** Where to look: everywhere, or where TENDRIL_MDNS says. Throws a UsageError. */
export function placeGiven(environment: Environment): Place {
  try {
    return placeOf(environment);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

export interface LookOptions {
  readonly place: Place;
  readonly clock: Clock;
  /** Ends the look early, and without an error. */
  readonly signal: AbortSignal;
  /** Told of all that are known, whenever there is one more. */
  readonly onFound?: (found: readonly Found[]) => void;
}

export interface Looked {
  readonly found: readonly Found[];
  /** Why some network could not be asked, if any; a clause each. */
  readonly troubles: readonly string[];
}

/** `meant` in words, such as "a runtime"; what was found in its place, and what was in the way, is told too. */
export function notFound(meant: string, { found, troubles }: Looked): LinkError {
  const others = found.length === 0 ? "" : `, only ${listOf(found)}`;
  const why = troubles.map((trouble) => ` (${trouble})`).join("");
  return new LinkError("NOT_FOUND_NEAR", `${meant} was not found on this network${others}${why}`);
}

/** Asks the network which runtimes there are, for `time` at most. Never rejects. */
export async function look(options: LookOptions, time: Millis = LOOKING): Promise<Looked> {
  const { place, clock, signal } = options;
  const listener = new Listener(place, options.onFound);
  try {
    const end = clock.monotonic() + time;
    for (let pause = FIRST_PAUSE; clock.monotonic() < end; pause *= 2) {
      listener.ask();
      await clock.sleep(Math.min(pause, end - clock.monotonic()), signal);
    }
  } catch {
    // looked long enough
  } finally {
    listener.close();
  }
  return listener.result();
}

/** Looks, and asks each runtime that is meant as soon as it is found. Rejects where `ask` does. */
export async function lookAndAsk<T>(
  options: Omit<LookOptions, "onFound">,
  isMeant: (found: Found) => boolean,
  ask: (found: Found) => Promise<T>,
): Promise<{ readonly answers: readonly T[]; readonly looked: Looked }> {
  const asked = new Map<Found, Promise<T>>();
  const onFound = (all: readonly Found[]) => {
    for (const found of all.filter((each) => isMeant(each) && !asked.has(each))) asked.set(found, ask(found));
  };
  const looked = await look({ ...options, onFound });
  return { answers: await Promise.all(asked.values()), looked };
}

/** A socket for each interface, for the time of one look. */
class Listener {
  private readonly findings = new FoundRuntimes();
  private readonly troubles = new Set<string>();
  private readonly sockets = new Set<MulticastSocket>();
  private messages = 0;

  constructor(
    private readonly place: Place,
    private readonly onFound: (found: readonly Found[]) => void = () => undefined,
  ) {
    const interfaces = interfacesOf(place.interfaces());
    if (interfaces.length === 0) this.troubles.add("this computer has no network");
    for (const on of interfaces) this.open(on, place.port);
  }

  /** Sockets that are not open yet ask as soon as they are. */
  ask(): void {
    for (const socket of this.sockets) this.askOn(socket);
  }

  close(): void {
    for (const socket of this.sockets) void socket.close();
    this.sockets.clear();
  }

  result(): Looked {
    return { found: this.findings.list(), troubles: [...this.troubles] };
  }

  /** From multicast DNS's own port firewalls let answers in; where that port cannot be had, they come to another. */
  private open(on: Interface, port: number): void {
    const socket: MulticastSocket = new MulticastSocket({
      on,
      port,
      heard: (message) => this.hear(message, on),
      ready: () => this.askOn(socket),
      failed: (error) => {
        if (port === 0 || socket.works || !isAboutThePort(error)) this.note(error);
        else this.reopen(socket, on);
      },
    });
    this.sockets.add(socket);
  }

  private askOn(socket: MulticastSocket): void {
    socket.send(writeQuery({ questions: [{ name: SERVICE, type: "PTR" }] }), this.place.port);
  }

  /** Only what neighbours say of their own network counts (RFC 6762, section 11). */
  private hear(message: Buffer, on: Interface): void {
    this.messages += 1;
    if (this.messages > MAX_MESSAGES) return;
    if (this.findings.add(message, (address) => on.isNear(address))) this.onFound(this.findings.list());
  }

  private reopen(socket: MulticastSocket, on: Interface): void {
    this.sockets.delete(socket);
    void socket.close();
    this.open(on, 0);
  }

  private note(error: unknown): void {
    this.troubles.add(messageOf(error));
  }
}

const isAboutThePort = (error: unknown): boolean => hasCode(error, "EADDRINUSE") || hasCode(error, "EACCES");

/** A choice: a flood of answers must not fill the memory, and nobody reads a longer list. */
const MAX_RUNTIMES = 64;

/** The runtimes that answers told of, each once. */
export class FoundRuntimes {
  private readonly known = new Map<string, Found>();

  /** Takes a message of anybody's; whether it told of anything new. Never throws. */
  add(bytes: Buffer, isNear: (address: string) => boolean): boolean {
    const before = this.known.size;
    for (const found of runtimesIn(recordsIn(bytes), isNear)) {
      const key = JSON.stringify(found);
      if (this.known.size < MAX_RUNTIMES && !this.known.has(key)) this.known.set(key, found);
    }
    return this.known.size > before;
  }

  list(): readonly Found[] {
    return [...this.known.values()];
  }
}

function recordsIn(bytes: Buffer): Heard[] {
  const message = readMessage(bytes);
  if (!message?.isResponse) return [];
  return [...message.answers, ...message.authorities, ...message.additionals].flatMap(heard);
}

function heard(record: HeardRecord): Heard[] {
  const data = dataOf(record);
  return data ? [{ name: record.name, ttl: record.ttl, ...data }] : [];
}

/** Whether a person can mean it by this name: its own, the computer's in that, its host or an address; by none, any. */
export function isCalled({ name, host, addresses }: Found, wanted: string | undefined): boolean {
  const names = [name, name.replace(/^Tendril on /, ""), host, ...addresses];
  return wanted === undefined || names.some((each) => each.toLowerCase() === wanted.toLowerCase());
}

/** "Tendril on balcony" at 192.168.1.20, … */
export const listOf = (all: readonly Found[]): string =>
  all.map(({ name, addresses: [first] }) => `"${name}" at ${first}`).join(", ");

/** The addresses to call it by, likely ones first. */
export const urlsOf = ({ addresses, port, path, tls }: Found): string[] =>
  addresses.map(
    (address) => `${tls ? "wss" : "ws"}://${isIPv4(address) ? address : `[${address}]`}:${port}${path}`,
  );
