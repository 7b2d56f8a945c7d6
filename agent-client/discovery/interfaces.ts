import { BlockList, isIPv4 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import type { Environment } from "../models/address.js";
import { UsageError } from "../usage-error.js";
import { MDNS } from "./names.js";

/** An interface in one family of addresses, as its socket wants it. */
export interface Interface {
  readonly family: "udp4" | "udp6";
  /** An IPv4 address, or `::%eth0`. */
  readonly local: string;
  /** `224.0.0.251`, or `ff02::fb%eth0`. */
  readonly group: string;
  /** Whether this is the address of a neighbour on that interface, or this computer's own there. */
  isNear(address: string): boolean;
}

/** Where multicast DNS is spoken. */
export interface Place {
  readonly port: number;
  /** Empty where there is no network, or a sandbox forbids the question. */
  interfaces(): readonly Interface[];
}

/**
 * Everywhere but on loopback; with TENDRIL_MDNS=ADDRESS:PORT, for trials on one computer, only there. Throws a UsageError.
 */
export function placeOf({ TENDRIL_MDNS: given = "" }: Environment): Place {
  if (given === "") return { port: MDNS.port, interfaces: () => interfacesWith(({ internal }) => !internal) };
  const [, address = "", port = ""] = /^([\d.]+):(\d{4,5})$/.exec(given) ?? [];
  if (!isIPv4(address) || Number(port) > 65_535)
    throw new UsageError(`TENDRIL_MDNS=${given}: must be ADDRESS:PORT, such as 127.0.0.1:5399`);
  return { port: Number(port), interfaces: () => interfacesWith((own) => own.address === address) };
}

function interfacesWith(isWanted: (own: NetworkInterfaceInfo) => boolean): Interface[] {
  const named = Object.entries(interfacesNow());
  return named.flatMap(([name, all = []]) => inEachFamily(name, all.filter(isWanted)));
}

function interfacesNow(): NodeJS.Dict<NetworkInterfaceInfo[]> {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

function inEachFamily(name: string, all: readonly NetworkInterfaceInfo[]): Interface[] {
  const isNear = nearnessOf(name, all);
  const four = all.find(({ family }) => family === "IPv4");
  const six = all.some(({ family }) => family === "IPv6");
  return [
    ...(four ? [{ family: "udp4", local: four.address, group: MDNS.group4, isNear } as const] : []),
    ...(six
      ? [{ family: "udp6", local: `::%${name}`, group: `${MDNS.group6}%${name}`, isNear } as const]
      : []),
  ];
}

function nearnessOf(name: string, all: readonly NetworkInterfaceInfo[]): (address: string) => boolean {
  const near = new BlockList();
  for (const { cidr, family } of all) {
    const [address = "", bits = ""] = cidr?.split("/") ?? [];
    if (address) near.addSubnet(address, Number(bits), family === "IPv4" ? "ipv4" : "ipv6");
  }
  return (address) => {
    const [plain = "", scope] = address.split("%");
    if (scope !== undefined && scope !== name) return false;
    return near.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
  };
}
