import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { run } from "./system.js";

const NAME = "balcony";
/** Of a house's network, RFC 1918; the service's IPAddressAllow= has it. */
const HERE = "192.168.77.1";
const THERE = "192.168.77.2";
const WHO = "nobody";

/** A network namespace of its own with one cable to us: nothing of ours on loopback can be reached from there. */
export class OtherComputer {
  constructor(t: Test) {
    run("ip", "netns", "add", NAME);
    run("ip", "link", "add", "cable", "type", "veth", "peer", "name", "eth0", "netns", NAME);
    run("ip", "address", "add", `${HERE}/24`, "dev", "cable");
    run("ip", "link", "set", "cable", "up");
    this.there("ip", "address", "add", `${THERE}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) this.there("ip", "link", "set", device, "up");
    t.teardown(() => run("ip", "netns", "delete", NAME));
  }

  /** One cycle of the caretaker, as somebody who has nothing but the token. Throws if it was not completed. */
  runAgent(token: string): { readonly said: string; readonly log: string } {
    const home = mkdtempSync("/tmp/balcony-");
    const tokenFile = join(home, "token");
    writeFileSync(tokenFile, `${token}\n`);
    chmodSync(tokenFile, 0o600);
    run("chown", "-R", WHO, home);
    const said = this.there(
      ...["setpriv", `--reuid=${WHO}`, "--regid=nogroup", "--clear-groups", "tendril-agent"],
      ...[
        "--url",
        `ws://${HERE}:8731/mcp`,
        "--token-file",
        tokenFile,
        "--agent-state",
        join(home, "agent"),
        "--once",
      ],
    );
    return { said, log: allOf(join(home, "agent")) };
  }

  /** Runs a program there, and gives what it said on both streams. */
  private there(...command: string[]): string {
    const { status, stdout, stderr } = spawnSync("ip", ["netns", "exec", NAME, ...command], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${command.join(" ")} ended with status ${status}: ${stderr}${stdout}`);
    return stdout + stderr;
  }
}

/** Every file below a folder, in one string. */
const allOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
