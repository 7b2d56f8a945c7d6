import { isIPv4 } from "node:net";
import type { RecordData, ResourceRecord } from "./dns-message.js";

/** The name that clients ask for (RFC 6763, section 4.1). */
export const SERVICE = "_tendril._tcp.local";
/** The name that asks for every kind of service (RFC 6763, section 9). */
export const ALL_SERVICES = "_services._dns-sd._udp.local";
/** The layout of the TXT record (RFC 6763, section 6.7). */
const TXT_VERSION = "1";

/** Bytes of a label (RFC 1035, section 2.3.4). */
const LONGEST_LABEL = 63;

/**
 * The name that people read: "Tendril on raspberrypi"; if it is taken, "Tendril on raspberrypi (2)" (RFC 6762, appendix
 * D). `host` is a computer's name, with or without its domain. At most 63 bytes.
 */
export function instanceName(host: string, number: number): string {
  const tail = number === 1 ? "" : ` (${number})`;
  return `Tendril on ${labelOf(host)}`.slice(0, LONGEST_LABEL - tail.length) + tail;
}

/** `raspberrypi` from `raspberrypi.fritz.box`. Host names have letters, digits and hyphens (RFC 1123, section 2.1). */
export const labelOf = (host: string): string =>
  (host.split(".")[0] ?? "").replace(/[^A-Za-z0-9-]/g, "").slice(0, LONGEST_LABEL) || "this computer";

/** DNS names ignore the case of ASCII letters (RFC 6762, section 16). */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** What is announced of a runtime: nothing about its plants, its person, or its version. */
export interface Announced {
  readonly port: number;
  /** As in the URL: /mcp. */
  readonly path: string;
  readonly tls: boolean;
  /** This runtime's own name on the network: it ends in .local and is unique. */
  readonly target: string;
}

/** Seconds (RFC 6762, section 10), for records with a host's name or address, and for all others. */
const TTL = { host: 120, other: 4500 } as const;

export const fullName = (instance: string): string => `${instance}.${SERVICE}`;

/** The records that only one computer may announce for a name. Two computers with different data are in conflict. */
export function uniqueRecords(instance: string, { port, target, path, tls }: Announced): ResourceRecord[] {
  const name = fullName(instance);
  const txt = [`txtvers=${TXT_VERSION}`, `path=${path}`, `tls=${tls ? 1 : 0}`];
  return [
    { name, type: "SRV", ttl: TTL.host, flush: true, data: { port, target } },
    { name, type: "TXT", ttl: TTL.other, flush: true, data: txt },
  ];
}

/** All records for a link on which this computer has `addresses` (RFC 6763, section 4). */
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

/** The records with a ttl of 0: they end (RFC 6762, 10.1). ALL_SERVICES is left out, since others may offer it too. */
export const goodbyeTo = (records: readonly ResourceRecord[]): ResourceRecord[] =>
  records.filter(({ name }) => name !== ALL_SERVICES).map((record) => ({ ...record, ttl: 0 }));

/** A runtime found on the network. None of it is proved. */
export interface Found {
  /** "Tendril on raspberrypi", without characters that control a terminal. */
  readonly name: string;
  /** `tendril-3f9a1c07.local` */
  readonly host: string;
  /** On the network that the records came from. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly path: string;
  readonly tls: boolean;
}

/** A received record. A `ttl` of 0 ends it. */
export type Heard = RecordData & { readonly name: string; readonly ttl: number };

/** For each runtime. A choice: nobody reads a longer list. */
const MAX_ADDRESSES = 4;
/** A lower port needs rights that Tendril never has, so it belongs to another service. */
const LEAST_PORT = 1024;
/** Every runtime announces /mcp. */
const PATH = /^\/[\w./~-]{0,63}$/;
/** Every control character, and characters that reorder or hide text (Unicode, Cf). */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A runtime announces all of itself in one message (RFC 6763, section 12.1), and no other message changes it. So an
 * impostor only adds one more runtime to the list, and hides none. A ttl of 0 says goodbye.
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

/** IPv4 first: a runtime on 0.0.0.0 has no other. */
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

/** RFC 6763, section 6: `key=value`; the first of a key counts. Undefined for a layout other than ours. */
function readText(data: readonly string[]): Spoken | undefined {
  const pairs = data.map((each) => /^([^=]+)=(.*)$/s.exec(each) ?? []);
  const value = (wanted: string) => pairs.find(([, key]) => key?.toLowerCase() === wanted)?.[2];
  const path = value("path") ?? "";
  if (value("txtvers") !== TXT_VERSION || !PATH.test(path)) return undefined;
  return { path, tls: value("tls") === "1" };
}
