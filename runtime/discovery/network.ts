import type { NetworkInterfaceInfo } from "node:os";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { type Interface, interfacesOf, MulticastSocket, type Place } from "../wire/multicast.js";

/** Where a message came from. */
export interface Sender {
  readonly address: string;
  readonly port: number;
}

/** One interface of this computer in one family of addresses. */
export interface Link {
  /** Under which neighbours on it reach the runtime. */
  readonly addresses: readonly string[];
  /** To all who listen there. What goes wrong is told, not thrown. */
  multicast(message: Buffer): void;
  unicast(message: Buffer, to: Sender): void;
}

export interface Listener {
  /** From a neighbour on that link, or from this computer itself. */
  heard(message: Buffer, link: Link, from: Sender): void;
  /** Links came or went, or have other addresses. */
  changed(): void;
}

/** The links that lead to other computers. */
export interface Network {
  /** From which multicast DNS is spoken: whoever asks from another wants an answer of its own. */
  readonly port: number;
  links(): readonly Link[];
  open(listener: Listener): void;
  /** Resolves when what was sent is on its way. */
  close(): Promise<void>;
}

/** How often it looks for Wi-Fi that came late or an address that is another now: nothing in Node tells. A choice. */
const LOOK: Millis = seconds(10);

export interface MulticastParts {
  readonly place: Place;
  /** Whether the runtime listens on this address of this computer. */
  readonly isServed: (address: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sockets on all interfaces under which the runtime is reached, as they come and go. */
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

  /** One whose socket could not be had is tried again at every look. */
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

  /** Once, until a message goes out there again. */
  private tell(mark: string, what: string): void {
    if (this.troubles.has(mark)) return;
    this.troubles.add(mark);
    this.parts.log("warn", `agents may not find this runtime by --discover on ${what}; tried again`);
  }
}

/** Those on which the runtime is reached under an address that others can use. */
export const servedInterfaces = (
  named: ReturnType<Place["interfaces"]>,
  isServed: (address: string) => boolean,
): Interface[] => interfacesOf(named, (own) => isSharable(own) && isServed(own.address));

/** An address for itself alone has no neighbours (a tunnel); one of a link alone (RFC 4291, section 2.5.6) fits in no URL. */
const isSharable = ({ address, cidr }: NetworkInterfaceInfo): boolean =>
  !/\/(32|128)$/.test(cidr ?? "") && !/^fe[89ab]/i.test(address);

/** Another text where an interface is another. */
const markOf = ({ name, family, local, addresses }: Interface): string =>
  [name, family, local, ...addresses].join(" ");

interface LinkParts {
  readonly on: Interface;
  readonly port: number;
  heard(message: Buffer, link: Link, from: Sender): void;
  /** In words; not once more before `well`. */
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

  /** Whether it hears what others send. */
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
