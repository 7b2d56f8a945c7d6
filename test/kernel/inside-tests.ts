import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a test finds itself in. */
export interface World {
  /** Script of test/kernel that is the kernel's first process. */
  readonly init: string;
  /** Megabytes. Only what is touched costs memory. */
  readonly memory: number;
}

/**
 * By the folder of a test: a shell that runs it, or systemd with the test as a unit. A Node needs some 100 MB, and beside
 * systemd there are four of them.
 */
const WORLDS = {
  inside: { init: "init.sh", memory: 512 },
  systemd: { init: "init-systemd.sh", memory: 768 },
} as const satisfies Record<string, World>;
/** Debian: systemd and udev. */
const SYSTEMD = ["/lib/systemd/systemd", "/usr/bin/systemd-sysusers", "/usr/bin/udevadm"];
type Folder = keyof typeof WORLDS;
const SUFFIX = ".test.js";

const pathOf = (folder: Folder): string => fileURLToPath(new URL(`${folder}/`, import.meta.url));

/** For a test from elsewhere the plain one. */
export const worldOf = (test: string): World =>
  WORLDS[test.startsWith(pathOf("systemd")) ? "systemd" : "inside"];

/** What a test under systemd needs of this machine, as whose system it boots, and is not there. */
export const lackingFor = (test: string): readonly string[] =>
  worldOf(test) === WORLDS.systemd ? SYSTEMD.filter((program) => !existsSync(program)) : [];

/** The compiled test files that run inside the kernel, by name: all, or those that are asked for. Throws if one is not there. */
export function insideTests(names: readonly string[]): ReadonlyMap<string, string> {
  const all = new Map((Object.keys(WORLDS) as Folder[]).flatMap(testsIn));
  const unknown = names.find((name) => !all.has(name));
  if (unknown)
    throw new Error(`no test "${unknown}" inside the kernel; there are ${[...all.keys()].join(", ")}`);
  return names.length === 0 ? all : new Map([...all].filter(([name]) => names.includes(name)));
}

const testsIn = (folder: Folder): [string, string][] =>
  readdirSync(pathOf(folder))
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => [file.slice(0, -SUFFIX.length), pathOf(folder) + file]);
