import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import t from "tap";
import { buildPackage } from "../../../systemd/deb/build-package.js";
import { releaseOf } from "../../../systemd/deb/control.js";
import { HOST, run } from "../../../systemd/deb/natives.js";

/** The sources, which every test is started in. */
export const ROOT = resolve(".");

const NEEDED = ["dpkg-deb", "strip", "objdump"];
const missing = NEEDED.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
if (HOST === undefined) missing.push(`an architecture of Debian's, not ${process.arch}`);

/** Why no package can be built here, else false. */
export const skip = missing.length > 0 && `NOT TESTED, missing for a Debian package: ${missing.join(", ")}`;

/** Nobody fetches this package, and to compress it as one that is fetched takes ten seconds. */
const QUICKLY = 0;

export interface Built {
  readonly file: string;
  /** The files whose code or compiled form is in it. */
  readonly used: readonly string[];
  /** What it installs, below a folder of ours. */
  readonly root: string;
  /** Its control files. */
  readonly control: string;
  /** Builds it once more, elsewhere. */
  again(): Promise<string>;
}

/** The package of these sources for this computer, built and taken apart. Its folder goes when the file's tests are over. */
export async function built(): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), "tendril-built-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const release = { ...releaseOf(ROOT, { SOURCE_DATE_EPOCH: "1790000000" }), version: "0.1.0~test" };
  const build = (place: string) => buildPackage(ROOT, join(folder, place), HOST ?? "amd64", release, QUICKLY);
  const { file, used } = await build("first");
  const [root, control] = [join(folder, "root"), join(folder, "control")];
  mkdirSync(root);
  run("dpkg-deb", "--extract", file, root);
  run("dpkg-deb", "--control", file, control);
  return { file, used, root, control, again: async () => (await build("again")).file };
}
