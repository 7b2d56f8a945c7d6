/** RFC 6763, section 4.1: what a client asks for. agent-client/discovery/names.ts says the same; a test compares them. */
export const SERVICE = "_tendril._tcp.local";
/** RFC 6763, section 9: what a client asks that wants to see every kind of service. */
export const ALL_SERVICES = "_services._dns-sd._udp.local";
/** RFC 6762, section 3. */
export const MDNS = { port: 5353, group4: "224.0.0.251", group6: "ff02::fb" } as const;
/** Of this layout of the TXT record (RFC 6763, section 6.7). */
export const TXT_VERSION = "1";

/** RFC 1035, section 2.3.4: bytes of a label. */
const LONGEST_LABEL = 63;

/**
 * What people read: "Tendril on raspberrypi", and where that is taken "Tendril on raspberrypi (2)" (RFC 6762, appendix D).
 * `host` is a computer's name, with or without its domain. At most 63 bytes; a dot would end the label.
 */
export function instanceName(host: string, number: number): string {
  const tail = number === 1 ? "" : ` (${number})`;
  const head = `Tendril on ${labelOf(host)}`;
  return `${cut(head, LONGEST_LABEL - tail.length)}${tail}`;
}

/** `raspberrypi` of `raspberrypi.fritz.box`. Host names are letters, digits and hyphens (RFC 1123, section 2.1). */
export const labelOf = (host: string): string =>
  (host.split(".")[0] ?? "").replace(/[^A-Za-z0-9-]/g, "").slice(0, LONGEST_LABEL) || "this computer";

const cut = (text: string, bytes: number): string => text.slice(0, bytes);

/** DNS names are the same in upper and lower case of ASCII (RFC 6762, section 16). */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
