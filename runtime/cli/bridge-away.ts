import { statSync } from "node:fs";
import { join } from "node:path";
import { PACKAGED } from "../places.js";
import { bridgeFolder } from "./bridge-child.js";

/** Others who may read or write a file: the bridge refuses one like that, since secrets are in it. */
const OTHERS = 0o077;

const SERVICE =
  "journalctl -u tendril-bridge shows why; start it: sudo systemctl start tendril-bridge (if it was never set up: docs/bridge.md)";
const BY_HAND =
  "mostly bridge.yaml has a mistake or other users may read it; its last line in the terminal of the runtime says what. Correct it and start the runtime again; with --bench that starts the bridge too (docs/bridge.md)";

/** Why the bridge is away, as far as this machine shows it, and how to start it. */
export function whyBridgeIsAway(state: string): string {
  if (state === PACKAGED.state) return SERVICE;
  const file = join(bridgeFolder(state), "bridge.yaml");
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & OTHERS) === 0
    ? BY_HAND
    : `${file} is open to other users, so it does not start: chmod 600 ${file}, then start the runtime again`;
}
