import { type HeardRecord, type ResourceRecord, rdataOf } from "./message.js";
import { sameName } from "./names.js";

const isOf = (name: string) => (heard: HeardRecord) => heard.type !== "other" && sameName(heard.name, name);

/** Whether somebody else claims the name of these records (RFC 6762, section 9). What is the same word for word is our own. */
export function isClaimed(ours: readonly ResourceRecord[], heard: readonly HeardRecord[]): boolean {
  return ours.some((own) => {
    const theirs = heard.filter(({ type, ttl }) => type === own.type && ttl > 0).filter(isOf(own.name));
    return theirs.length > 0 && !theirs.some(({ rdata }) => rdata.equals(rdataOf(own)));
  });
}

/** Of two that probe for a name at once, the one whose records come earlier gives way (RFC 6762, section 8.2). */
export function givesWay(ours: readonly ResourceRecord[], probing: readonly HeardRecord[]): boolean {
  const [own] = ours;
  if (own === undefined) return false;
  const theirs = probing.filter(isOf(own.name)).map(({ type, rdata }) => sortable(type, rdata));
  if (theirs.length === 0) return false;
  return isBefore(ours.map((each) => sortable(each.type, rdataOf(each))).sort(byBytes), theirs.sort(byBytes));
}

/** RFC 1035, section 3.2.2: records are ordered by the number of their kind, then by their data. */
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
