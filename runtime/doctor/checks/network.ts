import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { isOpenToOthers } from "../../../drivers/durable-file.js";
import { isOwnMachine } from "../../config/schema.js";
import type { Config } from "../../configuration.js";
import { TendrilError } from "../../errors.js";
import { ownNames } from "../../network.js";
import { expiryTrouble, type Material, ownFiles, readMaterial } from "../../server/tls/material.js";
import { tlsProblemWords } from "../../wire/tls-trouble.js";
import { type Check, type Finding, failure, failureOf, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const networkChecks = (installation: Installation): Check[] => [
  { name: "port", run: () => port(installation) },
  { name: "tls port", run: () => tlsPort(installation) },
  { name: "announcement", run: () => announcement(installation) },
  { name: "reached as", run: () => publicUrl(installation) },
  { name: "tls", run: () => tls(installation) },
];

/** The configured address. A firewall or a router cannot be checked from here. */
async function port({ config, isHere, runtime }: Installation): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { host, port } = runtime.is === "running" ? addressIn(runtime.url) : config.server;
  if (port === 0) return ok("the runtime takes any free port");
  const restart = "sudo systemctl restart tendril";
  return listener(host, port, { runs: runtime.is === "running", restart, key: "server.port" });
}

/** The runtime works without its TLS port, so the doctor checks it. */
async function tlsPort({ config, isHere, runtime }: Installation): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { tls } = config.server;
  if (!tls) return skipped("TLS is off");
  if (tls.port === 0) return skipped("the runtime takes any free port: see the log");
  const restart =
    "tendril messages or journalctl -u tendril shows why; if TLS is new: sudo systemctl restart tendril";
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

/** By the rules of runtime/network.ts. Only another computer can tell whether it receives it. */
function announcement({ config, isHere, runtime }: Installation): Finding {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { announce, host, tls } = config.server;
  if (!announce) return skipped("off by server.announce: false");
  if (isOwnMachine(tls?.host ?? host))
    return skipped("only this computer has access; server: { tls: {} } opens it to the network");
  if ((tls ?? config.server).port === 0)
    return skipped("not possible with port 0: name a port in the configuration");
  if (runtime.is !== "running") return skipped("by mDNS, once a runtime runs");
  return ok('by mDNS; check with "tendril discover" on another computer');
}

const reach = (host: string) =>
  isOwnMachine(host) ? ", only for this computer" : "; a firewall is not checked";

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

async function publicUrl({ config, isHere }: Installation): Promise<Finding> {
  if (!config || !isHere) return skipped("not to be seen from here");
  const { public_url } = config.server;
  if (public_url === undefined) return withoutUrl(config);
  if (isOwnOnly(config))
    return warning(
      `${public_url}, but only this computer can connect`,
      "server.tls: {} for the house, or a proxy",
    );
  return namesUs(public_url);
}

/** Whether only this computer can connect, by the plain and the TLS port. */
const isOwnOnly = ({ server: { host, tls } }: Config): boolean =>
  isOwnMachine(host) && (tls === undefined || isOwnMachine(tls.host));

function withoutUrl(config: Config): Finding {
  const { allowed_hosts, tls } = config.server;
  if (isOwnOnly(config)) return ok("only this computer");
  const own = tls === undefined ? [] : ownNames();
  if (own.length > 0) return ok([...own, ...allowed_hosts].join(", "));
  if (allowed_hosts.length > 0) return ok(allowed_hosts.join(", "));
  const mend = "set server.public_url, as http://NAME.local:8731";
  return warning("only by its addresses: no name is allowed, and photo links have none", mend);
}

async function namesUs(url: string): Promise<Finding> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname, { all: true }).catch(() => undefined);
  if (!found)
    return warning(
      `this computer cannot look up the name ${hostname}`,
      "try it from a phone; avahi-daemon answers for NAME.local",
    );
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  if (found.some(({ address }) => own.includes(address))) return ok(`${url}, which is this computer`);
  return warning(
    `${hostname} is ${found.map(({ address }) => address).join(", ")}, which is not this computer`,
    "correct server.public_url, unless that is a proxy",
  );
}

/** The runtime's key and certificate, by the same rules as at its start. */
async function tls(installation: Installation): Promise<Finding> {
  const { config, machine, state, runtime } = installation;
  if (!config?.server.tls) return skipped("off: server: { tls: {} } turns it on");
  const { cert, key } = config.server.tls;
  if (cert && key) return servable(installation, machine.path(cert), machine.path(key));
  const own = ownFiles(state);
  if (existsSync(own.key)) return (await openToGroup(own.key)) ?? servable(installation, own.cert, own.key);
  if (runtime.is !== "running") return skipped("the first start makes its key");
  return warning("the running runtime has no key yet", "sudo systemctl restart tendril");
}

async function openToGroup(key: string): Promise<Finding | undefined> {
  const isOpen = isOpenToOthers(await stat(key));
  return isOpen ? failure(`${key} is open to other users`, `sudo chmod 600 ${key}`) : undefined;
}

async function servable({ clock }: Installation, cert: string, key: string): Promise<Finding> {
  const material = await readMaterial(cert, key).catch((error: unknown) => refused(error, cert, key));
  if ("verdict" in material) return material;
  const { leaf, pin } = material;
  const trouble = expiryTrouble(leaf, clock);
  if (!trouble) return ok(`${cert}, valid until ${leaf.validTo}; its key is ${pin}`);
  const hasEnded = clock.now() >= Date.parse(leaf.validTo);
  return (hasEnded ? failure : warning)(`${cert}: ${tlsProblemWords(trouble)}`, RENEW);
}

const RENEW = "sudo certbot renew, or as it was made; the runtime reads the files again every minute";

/** The remedy for files that this user may not read. */
function refused(error: unknown, cert: string, key: string): Finding | Material {
  const { code } = (error instanceof TendrilError ? (error.cause ?? {}) : {}) as NodeJS.ErrnoException;
  if (code !== "EACCES") return failureOf(error);
  const give = `sudo chgrp tendril ${cert} ${key} && sudo chmod 640 ${cert} ${key}`;
  return failure(failureOf(error).found, `${give}; their folder must be open to that group too`);
}
