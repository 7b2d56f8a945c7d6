import { existsSync } from "node:fs";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Places } from "../places.js";
import { expiryTrouble, ownFiles, readMaterial } from "../server/tls/material.js";
import { configFor } from "./config-file.js";
import { print } from "./print.js";

/** What the configuration has the runtime serve by TLS; TLS_FAILED where that cannot be. */
export async function showTls(options: Places): Promise<void> {
  const { tls } = (await configFor(options)).server;
  if (!tls)
    return print("TLS is off: add `server: { tls: {} }` to the configuration, then restart the runtime");
  const own = ownFiles(options.state);
  const { cert = own.cert, key = own.key } = tls;
  if (tls.cert === undefined && !existsSync(own.key))
    return print(`TLS is on, on port ${tls.port}; the runtime makes its key at its next start`);
  const { pin, leaf } = await readMaterial(cert, key);
  print(`port         ${tls.port} on ${tls.host}\nkey          ${pin}\ncertificate  ${cert}`);
  print(`for          ${leaf.subjectAltName ?? leaf.subject}\nvalid until  ${leaf.validTo}`);
  const trouble = expiryTrouble(leaf, new SystemClock());
  if (trouble !== undefined) print(`! ${trouble}`);
}
