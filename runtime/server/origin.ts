import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { TendrilError } from "../errors.js";
import { withoutMapping } from "../wire/proof.js";

/**
 * Throws ORIGIN_REFUSED for a request that a foreign web page may have caused: its Host (DNS rebinding) or its
 * Origin (cross-site) is none of ours. Ours are the loopback names, the address the request came in on, and
 * `allowed`. Programs that are no browsers send no Origin and pass that check.
 */
export function checkOrigin(request: IncomingMessage, allowed: readonly string[]): void {
  const names = [...localhostAllowedHostnames(), ...allowed, ...arrivedAt(request)].map(hostname);
  const { host, origin } = request.headers;
  if (!validateHostHeader(host, names).ok) throw refused("Host", host);
  if (!validateOriginHeader(origin, names).ok) throw refused("Origin", origin);
}

/** The name part of a URL with this host, the form in which the SDK compares. */
const hostname = (name: string): string => (isIPv6(name) ? `[${name}]` : name.toLowerCase());

const arrivedAt = ({ socket }: IncomingMessage): string[] =>
  socket.localAddress ? [withoutMapping(socket.localAddress)] : [];

const refused = (header: string, value: string | undefined): TendrilError =>
  new TendrilError(
    "ORIGIN_REFUSED",
    `${header} ${JSON.stringify(value ?? "")} is not one this runtime answers to`,
  );

/** Whether a peer's address is this machine's own: 127.0.0.0/8 or ::1 (RFC 6890). */
export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(withoutMapping(address)));
