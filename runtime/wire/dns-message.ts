import dnsPacket from "dns-packet";

export type RecordData =
  | { readonly type: "PTR" | "A" | "AAAA"; readonly data: string }
  | { readonly type: "SRV"; readonly data: { readonly port: number; readonly target: string } }
  /** A character for each byte (latin1). */
  | { readonly type: "TXT"; readonly data: readonly string[] };

/** A record that Tendril announces. The class is always IN; `ttl` is in seconds. */
export type ResourceRecord = {
  readonly name: string;
  readonly ttl: number;
  readonly flush?: boolean;
} & RecordData;

/** The same key for records with the same data. */
export const keyOf = ({ type, name, data }: ResourceRecord): string =>
  `${type} ${name} ${JSON.stringify(data)}`;

export interface Question {
  readonly name: string;
  readonly type: ResourceRecord["type"] | "ANY" | "other";
}

/** A received record. Kinds that Tendril does not use are only marked as there. */
export interface HeardRecord {
  readonly name: string;
  readonly type: ResourceRecord["type"] | "other";
  /** Seconds. */
  readonly ttl: number;
  /** In the form of RFC 1035, with full names; empty for other kinds. */
  readonly rdata: Buffer;
}

export interface Message {
  readonly id: number;
  readonly isResponse: boolean;
  readonly questions: readonly Question[];
  readonly answers: readonly HeardRecord[];
  readonly authorities: readonly HeardRecord[];
  readonly additionals: readonly HeardRecord[];
}

/** RFC 6762, section 17. */
const LONGEST = 9000;
/** Questions and records in one message. A choice: busy networks have about fifty, and more take long to read. */
const MAX_ENTRIES = 256;
/** RFC 1035, section 4.1.1: opcode and response code. Ignored unless both are zero (RFC 6762, 18.3 and 18.11). */
const OPCODE_AND_RCODE = 0x780f;
const RESPONSE = 0x8000;
const AUTHORITATIVE = 0x0400;
const HEADER_BYTES = 12;

/** RFC 1035, section 3.2.2; RFC 3596, section 2.1; RFC 2782. */
const KINDS = { 1: "A", 12: "PTR", 16: "TXT", 28: "AAAA", 33: "SRV", 255: "ANY" } as const;
const kindOf = (code: number): Question["type"] => KINDS[code as keyof typeof KINDS] ?? "other";
/** IN and ANY; the highest bit means something else in multicast DNS (RFC 6762, section 18.12). */
const CLASSES = [1, 255];
const classOf = (code: number): number => code & 0x7fff;

/** Undefined for anything that is no message of multicast DNS, or is too long. Never throws. */
export function readMessage(bytes: Buffer): Message | undefined {
  if (bytes.length < HEADER_BYTES || bytes.length > LONGEST) return undefined;
  if (bytes.readUInt16BE(2) & OPCODE_AND_RCODE) return undefined;
  const counts = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_ENTRIES) return undefined;
  try {
    return readEntries(bytes, counts);
  } catch {
    return undefined; // incomplete or malformed, which anybody on the network may send
  }
}

function readEntries(bytes: Buffer, [questions = 0, ...records]: readonly number[]): Message {
  const reader = new Reader(bytes);
  const asked = times(questions, () => reader.question());
  const [answers = [], authorities = [], additionals = []] = records.map((count) =>
    times(count, () => reader.record()),
  );
  return {
    id: bytes.readUInt16BE(0),
    isResponse: (bytes.readUInt16BE(2) & RESPONSE) !== 0,
    questions: asked,
    answers,
    authorities,
    additionals,
  };
}

const times = <T>(count: number, read: () => T): T[] => Array.from({ length: count }, read);

/** Reads a message, from after its header. Throws at its end. */
class Reader {
  private at = HEADER_BYTES;

  constructor(private readonly bytes: Buffer) {}

  question(): Question {
    const name = this.name();
    const type = kindOf(this.uint16());
    return CLASSES.includes(classOf(this.uint16())) ? { name, type } : { name, type: "other" };
  }

  record(): HeardRecord {
    const name = this.name();
    const type = kindOf(this.uint16());
    const ours = CLASSES.includes(classOf(this.uint16())) && type !== "ANY";
    const ttl = this.bytes.readUInt32BE(this.at);
    this.at += 4;
    const [start, length] = [this.at, this.uint16()];
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError("a record goes beyond the message");
    return ours
      ? { name, type, ttl, rdata: inFull(type, this.bytes, start) }
      : { name, type: "other", ttl, rdata: Buffer.alloc(0) };
  }

  private name(): string {
    const name = dnsPacket.name.decode(this.bytes, this.at);
    this.at += dnsPacket.name.decode.bytes;
    return name;
  }

  private uint16(): number {
    this.at += 2;
    return this.bytes.readUInt16BE(this.at - 2);
  }
}

/** Copies the record's data; names in it may point to other parts of the message. */
function inFull(type: HeardRecord["type"], bytes: Buffer, start: number): Buffer {
  if (type === "PTR") return withoutLength(dnsPacket.ptr.encode(dnsPacket.ptr.decode(bytes, start)));
  if (type === "SRV") return withoutLength(dnsPacket.srv.encode(dnsPacket.srv.decode(bytes, start)));
  return bytes.subarray(start + 2, start + 2 + bytes.readUInt16BE(start));
}

const withoutLength = (data: Buffer): Buffer => data.subarray(2);

/** The data as others receive it. */
export function rdataOf(record: ResourceRecord): Buffer {
  if (record.type === "PTR") return withoutLength(dnsPacket.ptr.encode(record.data));
  if (record.type === "SRV") return withoutLength(dnsPacket.srv.encode(record.data));
  if (record.type === "TXT")
    return withoutLength(dnsPacket.txt.encode(record.data.map((text) => Buffer.from(text, "latin1"))));
  return withoutLength(dnsPacket[record.type === "A" ? "a" : "aaaa"].encode(record.data));
}

/** The decoded data of a received record; undefined for other kinds and malformed data. Never throws. */
export function dataOf({ type, rdata }: HeardRecord): RecordData | undefined {
  try {
    return type === "other" ? undefined : decoded(type, withLength(rdata));
  } catch {
    return undefined;
  }
}

function decoded(type: RecordData["type"], data: Buffer): RecordData {
  switch (type) {
    case "PTR":
      return { type, data: dnsPacket.ptr.decode(data, 0) };
    case "SRV":
      return { type, data: dnsPacket.srv.decode(data, 0) };
    case "TXT":
      return { type, data: dnsPacket.txt.decode(data, 0).map((text) => text.toString("latin1")) };
    default:
      return { type, data: addressIn(type, data) };
  }
}

function addressIn(type: "A" | "AAAA", data: Buffer): string {
  if (data.length !== 2 + (type === "A" ? 4 : 16)) throw new RangeError("an address of the wrong length");
  return dnsPacket[type === "A" ? "a" : "aaaa"].decode(data, 0);
}

function withLength(rdata: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(rdata.length);
  return Buffer.concat([length, rdata]);
}

interface Outgoing {
  /** The id of a query from a program outside multicast DNS; otherwise 0 (RFC 6762, section 18.1). */
  readonly id?: number;
  readonly questions?: readonly Question[];
  readonly answers?: readonly ResourceRecord[];
  readonly authorities?: readonly ResourceRecord[];
  readonly additionals?: readonly ResourceRecord[];
}

export const writeQuery = (parts: Outgoing): Buffer => dnsPacket.encode({ type: "query", ...copied(parts) });

export const writeResponse = (parts: Outgoing): Buffer =>
  dnsPacket.encode({ type: "response", flags: AUTHORITATIVE, ...copied(parts) });

/** The package writes into its arguments. */
const copied = (parts: Outgoing) => structuredClone(parts);
