import { createSocket, type Socket } from "node:dgram";
import type { Interface } from "./interfaces.js";
import type { Link, Sender } from "./network.js";

/** RFC 6762, section 11. */
const HOPS = 255;

export interface LinkParts {
  readonly on: Interface;
  readonly port: number;
  heard(message: Buffer, link: Link, from: Sender): void;
  /** In words; not once more before `well`. */
  trouble(what: string): void;
  well(): void;
}

/** A socket of its own on an interface, beside those of other programs that speak multicast DNS (avahi). */
export class MulticastLink implements Link {
  readonly addresses: readonly string[];
  private readonly socket: Socket;
  private joined = false;
  private readonly sending = new Set<Promise<void>>();

  constructor(private readonly parts: LinkParts) {
    const { family, addresses } = parts.on;
    this.addresses = addresses;
    const sharing = { type: family, reuseAddr: true, ...(family === "udp6" && { ipv6Only: true }) };
    this.socket = createSocket(sharing).unref();
    this.socket.on("error", (error) => this.complain(error));
    this.socket.on("message", (message, from) => this.hear(message, from));
    this.socket.bind(parts.port, () => this.join());
  }

  /** Whether it hears what others send. */
  get works(): boolean {
    return this.joined;
  }

  multicast(message: Buffer): void {
    const { on, port } = this.parts;
    this.send(message, port, on.group);
  }

  unicast(message: Buffer, { address, port }: Sender): void {
    this.send(message, port, address);
  }

  async close(): Promise<void> {
    await Promise.all(this.sending);
    this.joined = false;
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  private join(): void {
    const { local, group } = this.parts.on;
    try {
      this.socket.addMembership(group.replace(/%.*/, ""), local);
      this.socket.setMulticastInterface(local);
      this.socket.setMulticastTTL(HOPS);
      this.socket.setMulticastLoopback(true); // for agents, and avahi, on this computer
      this.joined = true;
    } catch (error) {
      this.complain(error);
    }
  }

  /**
   * A socket hears what comes in anywhere: each interface takes what its own neighbours say (RFC 6762, section 11). Who sends from
   * port 0, which Linux lets through, wants no answer (RFC 768), and Node throws where one is sent.
   */
  private hear(message: Buffer, from: Sender): void {
    if (this.joined && from.port > 0 && this.parts.on.isNear(from.address))
      this.parts.heard(message, this, from);
  }

  private send(message: Buffer, port: number, address: string): void {
    if (!this.joined) return;
    const sent = new Promise<void>((resolve) => {
      this.socket.send(message, port, address, (error) => {
        if (error) this.complain(error);
        else this.parts.well();
        resolve();
      });
    });
    this.sending.add(sent);
    void sent.then(() => this.sending.delete(sent));
  }

  private complain(error: unknown): void {
    const { name, family } = this.parts.on;
    const why = error instanceof Error ? error.message : String(error);
    this.parts.trouble(`${name} (${family === "udp4" ? "IPv4" : "IPv6"}): ${why}`);
  }
}
