import { isIPv4 } from "node:net";
import { dataOf, type HeardRecord, readMessage } from "../../runtime/wire/dns-message.js";
import { type Found, type Heard, runtimesIn } from "../../runtime/wire/mdns-record.js";

/** A choice: a flood of answers must not fill the memory, and nobody reads a longer list. */
const MOST_RUNTIMES = 64;

/** The runtimes that answers told of, each once. */
export class Findings {
  private readonly known = new Map<string, Found>();

  /** Takes a message of anybody's; whether it told of anything new. Never throws. */
  add(bytes: Buffer, isNear: (address: string) => boolean): boolean {
    const before = this.known.size;
    for (const found of runtimesIn(recordsIn(bytes), isNear)) {
      const key = JSON.stringify(found);
      if (this.known.size < MOST_RUNTIMES && !this.known.has(key)) this.known.set(key, found);
    }
    return this.known.size > before;
  }

  list(): readonly Found[] {
    return [...this.known.values()];
  }
}

function recordsIn(bytes: Buffer): Heard[] {
  const message = readMessage(bytes);
  if (!message?.isResponse) return [];
  return [...message.answers, ...message.authorities, ...message.additionals].flatMap(heard);
}

function heard(record: HeardRecord): Heard[] {
  const data = dataOf(record);
  return data ? [{ name: record.name, ttl: record.ttl, ...data }] : [];
}

/** Whether a person can mean it by this name: its own, the computer's in that, its host or an address; by none, any. */
export function isCalled({ name, host, addresses }: Found, wanted: string | undefined): boolean {
  const names = [name, name.replace(/^Tendril on /, ""), host, ...addresses];
  return wanted === undefined || names.some((each) => each.toLowerCase() === wanted.toLowerCase());
}

/** "Tendril on balcony" at 192.168.1.20, … */
export const listOf = (all: readonly Found[]): string =>
  all.map(({ name, addresses: [first] }) => `"${name}" at ${first}`).join(", ");

/** The addresses to call it by, likely ones first. */
export const urlsOf = ({ addresses, port, path, tls }: Found): string[] =>
  addresses.map(
    (address) => `${tls ? "wss" : "ws"}://${isIPv4(address) ? address : `[${address}]`}:${port}${path}`,
  );
