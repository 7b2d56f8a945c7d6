import dnsPacket from "dns-packet";

/** A record that may tell of a runtime. `ttl` 0: it is no longer so. */
export type Heard = { readonly name: string; readonly ttl: number } & (
  | { readonly type: "A" | "AAAA"; readonly data: string }
  | { readonly type: "SRV"; readonly data: { readonly port: number; readonly target: string } }
  | { readonly type: "TXT"; readonly data: readonly Buffer[] }
);

/** RFC 6762, section 17. */
const LONGEST = 9000;
/** Questions and records in one message. A choice: what tells of a runtime has some ten. */
const MOST_ENTRIES = 256;
/** RFC 1035, section 4.1.1: a response, with opcode and response code 0 (RFC 6762, sections 18.2, 18.3 and 18.11). */
const KIND = { mask: 0xf80f, response: 0x8000 } as const;
const HEADER_BYTES = 12;
/** Of a question: type and class. Of a record: those, its time to live, and the length of what follows (RFC 1035, section 4.1.3). */
const FIXED = { question: 4, record: 10 } as const;
/** RFC 1035, section 3.2.2; RFC 3596, section 2.1; RFC 2782. */
const TYPES: Readonly<Record<number, Heard["type"]>> = { 1: "A", 16: "TXT", 28: "AAAA", 33: "SRV" };

/** What a response says; nothing for what is none, is longer than one should be, or is malformed. Never throws. */
export function readResponse(bytes: Buffer): readonly Heard[] {
  if (bytes.length < HEADER_BYTES || bytes.length > LONGEST) return [];
  if ((bytes.readUInt16BE(2) & KIND.mask) !== KIND.response) return [];
  const [questions = 0, ...records] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  const count = records.reduce((sum, each) => sum + each, 0);
  if (questions + count > MOST_ENTRIES) return [];
  try {
    return recordsIn(bytes, questions, count);
  } catch {
    return []; // anybody on the network may send that
  }
}

function recordsIn(bytes: Buffer, questions: number, count: number): Heard[] {
  let at = HEADER_BYTES;
  const name = (): string => {
    const read = dnsPacket.name.decode(bytes, at);
    at += dnsPacket.name.decode.bytes;
    return read;
  };
  for (let left = questions; left > 0; left -= 1) {
    name();
    at += FIXED.question;
  }
  const found: Heard[] = [];
  for (let left = count; left > 0; left -= 1) {
    const owner = name();
    const record = recordAt(bytes, at, owner);
    at += FIXED.record + bytes.readUInt16BE(at + FIXED.record - 2);
    if (record) found.push(record);
  }
  return found;
}

/** Behind its name. Throws where the message ends within it. */
function recordAt(bytes: Buffer, at: number, name: string): Heard | undefined {
  const type = TYPES[bytes.readUInt16BE(at)];
  const ttl = bytes.readUInt32BE(at + 4);
  const data = at + FIXED.record - 2;
  if (data + 2 + bytes.readUInt16BE(data) > bytes.length) throw new RangeError("a record goes beyond");
  if (type === "A" || type === "AAAA")
    return { name, ttl, type, data: dnsPacket[type === "A" ? "a" : "aaaa"].decode(bytes, data) };
  if (type === "SRV") return { name, ttl, type, data: dnsPacket.srv.decode(bytes, data) };
  return type && { name, ttl, type, data: dnsPacket.txt.decode(bytes, data) };
}

/** Asks who offers `service`. */
export const questionFor = (service: string): Buffer =>
  dnsPacket.encode({ type: "query", questions: [{ name: service, type: "PTR" }] });
