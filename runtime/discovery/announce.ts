import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Log } from "../log.js";
import { Announcer } from "./announcer.js";
import { placeOf } from "./interfaces.js";
import { MulticastNetwork } from "./multicast-network.js";
import type { Announced } from "./records.js";

/** Announces a runtime that is bound to `address`, and returns how to say goodbye. Throws a ConfigError for TENDRIL_MDNS alone. */
export function announceOn(address: string, announced: Announced, log: Log): () => Promise<void> {
  const clock = new SystemClock();
  const place = placeOf(process.env);
  const network = new MulticastNetwork({ place, isServed: (own) => serves(address, own), clock, log });
  const parts = { network, clock, random: Math.random, hostName: hostname(), announced, log };
  const announcer = new Announcer(parts);
  announcer.begin();
  return () => announcer.stop();
}

/** A socket bound to :: takes IPv4 too, unless the system says otherwise (ipv6(7), bindv6only). */
const serves = (bound: string, address: string): boolean =>
  bound === address || bound === "::" || (bound === "0.0.0.0" && isIPv4(address));
