import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a package is called, and the instant that all its files bear. */
export interface Release {
  /** Debian's: 0.1.0 at the tag v0.1.0, before it 0.1.0~git20261121163400.95f5794, which counts as less. */
  readonly version: string;
  /** Seconds since 1970, as reproducible-builds.org has SOURCE_DATE_EPOCH. */
  readonly epoch: number;
}

/** Of the sources in `from`: by git, else by SOURCE_DATE_EPOCH and package.json. */
export function releaseOf(from: string, env: NodeJS.ProcessEnv, asked?: string): Release {
  const { version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { version: string };
  const git = (...args: string[]) => saidBy("git", ["-C", from, ...args]);
  const epoch = Number(env.SOURCE_DATE_EPOCH ?? git("log", "-1", "--format=%ct"));
  if (!Number.isInteger(epoch) || epoch <= 0)
    throw new Error("not a git clone: set SOURCE_DATE_EPOCH to the seconds since 1970 of these sources");
  return { version: asked ?? `${version}${suffix(git, version)}`, epoch };
}

/** Empty at the release itself, and outside git. */
function suffix(git: (...args: string[]) => string | undefined, version: string): string {
  const commit = git("log", "-1", "--format=%cd.%h", "--date=format-local:%Y%m%d%H%M%S", "--abbrev=7");
  if (commit === undefined || git("tag", "--points-at", "HEAD")?.split("\n").includes(`v${version}`))
    return "";
  return `~git${commit}${git("status", "--porcelain") ? "+changed" : ""}`;
}

function saidBy(program: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC" },
  });
  return status === 0 ? stdout.trim() : undefined;
}
