import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { PLAIN_NODE, spawnNode } from "./spawn-node.js";

export const TENDRIL = fileURLToPath(new URL("../runtime/cli/tendril.js", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts `tendril ARGS` as a process. */
export function spawnTendril(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<Ran> } {
  const child = spawnNode([TENDRIL, ...args], env);
  return { child, ended: endOf(child) };
}

/** What a process says, and how it ends. */
export async function endOf(child: ChildProcess): Promise<Ran> {
  const [out, err] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ""));
  const [code] = await once(child, "close");
  return { code, out: (await out) ?? "", err: (await err) ?? "" };
}

/** Runs `tendril ARGS` to its end. */
export const tendril = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  spawnTendril(args, env).ended;

/** Runs `tendril ARGS` to its end, without a terminal: a line of input an answer. */
export function tendrilTold(args: readonly string[], lines: readonly string[]): Promise<Ran> {
  const [command, ...before] = PLAIN_NODE;
  const child = spawn(command, [...before, TENDRIL, ...args], { stdio: "pipe" });
  child.stdin.on("error", () => undefined).end(lines.map((line) => `${line}\n`).join(""));
  return endOf(child);
}

/** A failure is one line for a person, or one a mistake: no stack, and an exit code. */
export function failsClearly(t: Test, { code, out, err }: Ran, message: RegExp): void {
  t.match(err, message);
  t.notMatch(err, /^\s+at /m, "no stack");
  t.not(code, 0);
  t.equal(out, "");
}
