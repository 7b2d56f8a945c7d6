import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { isOpenToOthers, makeFolder } from "../../drivers/durable-file.js";
import type { Cancel } from "../../drivers/ports.js";
import { seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { bridgeFolder, PACKAGED } from "../places.js";
import { FRUGAL } from "./programs.js";

const PROGRAM = fileURLToPath(new URL("../bridge/main.js", import.meta.url));
/** A choice: a bridge that ends at once is not started a hundred times a second. */
const AGAIN_AFTER = seconds(5);
/** Its exit codes for what only a person can mend: wrong use, a token that is refused. */
const FINAL: readonly (number | null)[] = [2, 4];

interface Where {
  readonly state: string;
  readonly url: string;
  /** The file of the token that only the bridge has. */
  readonly token: string;
  readonly log: Log;
}

/**
 * Starts the bridge as a child, on the bench only: on a Pi it has a user and a unit of its own. It is started again when
 * it ends. The returned function ends it.
 */
export async function startBridge({ state, url, token, log }: Where): Promise<Cancel> {
  const folder = bridgeFolder(state);
  await makeFolder(folder, 0o700);
  const args = ["--url", url, "--token-file", token, "--state", folder];
  const clock = new SystemClock();
  let child: ChildProcess | undefined;
  let disarm: Cancel = () => undefined;
  const start = () => {
    child = spawn(process.execPath, [...FRUGAL, PROGRAM, ...args], {
      // by the channel the child notices when this process is gone; in a group of its own Ctrl-C reaches only this one
      ...{ stdio: ["ignore", "pipe", "pipe", "ipc"], detached: true },
    });
    passOn(child, log);
    child.on("exit", (code) => {
      if (FINAL.includes(code)) log("error", "the bridge has ended and is not started again", { code });
      else disarm = clock.after(AGAIN_AFTER, start);
    });
  };
  start();
  return () => {
    disarm();
    child?.removeAllListeners("exit").kill("SIGTERM");
  };
}

function passOn({ stdout, stderr }: ChildProcess, log: Log): void {
  if (stdout) createInterface({ input: stdout }).on("line", (line) => log("info", line));
  if (stderr) createInterface({ input: stderr }).on("line", (line) => log("warn", line));
}

const SERVICE =
  "journalctl -u tendril-bridge shows why; start it: sudo systemctl start tendril-bridge (if it was never set up: docs/bridge.md)";
const BY_HAND =
  "mostly bridge.yaml has a mistake or other users may read it; its last line in the terminal of the runtime says what. Correct it and start the runtime again; with --bench that starts the bridge too (docs/bridge.md)";

/** Why the bridge is away, as far as this machine shows it, and how to start it. */
export function whyBridgeIsAway(state: string): string {
  if (state === PACKAGED.state) return SERVICE;
  const file = join(bridgeFolder(state), "bridge.yaml");
  const found = statSync(file, { throwIfNoEntry: false });
  return found && isOpenToOthers(found)
    ? `${file} is open to other users, so it does not start: chmod 600 ${file}, then start the runtime again`
    : BY_HAND;
}

/** Where the bridge's log is, if this machine has it as a service. A bench's bridge writes into the terminal of its runtime, or nowhere. */
export const moreOfBridge = (state: string): string =>
  state === PACKAGED.state ? "; journalctl -u tendril-bridge tells more" : "";
