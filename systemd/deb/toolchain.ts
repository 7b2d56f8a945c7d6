import { spawnSync } from "node:child_process";

/** Debian's names. */
export type Architecture = "amd64" | "arm64" | "armhf";

/** GNU's names, which Debian's cross compilers begin with. */
export const TRIPLE: Record<Architecture, string> = {
  amd64: "x86_64-linux-gnu",
  arm64: "aarch64-linux-gnu",
  armhf: "arm-linux-gnueabihf",
};

const NODE_NAMES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: "amd64",
  arm64: "arm64",
  arm: "armhf",
};

/** Of this computer; undefined where there is no package for it. */
export const HOST: Architecture | undefined = NODE_NAMES[process.arch];

/** Runs a program to its end and returns what it says. Throws with what it complained of where it fails. */
export function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 27,
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}`);
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stderr.slice(-4000)}`);
  return stdout;
}
