import { isIPv4 } from "node:net";
import type { RecordData, ResourceRecord } from "./dns-message.js";

/** RFC 6763, section 4.1: what a client asks for. */
export const SERVICE = "_tendril._tcp.local";
/** RFC 6763, section 9: what a client asks for that wants to see every kind of service. */
export const ALL_SERVICES = "_services._dns-sd._udp.local";
/** The layout of the TXT record (RFC 6763, section 6.7). */
export const TXT_VERSION = "1";

/** RFC 1035, section 2.3.4: bytes of a label. */
const LONGEST_LABEL = 63;

/**
 * What people read: "Tendril on raspberrypi", and where that is taken "Tendril on raspberrypi (2)" (RFC 6762, appendix D).
 * `host` is a computer's name, with or without its domain. At most 63 bytes.
 */
export function instanceName(host: string, number: number): string {
  const tail = number === 1 ? "" : ` (${number})`;
  return `Tendril on ${labelOf(host)}`.slice(0, LONGEST_LABEL - tail.length) + tail;
}

/** `raspberrypi` of `raspberrypi.fritz.box`. Host names are letters, digits and hyphens (RFC 1123, section 2.1). */
export const labelOf = (host: string): string =>
  (host.split(".")[0] ?? "").replace(/[^A-Za-z0-9-]/g, "").slice(0, LONGEST_LABEL) || "this computer";

/** DNS names are the same in upper and lower case of ASCII (RFC 6762, section 16). */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** What is told of a runtime. Nothing of its plants, its person, or its version. */
export interface Announced {
  readonly port: number;
  /** As in the URL: /mcp. */
  readonly path: string;
  readonly tls: boolean;
  /** This runtime's own name on the network: ends in .local, is like no other's. */
  readonly target: string;
}

/** Seconds, RFC 6762, section 10: records that hold a host's name or address, and all others. */
const TTL = { host: 120, other: 4500 } as const;

export const fullName = (instance: string): string => `${instance}.${SERVICE}`;

/** What only one computer may say of a name; two that say different things are rivals. */
export function uniqueRecords(instance: string, { port, target, path, tls }: Announced): ResourceRecord[] {
  const name = fullName(instance);
  const txt = [`txtvers=${TXT_VERSION}`, `path=${path}`, `tls=${tls ? 1 : 0}`];
  return [
    { name, type: "SRV", ttl: TTL.host, flush: true, data: { port, target } },
    { name, type: "TXT", ttl: TTL.other, flush: true, data: txt },
  ];
}

/** All that is announced on a link, where this computer has `addresses` (RFC 6763, section 4). */
export function recordsOf(
  instance: string,
  announced: Announced,
  addresses: readonly string[],
): ResourceRecord[] {
  return [
    { name: SERVICE, type: "PTR", ttl: TTL.other, data: fullName(instance) },
    ...uniqueRecords(instance, announced),
    ...addresses.map((data) => addressRecord(announced.target, data)),
    { name: ALL_SERVICES, type: "PTR", ttl: TTL.other, data: SERVICE },
  ];
}

const addressRecord = (name: string, data: string): ResourceRecord => ({
  name,
  type: isIPv4(data) ? "A" : "AAAA",
  ttl: TTL.host,
  flush: true,
  data,
});

/** The same, no longer so (RFC 6762, section 10.1). That there are such services others may say too. */
export const goodbyeTo = (records: readonly ResourceRecord[]): ResourceRecord[] =>
  records.filter(({ name }) => name !== ALL_SERVICES).map((record) => ({ ...record, ttl: 0 }));

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

/** A record that was heard. `ttl` 0: it is no longer so. */
export type Heard = RecordData & { readonly name: string; readonly ttl: number };

/** Of one runtime. A choice: nobody reads a longer list. */
const MAX_ADDRESSES = 4;
/** Below, a program needs rights that Tendril never has: whoever names one means another service. */
const LEAST_PORT = 1024;
/** Written by any runtime as /mcp. */
const PATH = /^\/[\w./~-]{0,63}$/;
/** Every control character, and what reorders or hides text (Unicode, Cf). */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A runtime tells all of itself in one message (RFC 6763, section 12.1), and nothing that another message says changes it: so
 * whoever answers in another's name is one more runtime on the list, and hides none. A time to live of 0 says goodbye.
 */
export function runtimesIn(records: readonly Heard[], isNear: (address: string) => boolean): Found[] {
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
  return [...new Set(all)].sort(byFamily).slice(0, MAX_ADDRESSES);
}

/** IPv4 first: it is what a runtime on 0.0.0.0 has alone. */
const byFamily = (one: string, other: string): number => Number(isIPv4(other)) - Number(isIPv4(one));

type Spoken = Pick<Found, "path" | "tls">;

function spokenBy(name: string, records: readonly Heard[]): Spoken | undefined {
  for (const record of records)
    if (record.type === "TXT" && sameName(record.name, name)) return readText(record.data);
  return undefined;
}

const harmless = (text: string): string => text.replace(STEERING, "\u{fffd}").slice(0, 255);

function instanceIn(name: string): string | undefined {
  const rest = name.length - SERVICE.length - 1;
  if (rest < 1 || folded(name.slice(rest)) !== `.${SERVICE}`) return undefined;
  return harmless(name.slice(0, rest));
}

/** RFC 6763, section 6: `key=value` each, the first of a key counts. Undefined for another layout than ours. */
function readText(data: readonly string[]): Spoken | undefined {
  const pairs = data.map((each) => /^([^=]+)=(.*)$/s.exec(each) ?? []);
  const value = (wanted: string) => pairs.find(([, key]) => key?.toLowerCase() === wanted)?.[2];
  const path = value("path") ?? "";
  if (value("txtvers") !== TXT_VERSION || !PATH.test(path)) return undefined;
  return { path, tls: value("tls") === "1" };
}
