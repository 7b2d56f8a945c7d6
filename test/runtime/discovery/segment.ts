import dnsPacket from "dns-packet";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../drivers/units.js";
import { Announcer } from "../../../runtime/discovery/announcer.js";
import type { Link, Listener, Network, Sender } from "../../../runtime/discovery/network.js";
import { type Message, readMessage } from "../../../runtime/wire/dns-message.js";
import { SERVICE } from "../../../runtime/wire/mdns-record.js";

const MDNS_PORT = 5353;
/** How long a message takes on a simulated network. */
const WIRE = millis(1);

export interface Sent {
  /** Milliseconds on the segment's clock. */
  readonly at: number;
  readonly from: string;
  /** Undefined: to all. */
  readonly to: Sender | undefined;
  readonly bytes: Buffer;
  readonly message: Message;
}

/** A network in memory: what one sends to all, all hear a millisecond later, itself included. */
export class Segment {
  readonly clock = new SimulatedClock();
  readonly sent: Sent[] = [];
  private readonly hosts = new Set<SimulatedHost>();

  join(host: SimulatedHost): void {
    this.hosts.add(host);
  }

  leave(host: SimulatedHost): void {
    this.hosts.delete(host);
  }

  /** `from` need not be a computer of this segment. */
  send(bytes: Buffer, from: Sender, to?: Sender): void {
    const message = readMessage(bytes);
    if (message) this.sent.push({ at: this.clock.monotonic(), from: from.address, to, bytes, message });
    this.clock.after(WIRE, () => {
      if (to === undefined) for (const host of this.hosts) host.hear(bytes, from);
    });
  }

  /** Responses to all since `at`, oldest first. */
  responses(at = 0): readonly Sent[] {
    return this.sent.filter(({ at: when, to, message }) => when >= at && message.isResponse && !to);
  }
}

/** A computer on a segment, or on none. */
export class SimulatedHost implements Network {
  readonly port = MDNS_PORT;
  private listener: Listener | undefined;
  private link: Link | undefined;

  constructor(private readonly segment: Segment) {}

  links(): readonly Link[] {
    return this.link ? [this.link] : [];
  }

  open(listener: Listener): void {
    this.listener = listener;
  }

  async close(): Promise<void> {
    this.listener = undefined;
    this.segment.leave(this);
  }

  /** Comes onto the network as `address`, in place of the one it had. */
  plugIn(address: string): this {
    const from = { address, port: MDNS_PORT };
    this.link = {
      addresses: [address],
      multicast: (message) => this.segment.send(message, from),
      unicast: (message, to) => this.segment.send(message, from, to),
    };
    this.segment.join(this);
    this.listener?.changed();
    return this;
  }

  hear(bytes: Buffer, from: Sender): void {
    if (this.link) this.listener?.heard(bytes, this.link, from);
  }
}

/** A runtime on `segment`; `random` 0 makes every delay its shortest. */
export function runtimeOn(segment: Segment, { address, port = 8731, target, random = 0 }: RuntimeOptions) {
  const host = new SimulatedHost(segment);
  if (address !== undefined) host.plugIn(address);
  const told: string[] = [];
  const announcer = new Announcer({
    network: host,
    clock: segment.clock,
    random: () => random,
    hostName: "raspberrypi.fritz.box",
    announced: { port, path: "/mcp", tls: false, target },
    log: (_, message) => told.push(message),
  });
  announcer.begin();
  return { host, announcer, told };
}

interface RuntimeOptions {
  readonly address?: string;
  readonly port?: number;
  readonly target: string;
  readonly random?: number;
}

/** As any program that speaks multicast DNS asks. */
export const query = (parts: object): Buffer => dnsPacket.encode({ type: "query", ...parts });

export const WHO = { questions: [{ name: SERVICE, type: "PTR" }] };
