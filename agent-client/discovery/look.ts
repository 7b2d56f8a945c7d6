import { createSocket, type Socket } from "node:dgram";
import type { Clock } from "../clock.js";
import { LinkError } from "../link-error.js";
import { type Millis, seconds } from "../units.js";
import { Findings, type Found, listOf } from "./findings.js";
import type { Interface, Place } from "./interfaces.js";
import { questionFor, readResponse } from "./message.js";
import { SERVICE } from "./names.js";

/** How long it looks. A choice: a runtime answers within 0.12 s (RFC 6762, section 6), Wi-Fi loses a message now and then. */
export const LOOKING: Millis = seconds(3);
/** Before the second question; each further pause is twice as long (RFC 6762, section 5.2). */
const FIRST_PAUSE: Millis = seconds(1);
/** Messages that are read in one look. A choice: a busy network has a hundred a second. */
const MOST_HEARD = 2000;
/** RFC 6762, section 11. */
const HOPS = 255;

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
  const ears = new Ears(place, options.onFound);
  try {
    const end = clock.monotonic() + time;
    for (let pause = FIRST_PAUSE; clock.monotonic() < end; pause *= 2) {
      ears.ask();
      await clock.sleep(Math.min(pause, end - clock.monotonic()), signal);
    }
  } catch {
    // looked long enough
  } finally {
    ears.close();
  }
  return ears.result();
}

/** A socket an interface, for the time of one look. */
class Ears {
  private readonly findings = new Findings();
  private readonly troubles = new Set<string>();
  private readonly sockets = new Set<Socket>();
  private readonly ready: (() => void)[] = [];
  private heard = 0;

  constructor(
    private readonly place: Place,
    private readonly onFound: (found: readonly Found[]) => void = () => undefined,
  ) {
    const interfaces = place.interfaces();
    if (interfaces.length === 0) this.troubles.add("this computer has no network");
    for (const on of interfaces) this.open(on, place.port);
  }

  /** Now, or where a socket is not open yet, as soon as it is. */
  ask(): void {
    for (const ask of this.ready) ask();
  }

  close(): void {
    for (const socket of this.sockets) socket.close();
    this.sockets.clear();
  }

  result(): Looked {
    return { found: this.findings.list(), troubles: [...this.troubles] };
  }

  /** From multicast DNS's own port firewalls let answers in; where that port cannot be had, they come to another. */
  private open(on: Interface, port: number): void {
    const options = { type: on.family, reuseAddr: true, ...(on.family === "udp6" && { ipv6Only: true }) };
    const socket = createSocket(options).unref();
    this.sockets.add(socket);
    socket.on("message", (message, { address }) => this.hear(message, address, on));
    socket.on("error", (error) => {
      if (port === 0 || !isAboutThePort(error)) this.note(error);
      else this.reopen(socket, on);
    });
    socket.bind(port, () => this.opened(socket, on));
  }

  private opened(socket: Socket, on: Interface): void {
    if (!this.sockets.has(socket)) return;
    try {
      socket.addMembership(on.group.replace(/%.*/, ""), on.local);
      socket.setMulticastInterface(on.local);
      socket.setMulticastTTL(HOPS);
      this.ready.push(() => this.send(socket, on));
      this.send(socket, on);
    } catch (error) {
      this.note(error);
    }
  }

  private send(socket: Socket, { group }: Interface): void {
    if (!this.sockets.has(socket)) return;
    socket.send(questionFor(SERVICE), this.place.port, group, (error) => {
      if (error) this.note(error);
    });
  }

  /** Only neighbours count, and only what they say of their own network (RFC 6762, section 11). */
  private hear(message: Buffer, from: string, on: Interface): void {
    this.heard += 1;
    if (this.heard > MOST_HEARD || !on.isNear(from)) return;
    const isNew = this.findings.add(readResponse(message), (address) => on.isNear(address));
    if (isNew) this.onFound(this.findings.list());
  }

  private reopen(socket: Socket, on: Interface): void {
    this.sockets.delete(socket);
    socket.close();
    this.open(on, 0);
  }

  private note(error: unknown): void {
    this.troubles.add(error instanceof Error ? error.message : String(error));
  }
}

const isAboutThePort = (error: Error): boolean =>
  "code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES");
