import { isIPv4 } from "node:net";
import type { ResourceRecord } from "./message.js";
import { ALL_SERVICES, SERVICE, TXT_VERSION } from "./names.js";

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
