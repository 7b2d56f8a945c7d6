import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { TendrilError } from "../../errors.js";
import { expiryTrouble, type Material, ownFiles, readMaterial } from "../../server/tls/material.js";
import { type Check, type Finding, failure, failureOf, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export const tlsChecks = (patient: Patient): Check[] => [{ name: "tls", run: () => tls(patient) }];

/** The key and the certificate that the runtime serves, by the very rules of its start. */
async function tls(patient: Patient): Promise<Finding> {
  const { config, machine, state, runtime } = patient;
  if (!config?.server.tls) return skipped("off: server: { tls: {} } turns it on");
  const { cert, key } = config.server.tls;
  if (cert && key) return servable(patient, machine.path(cert), machine.path(key));
  const own = ownFiles(state);
  if (existsSync(own.key)) return (await openToGroup(own.key)) ?? servable(patient, own.cert, own.key);
  if (runtime.is !== "running") return skipped("the first start makes its key");
  return warning("the running runtime has no key yet", "sudo systemctl restart tendril");
}

async function openToGroup(key: string): Promise<Finding | undefined> {
  const { mode } = await stat(key);
  return mode & 0o077 ? failure(`${key} is open to other users`, `sudo chmod 600 ${key}`) : undefined;
}

async function servable({ clock }: Patient, cert: string, key: string): Promise<Finding> {
  const material = await readMaterial(cert, key).catch((error: unknown) => refused(error, cert, key));
  if ("verdict" in material) return material;
  const { leaf, pin } = material;
  const trouble = expiryTrouble(leaf, clock);
  if (trouble === undefined) return ok(`${cert}, valid until ${leaf.validTo}; its key is ${pin}`);
  const hasEnded = clock.now() >= Date.parse(leaf.validTo);
  return (hasEnded ? failure : warning)(`${cert}: ${trouble}`, RENEW);
}

const RENEW = "sudo certbot renew, or whatever made it; the runtime reads the files again every minute";

/** Of files that are there and closed to this user the remedy is known. */
function refused(error: unknown, cert: string, key: string): Finding | Material {
  const { code } = (error instanceof TendrilError ? (error.cause ?? {}) : {}) as NodeJS.ErrnoException;
  if (code !== "EACCES") return failureOf(error);
  const give = `sudo chgrp tendril ${cert} ${key} && sudo chmod 640 ${cert} ${key}`;
  return failure(`${failureOf(error).found}`, `${give}; their folder has to be open to that group too`);
}
