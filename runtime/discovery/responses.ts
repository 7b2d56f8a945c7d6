import type { Cancel, Clock } from "../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { TokenBucket } from "../tools/rate-limit.js";
import {
  type HeardRecord,
  keyOf,
  type Message,
  type Question,
  type ResourceRecord,
  rdataOf,
  writeResponse,
} from "../wire/dns-message.js";
import { sameName } from "../wire/mdns-record.js";
import type { Link, Sender } from "./network.js";

/** RFC 6762, section 6: the wait before an answer that others may have too, so that not all send at once. */
const DELAY = { least: millis(20), most: millis(120) } as const;
/** RFC 6762, section 6: the least time until a record is sent again on a link; the shorter for a probe for its name. */
const PAUSE = { usual: seconds(1), probe: millis(250) } as const;
/** RFC 6762, section 6.7: seconds that an answer to a program outside multicast DNS is valid. */
const LEGACY_TTL = 10;
/** Answers to such programs, each second and at once. A choice: a person who tries something needs no more. */
const LEGACY = { perSecond: 10, atOnce: 20 } as const;

interface ResponsesParts {
  readonly clock: Clock;
  /** [0, 1) */
  readonly random: () => number;
  readonly port: number;
  readonly records: (link: Link) => readonly ResourceRecord[];
}

interface OnLink {
  /** When each record was sent last, by type, name and data. */
  readonly sentAt: Map<string, Millis>;
  waiting: ReadonlyMap<string, ResourceRecord>;
  cancel: Cancel;
}

/** Collects the answers that are due, and limits how often they are sent. */
export class Responses {
  private readonly onLinks = new Map<Link, OnLink>();
  private readonly legacy: TokenBucket;

  constructor(private readonly parts: ResponsesParts) {
    this.legacy = new TokenBucket(parts.clock, LEGACY.atOnce, LEGACY.perSecond);
  }

  answer(query: Message, link: Link, from: Sender): void {
    const answers = answersTo(query, this.parts.records(link));
    if (answers.length === 0) return;
    if (from.port !== this.parts.port) this.answerAlone(query, answers, link, from);
    else this.answerAll(query, answers, link);
  }

  send(link: Link, answers: readonly ResourceRecord[]): void {
    const now = this.parts.clock.monotonic();
    const { sentAt } = this.of(link);
    for (const record of answers) sentAt.set(keyOf(record), now);
    const additionals = additionalsTo(answers, this.parts.records(link));
    link.multicast(writeResponse({ answers, additionals }));
  }

  stop(): void {
    for (const { cancel } of this.onLinks.values()) cancel();
    this.onLinks.clear();
  }

  private answerAlone(
    { id, questions }: Message,
    answers: readonly ResourceRecord[],
    link: Link,
    from: Sender,
  ): void {
    if (!this.legacy.take()) return;
    const plain = (record: ResourceRecord) => ({ ...record, ttl: LEGACY_TTL, flush: false });
    const additionals = additionalsTo(answers, this.parts.records(link)).map(plain);
    const asked = questions.filter(({ type }) => type !== "other");
    link.unicast(writeResponse({ id, questions: asked, answers: answers.map(plain), additionals }), from);
  }

  private answerAll({ authorities }: Message, answers: readonly ResourceRecord[], link: Link): void {
    const on = this.of(link);
    const due = answers.filter((record) =>
      this.mayBeSent(on, record, authorities.length > 0 ? PAUSE.probe : PAUSE.usual),
    );
    if (due.length === 0) return;
    const first = on.waiting.size === 0;
    on.waiting = new Map([...on.waiting, ...due.map((record) => [keyOf(record), record] as const)]);
    if (first) on.cancel = this.parts.clock.after(this.delayOf(due), () => this.sendWaiting(link));
  }

  private sendWaiting(link: Link): void {
    const on = this.of(link);
    const waiting = [...on.waiting.values()];
    on.waiting = new Map();
    this.send(link, waiting);
  }

  private mayBeSent({ sentAt, waiting }: OnLink, record: ResourceRecord, pause: Millis): boolean {
    const last = sentAt.get(keyOf(record)) ?? Number.NEGATIVE_INFINITY;
    return !waiting.has(keyOf(record)) && this.parts.clock.monotonic() - last >= pause;
  }

  /** Records that only this computer has need no wait. */
  private delayOf(records: readonly ResourceRecord[]): Millis {
    if (records.every(({ flush }) => flush)) return millis(0);
    return millis(DELAY.least + (DELAY.most - DELAY.least) * this.parts.random());
  }

  private of(link: Link): OnLink {
    const known = this.onLinks.get(link);
    if (known) return known;
    const fresh = { sentAt: new Map(), waiting: new Map(), cancel: () => undefined };
    this.onLinks.set(link, fresh);
    return fresh;
  }
}

/** The records that answer the query (RFC 6762, section 6), without those that the sender knows (section 7.1). */
const answersTo = (
  { questions, answers: known }: Message,
  records: readonly ResourceRecord[],
): readonly ResourceRecord[] =>
  records.filter(
    (record) =>
      questions.some((question) => asksFor(question, record)) && !known.some((one) => knows(one, record)),
  );

const asksFor = ({ name, type }: Question, record: ResourceRecord): boolean =>
  (type === record.type || type === "ANY") && sameName(name, record.name);

/** Known with at least half of its time left. */
const knows = (heard: HeardRecord, record: ResourceRecord): boolean =>
  heard.type === record.type &&
  heard.ttl * 2 >= record.ttl &&
  sameName(heard.name, record.name) &&
  heard.rdata.equals(rdataOf(record));

/** Records that save the sender the next questions (RFC 6763, section 12). */
function additionalsTo(
  answers: readonly ResourceRecord[],
  records: readonly ResourceRecord[],
): readonly ResourceRecord[] {
  const named = (name: string) => records.filter((record) => sameName(record.name, name));
  const next = (record: ResourceRecord): readonly ResourceRecord[] => {
    if (record.type === "SRV") return named(record.data.target);
    if (record.type !== "PTR") return [];
    return named(record.data).flatMap((found) => [found, ...next(found)]);
  };
  const found = new Map(answers.flatMap(next).map((record) => [keyOf(record), record] as const));
  for (const answer of answers) found.delete(keyOf(answer));
  return [...found.values()];
}
