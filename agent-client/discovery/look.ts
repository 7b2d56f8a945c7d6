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
import { type Clock, type Millis, seconds } from "../clock.js";
import { LinkError, UsageError } from "../errors.js";
import type { Environment } from "../models/http.js";

/** How long to look. A choice: a runtime answers within 0.12 s (RFC 6762, section 6), but Wi-Fi can lose a message. */
export const LOOKING: Millis = seconds(3);
/** Pause before the second query; each further pause is twice as long (RFC 6762, section 5.2). */
const FIRST_PAUSE: Millis = seconds(1);
/** Messages read in one look. A choice: a busy network has a hundred a second. */
const MAX_MESSAGES = 2000;

/** Where to look: on all interfaces, or as TENDRIL_MDNS says. Throws a UsageError. */
export function placeGiven(environment: Environment): Place {
  try {
    return placeOf(environment);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

interface LookOptions {
  readonly place: Place;
  readonly clock: Clock;
  /** Ends the look early, without an error. */
  readonly signal: AbortSignal;
  /** Called with all runtimes found so far, at each new one. */
  readonly onFound?: (found: readonly Found[]) => void;
}

export interface Looked {
  readonly found: readonly Found[];
  /** Why a network could not be asked, one clause each. */
  readonly troubles: readonly string[];
}

/** `meant` in words, such as "a runtime". The message also names other runtimes that were found, and the troubles. */
export function notFound(meant: string, { found, troubles }: Looked): LinkError {
  const others = found.length === 0 ? "" : `, only ${listOf(found)}`;
  const why = troubles.map((trouble) => ` (${trouble})`).join("");
  return new LinkError("NOT_FOUND_NEAR", `${meant} was not found on this network${others}${why}`);
}

/** Looks for runtimes on the network, for `time` at most. Never rejects. */
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
    // the signal ends the look
  } finally {
    listener.close();
  }
  return listener.result();
}

/** Looks, and calls `ask` for each runtime with `isMeant` as soon as it is found. Rejects if `ask` does. */
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

/** One socket for each interface, open during one look. */
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

  /** A socket that is not open yet asks once it is. */
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

  /** Firewalls let answers to multicast DNS's own port in. If that port is taken, the socket uses another one. */
  private open(on: Interface, port: number): void {
    const socket: MulticastSocket = new MulticastSocket({
      on,
      port,
      heard: (message) => this.hear(message, on),
      ready: () => this.askOn(socket),
      failed: (error) => {
        const isAboutThePort = hasCode(error, "EADDRINUSE") || hasCode(error, "EACCES");
        if (port === 0 || socket.works || !isAboutThePort) this.note(error);
        else this.reopen(socket, on);
      },
    });
    this.sockets.add(socket);
  }

  private askOn(socket: MulticastSocket): void {
    socket.send(writeQuery({ questions: [{ name: SERVICE, type: "PTR" }] }), this.place.port);
  }

  /** Only answers from the same network count (RFC 6762, section 11). */
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

/** A choice: a flood of answers must not fill the memory, and no person reads a longer list. */
const MAX_RUNTIMES = 64;

export class FoundRuntimes {
  private readonly known = new Map<string, Found>();

  /** Reads a message from anybody; true if it contained a new runtime. Never throws. */
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

/** Whether `wanted` names it: its name, the computer's name in that, its host or an address. Undefined names any. */
export function isCalled({ name, host, addresses }: Found, wanted: string | undefined): boolean {
  const names = [name, name.replace(/^Tendril on /, ""), host, ...addresses];
  return wanted === undefined || names.some((each) => each.toLowerCase() === wanted.toLowerCase());
}

/** "Tendril on balcony" at 192.168.1.20, … */
export const listOf = (all: readonly Found[]): string =>
  all.map(({ name, addresses: [first] }) => `"${name}" at ${first}`).join(", ");

/** The URLs of a runtime, the most likely first. */
export const urlsOf = ({ addresses, port, path, tls }: Found): string[] =>
  addresses.map(
    (address) => `${tls ? "wss" : "ws"}://${isIPv4(address) ? address : `[${address}]`}:${port}${path}`,
  );
