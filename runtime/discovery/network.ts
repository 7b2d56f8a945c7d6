import type { NetworkInterfaceInfo } from "node:os";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { type Interface, interfacesOf, MulticastSocket, type Place } from "../wire/multicast.js";

export interface Sender {
  readonly address: string;
  readonly port: number;
}

/** One interface of this computer, in one address family. */
export interface Link {
  /** The addresses at which its neighbours reach the runtime. */
  readonly addresses: readonly string[];
  /** Sends to all listeners. Errors are reported, not thrown. */
  multicast(message: Buffer): void;
  unicast(message: Buffer, to: Sender): void;
}

export interface Listener {
  /** A message came from a neighbour on the link, or from this computer. */
  heard(message: Buffer, link: Link, from: Sender): void;
  /** Links came, went, or changed their addresses. */
  changed(): void;
}

export interface Network {
  /** The port of multicast DNS. A query from another port needs an answer of its own. */
  readonly port: number;
  links(): readonly Link[];
  open(listener: Listener): void;
  /** Resolves when all messages have been sent. */
  close(): Promise<void>;
}

/** How often it looks for late Wi-Fi and changed addresses, because Node does not report them. A choice. */
const LOOK: Millis = seconds(10);

interface MulticastParts {
  readonly place: Place;
  /** Whether the runtime listens on this address of this computer. */
  readonly isServed: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sockets on all interfaces at which the runtime is reached, as they come and go. */
export class MulticastNetwork implements Network {
  readonly port: number;
  private sockets = new Map<string, MulticastLink>();
  private listener: Listener | undefined;
  private readonly troubles = new Set<string>();
  private cancel: Cancel = () => undefined;

  constructor(private readonly parts: MulticastParts) {
    this.port = parts.place.port;
  }

  links(): readonly Link[] {
    return [...this.sockets.values()];
  }

  open(listener: Listener): void {
    this.listener = listener;
    this.look();
  }

  async close(): Promise<void> {
    this.listener = undefined;
    this.cancel();
    await Promise.all([...this.sockets.values()].map((link) => link.close()));
    this.sockets.clear();
  }

  /** Opens new links and closes old ones. A socket that failed is tried again each time. */
  private look(): void {
    const now = new Map(this.interfaces().map((each) => [markOf(each), each]));
    const gone = [...this.sockets].filter(([mark, link]) => !now.has(mark) || !link.works);
    const fresh = [...now].filter(([mark]) => !this.sockets.get(mark)?.works);
    for (const [mark, link] of gone) {
      this.sockets.delete(mark);
      void link.close();
    }
    for (const [mark, on] of fresh) this.sockets.set(mark, this.linkOn(mark, on));
    this.cancel = this.parts.clock.after(LOOK, () => this.lookAgain());
    if (gone.length + fresh.length > 0) this.listener?.changed();
  }

  private lookAgain(): void {
    if (this.listener) this.look();
  }

  private interfaces(): Interface[] {
    const { place, isServed } = this.parts;
    return servedInterfaces(place.interfaces(), isServed);
  }

  private linkOn(mark: string, on: Interface): MulticastLink {
    return new MulticastLink({
      on,
      port: this.port,
      heard: (message, link, from) => this.listener?.heard(message, link, from),
      trouble: (what) => this.tell(mark, what),
      well: () => void this.troubles.delete(mark),
    });
  }

  /** Logs a trouble once, until a message was sent there again. */
  private tell(mark: string, what: string): void {
    if (this.troubles.has(mark)) return;
    this.troubles.add(mark);
    this.parts.log("warn", `agents may not find this runtime by --discover on ${what}; tried again`);
  }
}

/** The interfaces at which others can reach the runtime. */
export const servedInterfaces = (
  named: ReturnType<Place["interfaces"]>,
  isServed: (address: string) => boolean,
): Interface[] => interfacesOf(named, (own) => isSharable(own) && isServed(own.address));

/** A tunnel's own address has no neighbours; a link-local one (RFC 4291, section 2.5.6) fits into no URL. */
const isSharable = ({ address, cidr }: NetworkInterfaceInfo): boolean =>
  !/\/(32|128)$/.test(cidr ?? "") && !/^fe[89ab]/i.test(address);

const markOf = ({ name, family, local, addresses }: Interface): string =>
  [name, family, local, ...addresses].join(" ");

interface LinkParts {
  readonly on: Interface;
  readonly port: number;
  heard(message: Buffer, link: Link, from: Sender): void;
  /** A trouble in words; not repeated before `well`. */
  trouble(what: string): void;
  well(): void;
}

class MulticastLink implements Link {
  readonly addresses: readonly string[];
  private readonly socket: MulticastSocket;

  constructor(private readonly parts: LinkParts) {
    const { on, port } = parts;
    this.addresses = on.addresses;
    this.socket = new MulticastSocket({
      on,
      port,
      heard: (message, from) => parts.heard(message, this, from),
      failed: (error) => this.complain(error),
      sent: () => parts.well(),
    });
  }

  get works(): boolean {
    return this.socket.works;
  }

  multicast(message: Buffer): void {
    this.socket.send(message, this.parts.port);
  }

  unicast(message: Buffer, { address, port }: Sender): void {
    this.socket.send(message, port, address);
  }

  close(): Promise<void> {
    return this.socket.close();
  }

  private complain(error: unknown): void {
    const { name, family } = this.parts.on;
    const why = messageOf(error);
    this.parts.trouble(`${name} (${family === "udp4" ? "IPv4" : "IPv6"}): ${why}`);
  }
}
