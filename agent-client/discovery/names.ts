/** RFC 6763, section 4.1: what is asked for. runtime/discovery/names.ts says the same; a test compares them. */
export const SERVICE = "_tendril._tcp.local";
/** RFC 6762, section 3. */
export const MDNS = { port: 5353, group4: "224.0.0.251", group6: "ff02::fb" } as const;
/** Of the TXT record's layout that is understood here. */
export const TXT_VERSION = "1";
