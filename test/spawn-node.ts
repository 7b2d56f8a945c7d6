import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** Where an agent under test has its own: not with that of the person who runs the tests, and two have two. */
export const ownState = (): string => join(tmpdir(), `tendril-test-agent-${randomUUID()}`);

/**
 * Before a program and its arguments: Node as people run it. tap would load its hooks into every child through
 * NODE_OPTIONS; they cost a third of a second each, and on Node 20 a child hangs in them now and then.
 */
export const PLAIN_NODE: readonly [string, ...string[]] = [
  "/usr/bin/env",
  "-u",
  "NODE_OPTIONS",
  process.execPath,
];

const SETPRIV = "/usr/bin/setpriv";
/**
 * What is started ends with the process that started it, in good order, however that ends [prctl(2), PR_SET_PDEATHSIG]. A test that is
 * over time is killed, and can end nothing any more. Only on Linux.
 */
const ENDS_WITH_US: readonly string[] = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "TERM"] : [];

/**
 * Starts a program; `env` becomes Node itself, so that signals and the process's number are Node's. `within` is what
 * starts it in turn, such as a shell with limits of its own.
 */
export function spawnNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  within: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const [command = "", ...before] = [...ENDS_WITH_US, ...within, ...PLAIN_NODE];
  const state = ownState();
  const child = spawn(command, [...before, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: state, ...env },
  });
  child.once("close", () => rmSync(state, { recursive: true, force: true }));
  return child;
}
