import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { ConfigError } from "../errors.js";
import type { Log } from "../log.js";
import { TokenBucket } from "../tools/rate-limit.js";
import {
  type HeardRecord,
  type Message,
  type ResourceRecord,
  rdataOf,
  readMessage,
  writeQuery,
  writeResponse,
} from "../wire/dns-message.js";
import {
  type Announced,
  fullName,
  goodbyeTo,
  instanceName,
  recordsOf,
  sameName,
  uniqueRecords,
} from "../wire/mdns-record.js";
import { type Place, placeOf } from "../wire/multicast.js";
import { type Link, MulticastNetwork, type Network, type Sender } from "./network.js";
import { Responses } from "./responses.js";

/** RFC 6762, section 8.1: three probes, 250 ms apart, after a random wait of up to as long. */
const PROBES = { count: 3, apart: millis(250) } as const;
/** RFC 6762, section 8.2: who gives way tries again after this time. */
const AFTER_GIVING_WAY = seconds(1);
/** RFC 6762, section 8.3: at least two, with doubling pauses. Three is a choice, because Wi-Fi loses some. */
const ANNOUNCEMENTS = { count: 3, apart: seconds(1) } as const;
/** RFC 6762, section 8.1: after fifteen conflicts in a short time, five seconds before each further try. */
const RIVALS = { most: 15, pause: seconds(5) } as const;
/** Messages read, each second and at once. A choice: far above a busy network, far below what would slow the loop. */
const HEARD = { perSecond: 100, atOnce: 200 } as const;

interface AnnouncerParts {
  readonly network: Network;
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly hostName: string;
  readonly announced: Announced;
  readonly log: Log;
}

/** Announces one runtime by multicast DNS (RFC 6762) and DNS-SD (RFC 6763), under a name that no other has. */
export class Announcer {
  private state: "probing" | "announced" | "stopped" = "probing";
  /** The number in the name: "Tendril on raspberrypi (2)". */
  private number = 1;
  private told = "";
  private cancel: Cancel = () => undefined;
  private readonly conflicts: TokenBucket;
  private readonly hearing: TokenBucket;
  private readonly responses: Responses;

  constructor(private readonly parts: AnnouncerParts) {
    const { clock, random, network } = parts;
    this.conflicts = new TokenBucket(clock, RIVALS.most, seconds(1) / RIVALS.pause);
    this.hearing = new TokenBucket(clock, HEARD.atOnce, HEARD.perSecond);
    this.responses = new Responses({ clock, random, port: network.port, records: (link) => this.on(link) });
  }

  begin(): void {
    const heard = (bytes: Buffer, link: Link, from: Sender) => this.hear(bytes, link, from);
    this.parts.network.open({ heard, changed: () => this.startOver() });
    this.startOver();
  }

  /** Says goodbye and sends nothing more. */
  async stop(): Promise<void> {
    const was = this.state;
    this.state = "stopped";
    this.cancel();
    this.responses.stop();
    const goodbye = (link: Link) => writeResponse({ answers: goodbyeTo(this.on(link)) });
    if (was === "announced") for (const link of this.links) link.multicast(goodbye(link));
    await this.parts.network.close();
  }

  private get instance(): string {
    return instanceName(this.parts.hostName, this.number);
  }

  private get links(): readonly Link[] {
    return this.parts.network.links();
  }

  private on(link: Link): ResourceRecord[] {
    return recordsOf(this.instance, this.parts.announced, link.addresses);
  }

  private get unique(): ResourceRecord[] {
    return uniqueRecords(this.instance, this.parts.announced);
  }

  /** Asks again whether the name is free, because the network has changed. */
  private startOver(): void {
    if (this.state === "stopped") return;
    this.state = "probing";
    this.responses.stop();
    this.after(millis(PROBES.apart * this.parts.random()), () => this.probe(PROBES.count));
  }

  private probe(left: number): void {
    // the network reports when there is one
    if (this.links.length === 0) this.tell("not announced: there is no network yet");
    else if (left === 0) this.announce(ANNOUNCEMENTS.count, ANNOUNCEMENTS.apart);
    else this.askWhoHasIt(left);
  }

  private askWhoHasIt(left: number): void {
    const questions = [{ name: fullName(this.instance), type: "ANY" }] as const;
    const message = writeQuery({ questions, authorities: this.unique });
    for (const link of this.links) link.multicast(message);
    this.after(PROBES.apart, () => this.probe(left - 1));
  }

  private announce(left: number, pause: Millis): void {
    this.state = "announced";
    this.tell(`announced on the network as "${this.instance}"`);
    for (const link of this.links) this.responses.send(link, this.on(link));
    if (left > 1) this.after(pause, () => this.announce(left - 1, millis(pause * 2)));
  }

  private hear(bytes: Buffer, link: Link, from: Sender): void {
    if (this.state === "stopped" || !this.hearing.take()) return;
    const message = readMessage(bytes);
    if (message?.isResponse) this.hearResponse(message, from);
    else if (message) this.hearQuery(message, link, from);
  }

  /** A response from another port does not come from multicast DNS (RFC 6762, section 6), and is ignored. */
  private hearResponse({ answers, additionals }: Message, { port }: Sender): void {
    if (port === this.parts.network.port && isClaimed(this.unique, [...answers, ...additionals]))
      this.giveWay();
  }

  private hearQuery(query: Message, link: Link, from: Sender): void {
    if (this.state === "announced") this.responses.answer(query, link, from);
    else if (givesWay(this.unique, query.authorities)) this.probeIn(AFTER_GIVING_WAY);
  }

  /**
   * While probing, the name belongs to the other. Later both ask again, and the first to answer keeps it (RFC 6762,
   * section 9).
   */
  private giveWay(): void {
    if (this.state === "probing") this.number += 1;
    this.state = "probing";
    this.responses.stop();
    this.probeIn(this.conflicts.take() ? millis(PROBES.apart * this.parts.random()) : RIVALS.pause);
  }

  private probeIn(wait: Millis): void {
    this.after(wait, () => this.probe(PROBES.count));
  }

  private after(wait: Millis, next: () => void): void {
    this.cancel();
    this.cancel = this.parts.clock.after(wait, next);
  }

  private tell(what: string): void {
    if (what !== this.told) this.parts.log("info", what);
    this.told = what;
  }
}

const isOf = (name: string) => (heard: HeardRecord) => heard.type !== "other" && sameName(heard.name, name);

/** Whether somebody else claims the name (RFC 6762, section 9). Records that are exactly ours are our own. */
function isClaimed(ours: readonly ResourceRecord[], heard: readonly HeardRecord[]): boolean {
  return ours.some((own) => {
    const theirs = heard.filter(({ type, ttl }) => type === own.type && ttl > 0).filter(isOf(own.name));
    return theirs.length > 0 && !theirs.some(({ rdata }) => rdata.equals(rdataOf(own)));
  });
}

/** If two probe for a name at once, the one whose records come first in order gives way (RFC 6762, section 8.2). */
function givesWay(ours: readonly ResourceRecord[], probing: readonly HeardRecord[]): boolean {
  const [own] = ours;
  if (own === undefined) return false;
  const theirs = probing.filter(isOf(own.name)).map(({ type, rdata }) => sortable(type, rdata));
  if (theirs.length === 0) return false;
  return isBefore(ours.map((each) => sortable(each.type, rdataOf(each))).sort(byBytes), theirs.sort(byBytes));
}

/** Records are ordered by the number of their type (RFC 1035, section 3.2.2), then by their data. */
const NUMBER = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, other: 0 } as const;

const sortable = (type: HeardRecord["type"], rdata: Buffer): Buffer =>
  Buffer.concat([Buffer.of(NUMBER[type]), rdata]);

const byBytes = (one: Buffer, other: Buffer): number => Buffer.compare(one, other);

function isBefore(ours: readonly Buffer[], theirs: readonly Buffer[]): boolean {
  const at = ours.findIndex((own, index) => !theirs[index]?.equals(own));
  if (at < 0) return ours.length < theirs.length;
  const [own, other] = [ours[at], theirs[at]];
  return own !== undefined && other !== undefined && byBytes(own, other) < 0;
}

/** Announces a runtime that listens on `address`; returns how to stop. Throws a ConfigError for a bad TENDRIL_MDNS. */
export function announceOn(address: string, announced: Announced, log: Log): () => Promise<void> {
  const clock = new SystemClock();
  const network = new MulticastNetwork({
    place: configuredPlace(),
    isServed: (own) => serves(address, own),
    clock,
    log,
  });
  const parts = { network, clock, random: Math.random, hostName: hostname(), announced, log };
  const announcer = new Announcer(parts);
  announcer.begin();
  return () => announcer.stop();
}

function configuredPlace(): Place {
  try {
    return placeOf(process.env);
  } catch (error) {
    throw new ConfigError([messageOf(error)]);
  }
}

/** A socket on :: takes IPv4 too, unless the system is set otherwise (ipv6(7), bindv6only). */
const serves = (bound: string, address: string): boolean =>
  bound === address || bound === "::" || (bound === "0.0.0.0" && isIPv4(address));
