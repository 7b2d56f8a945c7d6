import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** RFC 6762, section 3. */
export const MDNS = { port: 5353, group4: "224.0.0.251", group6: "ff02::fb" } as const;
/** RFC 6762, section 11. */
const HOPS = 255;

type Addresses = readonly NetworkInterfaceInfo[];
type Named = readonly (readonly [name: string, addresses: Addresses])[];

/** Where multicast DNS is used. */
export interface Place {
  readonly port: number;
  /** Empty if there is no network. */
  interfaces(): Named;
}

/** Every interface to other computers. */
const OUTSIDE: Place = { port: MDNS.port, interfaces: () => interfacesWith(({ internal }) => !internal) };

/** All interfaces; for trials only TENDRIL_MDNS=ADDRESS:PORT, loopback too. Throws an Error for any other text. */
export function placeOf({ TENDRIL_MDNS: given = "" }: Readonly<Record<string, string | undefined>>): Place {
  if (given === "") return OUTSIDE;
  const [, address = "", port = ""] = /^([\d.]+):(\d{4,5})$/.exec(given) ?? [];
  if (!isIPv4(address) || Number(port) > 65_535)
    throw new Error(`TENDRIL_MDNS=${given}: must be ADDRESS:PORT, such as 127.0.0.1:5399`);
  return { port: Number(port), interfaces: () => interfacesWith((one) => one.address === address) };
}

const interfacesWith = (isWanted: (address: NetworkInterfaceInfo) => boolean): Named =>
  interfacesNow().map(([name, all]) => [name, all.filter(isWanted)]);

/** None if a sandbox forbids the question (AF_NETLINK). */
function interfacesNow(): [string, NetworkInterfaceInfo[]][] {
  try {
    return Object.entries(networkInterfaces()).map(([name, all]) => [name, all ?? []]);
  } catch {
    return [];
  }
}

/** An interface in one address family, as its socket needs it. */
export interface Interface {
  readonly name: string;
  readonly family: "udp4" | "udp6";
  /** Its name for `addMembership`: an IPv4 address, or `::%eth0`. */
  readonly local: string;
  /** `224.0.0.251`, or `ff02::fb%eth0`. */
  readonly group: string;
  /** This computer's wanted addresses there, of both families. */
  readonly addresses: readonly string[];
  /** Whether the address is this computer's, or a neighbour's on this interface. */
  isNear(address: string): boolean;
}

/** The interfaces with a wanted address, in each family in which they have one. */
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

interface SocketParts {
  readonly on: Interface;
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  /** A message came from a neighbour, or from this computer. */
  heard(message: Buffer, from: RemoteInfo): void;
  /** The socket has joined its group: from now on it receives and sends. */
  ready?(): void;
  failed(error: unknown): void;
  /** A message went out. */
  sent?(): void;
}

/** A socket on one interface. It shares the port with other programs that use multicast DNS (avahi). */
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

  /** Whether it receives messages. */
  get works(): boolean {
    return this.joined;
  }

  /** Errors go to `failed`. */
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

  /** Resolves when all messages have been sent. */
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
   * The socket receives messages from all interfaces, and keeps those of its own neighbours (RFC 6762, section 11).
   * Linux lets port 0 through; its sender wants no answer (RFC 768), and Node throws if one is sent.
   */
  private hear(message: Buffer, from: RemoteInfo): void {
    if (this.joined && from.port > 0 && this.parts.on.isNear(from.address)) this.parts.heard(message, from);
  }
}
