import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { isOwnMachine } from "../../config/server.js";
import type { Config } from "../../configuration.js";
import { ownNames } from "../../server/tls/material.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const networkChecks = (patient: Patient): Check[] => [
  { name: "port", run: () => port(patient) },
  { name: "tls port", run: () => tlsPort(patient) },
  { name: "announcement", run: () => announcement(patient) },
  { name: "reached as", run: () => publicUrl(patient) },
];

/** Of the address that the configuration has; what a firewall or a router does beyond it is not seen from here. */
async function port({ config, isHere, runtime }: Patient): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { host, port } = runtime.is === "running" ? addressIn(runtime.url) : config.server;
  if (port === 0) return ok("any free one is taken at the start");
  const restart = "sudo systemctl restart tendril";
  return listener(host, port, { runs: runtime.is === "running", restart, key: "server.port" });
}

/** What is wrong with it keeps no runtime from its work, so that it has to be looked for. */
async function tlsPort({ config, isHere, runtime }: Patient): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { tls } = config.server;
  if (!tls) return skipped("TLS is off");
  if (tls.port === 0) return skipped("any free one is taken: the log says which");
  const restart =
    "tendril messages says why, and so does journalctl -u tendril; turned on since the start: sudo systemctl restart tendril";
  return listener(tls.host, tls.port, { runs: runtime.is === "running", restart, key: "server.tls.port" });
}

async function listener(
  host: string,
  port: number,
  { runs, restart, key }: { runs: boolean; restart: string; key: string },
): Promise<Finding> {
  const answers = await isAnswered(reachable(host), port);
  if (runs)
    return answers
      ? ok(`${host}:${port} takes connections${reach(host)}`)
      : failure(`${host}:${port} takes no connection`, restart);
  if (answers) return failure(`another program has ${host}:${port}`, `stop it, or choose another ${key}`);
  return ok(`${host}:${port} is free${reach(host)}`);
}

const reachable = (host: string) => ({ "0.0.0.0": "127.0.0.1", "::": "::1" })[host] ?? host;

/** By the rules of runtime/network.ts; whether it is heard shows on another computer alone. */
function announcement({ config, isHere, runtime }: Patient): Finding {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { announce, host, tls } = config.server;
  if (!announce) return skipped("server.announce: false keeps it silent");
  if (isOwnMachine(tls?.host ?? host))
    return skipped("on loopback there is nobody to tell; server: { tls: {} } opens it to the network");
  if ((tls ?? config.server).port === 0)
    return skipped("not told while the port is 0: name one in the configuration");
  if (runtime.is !== "running") return skipped("by mDNS, as soon as a runtime runs");
  return ok('by mDNS; "tendril discover" on another computer shows whether it gets there');
}

const reach = (host: string) =>
  isOwnMachine(host) ? ", for this computer alone" : "; a firewall is not looked at";

function addressIn(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
}

const isAnswered = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });

async function publicUrl({ config, isHere }: Patient): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { public_url } = config.server;
  if (public_url === undefined) return withoutUrl(config);
  if (isOwnOnly(config))
    return warning(
      `${public_url}, but the runtime listens on this computer alone`,
      "server.tls: {} for the house, or a proxy in front",
    );
  return namesUs(public_url);
}

/** Whether nobody else reaches it, by the plain port or the one with TLS. */
const isOwnOnly = ({ server: { host, tls } }: Config): boolean =>
  isOwnMachine(host) && (tls === undefined || isOwnMachine(tls.host));

function withoutUrl(config: Config): Finding {
  const { allowed_hosts, tls } = config.server;
  if (isOwnOnly(config)) return ok("this computer alone");
  const own = tls === undefined ? [] : ownNames();
  if (own.length > 0) return ok([...own, ...allowed_hosts].join(", "));
  if (allowed_hosts.length > 0) return ok(allowed_hosts.join(", "));
  const mend = "set server.public_url, as http://NAME.local:8731";
  return warning("by its addresses alone: no name is let in, and photo links have none", mend);
}

async function namesUs(url: string): Promise<Finding> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname, { all: true }).catch(() => undefined);
  if (!found)
    return warning(
      `${hostname} is a name that this computer cannot look up`,
      "try it from a phone; avahi-daemon answers for NAME.local",
    );
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  if (found.some(({ address }) => own.includes(address))) return ok(`${url}, which is this computer`);
  return warning(
    `${hostname} is ${found.map(({ address }) => address).join(", ")}, which is not this computer`,
    "correct server.public_url, unless a proxy is there",
  );
}
