import type { Cancel, Clock } from "../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { TokenBucket } from "../token-bucket.js";
import { type Message, type ResourceRecord, readMessage, writeQuery, writeResponse } from "./message.js";
import { instanceName } from "./names.js";
import type { Link, Network, Sender } from "./network.js";
import { type Announced, fullName, goodbyeTo, recordsOf, uniqueRecords } from "./records.js";
import { Responses } from "./responses.js";
import { givesWay, isClaimed } from "./rivals.js";

/** RFC 6762, section 8.1: three probes, a quarter of a second apart, the first after as long at most. */
const PROBES = { count: 3, apart: millis(250) } as const;
/** RFC 6762, section 8.2: the one that gives way tries again then. */
const AFTER_GIVING_WAY = seconds(1);
/** RFC 6762, section 8.3: at least two, the pause between them doubles. Three is a choice: Wi-Fi loses some. */
const ANNOUNCEMENTS = { count: 3, apart: seconds(1) } as const;
/** RFC 6762, section 8.1: after fifteen conflicts in a short time, five seconds before each further try. */
const RIVALS = { most: 15, pause: seconds(5) } as const;
/** Messages a second that are read, and at once. A choice: far above a busy network, far below what would hold up the loop. */
const HEARD = { perSecond: 100, atOnce: 200 } as const;

export interface AnnouncerParts {
  readonly network: Network;
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  /** Of this computer. */
  readonly hostName: string;
  readonly announced: Announced;
  readonly log: Log;
}

/** Announces one runtime by multicast DNS (RFC 6762) and DNS-SD (RFC 6763), under a name that nobody else has. */
export class Announcer {
  private state: "probing" | "announced" | "stopped" = "probing";
  /** In the name: "Tendril on raspberrypi (2)". */
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

  /** Says goodbye, and is silent. */
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

  /** A new network is asked anew whether the name is free there. */
  private startOver(): void {
    if (this.state === "stopped") return;
    this.state = "probing";
    this.responses.stop();
    this.after(millis(PROBES.apart * this.parts.random()), () => this.probe(PROBES.count));
  }

  private probe(left: number): void {
    // the network tells when there is one
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

  /** From another port nobody answers who speaks multicast DNS (RFC 6762, section 6). */
  private hearResponse({ answers, additionals }: Message, { port }: Sender): void {
    if (port === this.parts.network.port && isClaimed(this.unique, [...answers, ...additionals]))
      this.giveWay();
  }

  private hearQuery(query: Message, link: Link, from: Sender): void {
    if (this.state === "announced") this.responses.answer(query, link, from);
    else if (givesWay(this.unique, query.authorities)) this.probeIn(AFTER_GIVING_WAY);
  }

  /** While probing the name is somebody else's. Later, both ask anew, and whoever answers first keeps it (RFC 6762, section 9). */
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
