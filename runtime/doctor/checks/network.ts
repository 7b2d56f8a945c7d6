import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { Config } from "../../config/schema.js";
import { isOwnMachine } from "../../config/server.js";
import { type Check, type Finding, failure, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const networkChecks = (patient: Patient): Check[] => [
  { name: "port", run: () => port(patient) },
  { name: "reached as", run: () => publicUrl(patient) },
];

const EVERYWHERE = ["0.0.0.0", "::"];

/** Of the address that the configuration has; what a firewall or a router does beyond it is not seen from here. */
async function port({ config, isHere, runtime }: Patient): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { host, port } = runtime.is === "running" ? addressIn(runtime.url) : config.server;
  if (port === 0) return ok("any free one is taken at the start");
  const answers = await isAnswered(EVERYWHERE.includes(host) ? "127.0.0.1" : host, port);
  if (runtime.is === "running")
    return answers
      ? ok(`${host}:${port} takes connections${reach(host)}`)
      : failure(`${host}:${port} takes no connection`, "sudo systemctl restart tendril");
  if (answers)
    return failure(`another program has ${host}:${port}`, "stop it, or choose another server.port");
  return ok(`${host}:${port} is free${reach(host)}`);
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
  const { allowed_hosts } = config.server;
  if (isOwnOnly(config)) return ok("this computer alone");
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
