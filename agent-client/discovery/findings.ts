import { isIPv4 } from "node:net";
import type { Heard } from "./message.js";
import { SERVICE, TXT_VERSION } from "./names.js";

/** A runtime as the network tells of it. Nobody vouches for any of it. */
export interface Found {
  /** "Tendril on raspberrypi"; without anything that would steer a terminal. */
  readonly name: string;
  /** `tendril-3f9a1c07.local` */
  readonly host: string;
  /** On the network that they were heard on. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly path: string;
  readonly tls: boolean;
}

/** A choice: a flood of answers must not fill the memory, and nobody reads a longer list. */
const MOST = { runtimes: 64, addresses: 4 } as const;
/** Below, a program needs rights that Tendril never has: whoever names one means another service. */
const LEAST_PORT = 1024;
/** Written by any runtime as /mcp. */
const PATH = /^\/[\w./~-]{0,63}$/;
/** Every control character, and what reorders or hides text (Unicode, Cf). */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

type Spoken = Pick<Found, "path" | "tls">;

/** The runtimes that answers told of, each once. */
export class Findings {
  private readonly known = new Map<string, Found>();

  /** Takes the records of one message; whether they told of anything new. */
  add(records: readonly Heard[], isNear: (address: string) => boolean): boolean {
    const before = this.known.size;
    for (const found of foundIn(records, isNear)) {
      const key = JSON.stringify(found);
      if (this.known.size < MOST.runtimes && !this.known.has(key)) this.known.set(key, found);
    }
    return this.known.size > before;
  }

  list(): readonly Found[] {
    return [...this.known.values()];
  }
}

/**
 * A runtime tells all of itself in one message (RFC 6763, section 12.1), and nothing that another message says changes it: so
 * whoever answers in another's name is one more runtime on the list, and hides none. A time to live of 0 says goodbye.
 */
function foundIn(records: readonly Heard[], isNear: (address: string) => boolean): Found[] {
  const valid = records.filter(({ ttl }) => ttl > 0);
  return valid.flatMap((record) => {
    const name = record.type === "SRV" ? instanceIn(record.name) : undefined;
    const spoken = spokenBy(record.name, valid);
    if (record.type !== "SRV" || name === undefined || spoken === undefined) return [];
    const { port, target } = record.data;
    const addresses = addressesOf(target, valid).filter(isNear);
    if (port < LEAST_PORT || addresses.length === 0) return [];
    return [{ name, host: harmless(target), addresses, port, ...spoken }];
  });
}

function addressesOf(host: string, records: readonly Heard[]): string[] {
  const all = records.flatMap((record) =>
    (record.type === "A" || record.type === "AAAA") && sameName(record.name, host) ? [record.data] : [],
  );
  return [...new Set(all)].sort(byFamily).slice(0, MOST.addresses);
}

function spokenBy(name: string, records: readonly Heard[]): Spoken | undefined {
  for (const record of records)
    if (record.type === "TXT" && sameName(record.name, name)) return readText(record.data);
  return undefined;
}

/** RFC 6762, section 16. */
const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const harmless = (text: string): string => text.replace(STEERING, "\u{fffd}").slice(0, 255);

function instanceIn(name: string): string | undefined {
  const rest = name.length - SERVICE.length - 1;
  if (rest < 1 || folded(name.slice(rest)) !== `.${SERVICE}`) return undefined;
  return harmless(name.slice(0, rest));
}

/** RFC 6763, section 6: `key=value` each, the first of a key counts. Undefined for another layout than ours. */
function readText(data: readonly Buffer[]): Spoken | undefined {
  const pairs = data.map((each) => /^([^=]+)=(.*)$/s.exec(each.toString("latin1")) ?? []);
  const value = (wanted: string) => pairs.find(([, key]) => key?.toLowerCase() === wanted)?.[2];
  const path = value("path") ?? "";
  if (value("txtvers") !== TXT_VERSION || !PATH.test(path)) return undefined;
  return { path, tls: value("tls") === "1" };
}

/** IPv4 first: it is what a runtime on 0.0.0.0 has alone. */
const byFamily = (one: string, other: string): number => Number(isIPv4(other)) - Number(isIPv4(one));

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
