import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** RFC 6762, section 3. */
export const MDNS = { port: 5353, group4: "224.0.0.251", group6: "ff02::fb" } as const;
/** RFC 6762, section 11. */
const HOPS = 255;

type Addresses = readonly NetworkInterfaceInfo[];
type Named = readonly (readonly [name: string, addresses: Addresses])[];

/** Where multicast DNS is spoken. */
export interface Place {
  readonly port: number;
  /** Empty where there is no network. */
  interfaces(): Named;
}

/** Every interface that leads to other computers. */
const OUTSIDE: Place = { port: MDNS.port, interfaces: () => interfacesWith(({ internal }) => !internal) };

/**
 * Everywhere, or, for trials on one computer, only where TENDRIL_MDNS=ADDRESS:PORT says, also on loopback. Throws an Error
 * for any other text.
 */
export function placeOf({ TENDRIL_MDNS: given = "" }: Readonly<Record<string, string | undefined>>): Place {
  if (given === "") return OUTSIDE;
  const [, address = "", port = ""] = /^([\d.]+):(\d{4,5})$/.exec(given) ?? [];
  if (!isIPv4(address) || Number(port) > 65_535)
    throw new Error(`TENDRIL_MDNS=${given}: must be ADDRESS:PORT, such as 127.0.0.1:5399`);
  return { port: Number(port), interfaces: () => interfacesWith((one) => one.address === address) };
}

const interfacesWith = (isWanted: (address: NetworkInterfaceInfo) => boolean): Named =>
  interfacesNow().map(([name, all]) => [name, all.filter(isWanted)]);

/** A sandbox may forbid the question (AF_NETLINK): then there are none. */
function interfacesNow(): [string, NetworkInterfaceInfo[]][] {
  try {
    return Object.entries(networkInterfaces()).map(([name, all]) => [name, all ?? []]);
  } catch {
    return [];
  }
}

/** An interface in one family of addresses, as its socket wants it. */
export interface Interface {
  readonly name: string;
  readonly family: "udp4" | "udp6";
  /** How `addMembership` names it: an IPv4 address, or `::%eth0`. */
  readonly local: string;
  /** `224.0.0.251`, or `ff02::fb%eth0`. */
  readonly group: string;
  /** This computer's own there, both families: those that were wanted. */
  readonly addresses: readonly string[];
  /** Whether this is the address of a neighbour on that interface, or its own. */
  isNear(address: string): boolean;
}

/** Those with an address that is wanted, in each family where they have one. */
export function interfacesOf(
  named: Named,
  isWanted: (address: NetworkInterfaceInfo) => boolean = () => true,
): Interface[] {
  return named.flatMap(([name, all]) => {
    const addresses = all.filter(isWanted).map(({ address }) => address);
    const here = { name, addresses, isNear: nearnessOf(name, all) };
    const local = addresses.find(isIPv4);
    const found: Interface[] = [];
    if (local !== undefined) found.push({ ...here, family: "udp4", local, group: MDNS.group4 });
    if (addresses.some(isIPv6))
      found.push({ ...here, family: "udp6", local: `::%${name}`, group: `${MDNS.group6}%${name}` });
    return found;
  });
}

function nearnessOf(name: string, all: Addresses): (address: string) => boolean {
  const near = new BlockList();
  for (const { cidr, family } of all) {
    const [address = "", bits = ""] = cidr?.split("/") ?? [];
    if (address) near.addSubnet(address, Number(bits), family === "IPv4" ? "ipv4" : "ipv6");
  }
  return (address) => {
    const [plain = "", scope] = address.split("%");
    if (scope !== undefined && scope !== name) return false;
    return near.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
  };
}

export interface SocketParts {
  readonly on: Interface;
  /** To listen on; 0: any that is free. */
  readonly port: number;
  /** From a neighbour, or from this computer itself. */
  heard(message: Buffer, from: RemoteInfo): void;
  /** It has joined its group: from now on it hears and sends. */
  ready?(): void;
  failed(error: unknown): void;
  /** A message went out. */
  sent?(): void;
}

/** A socket of its own on one interface, beside those of other programs that speak multicast DNS (avahi). */
export class MulticastSocket {
  private readonly socket: Socket;
  private joined = false;
  private closed = false;
  private readonly sending = new Set<Promise<void>>();

  constructor(private readonly parts: SocketParts) {
    const { family } = parts.on;
    const sharing = { type: family, reuseAddr: true, ...(family === "udp6" && { ipv6Only: true }) };
    this.socket = createSocket(sharing).unref();
    this.socket.on("error", (error) => parts.failed(error));
    this.socket.on("message", (message, from) => this.hear(message, from));
    this.socket.bind(parts.port, () => this.join());
  }

  /** Whether it hears what others send. */
  get works(): boolean {
    return this.joined;
  }

  /** What goes wrong is told to `failed`. */
  send(message: Buffer, port: number, address = this.parts.on.group): void {
    if (!this.joined) return;
    const sent = new Promise<void>((resolve) => {
      this.socket.send(message, port, address, (error) => {
        if (error) this.parts.failed(error);
        else this.parts.sent?.();
        resolve();
      });
    });
    this.sending.add(sent);
    void sent.then(() => this.sending.delete(sent));
  }

  /** Resolves when what was sent is on its way. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.sending);
    this.joined = false;
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  private join(): void {
    if (this.closed) return;
    const { local, group } = this.parts.on;
    try {
      this.socket.addMembership(group.replace(/%.*/, ""), local);
      this.socket.setMulticastInterface(local);
      this.socket.setMulticastTTL(HOPS);
      this.socket.setMulticastLoopback(true); // for programs on this computer
      this.joined = true;
    } catch (error) {
      this.parts.failed(error);
    }
    if (this.joined) this.parts.ready?.();
  }

  /**
   * A socket hears what comes in anywhere: each interface takes what its own neighbours say (RFC 6762, section 11). Who sends from
   * port 0, which Linux lets through, wants no answer (RFC 768), and Node throws where one is sent.
   */
  private hear(message: Buffer, from: RemoteInfo): void {
    if (this.joined && from.port > 0 && this.parts.on.isNear(from.address)) this.parts.heard(message, from);
  }
}
