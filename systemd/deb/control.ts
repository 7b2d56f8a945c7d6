import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./natives.js";

/**
 * Names of the C++ library's versions, and the gcc whose library has them first:
 * https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
 */
const GCC_OF: Record<string, string> = { "3.4.29": "11", "3.4.30": "12", "3.4.31": "13.1", "3.4.32": "13.2" };
/** No native of ours wants an older one: Raspberry Pi OS bookworm has 12. */
const LEAST_GCC = "11";

/** What the natives ask of the system's libraries, as a list of dependencies. */
export function librariesOf(natives: readonly string[]): string {
  const symbols = natives.map((file) => run("objdump", "-T", file)).join("\n");
  const libc = newest(symbols, /\bGLIBC_([0-9.]+)/g);
  const gcc = GCC_OF[newest(symbols, /\bGLIBCXX_([0-9.]+)/g)] ?? LEAST_GCC;
  return `libc6 (>= ${libc}), libgcc-s1, libstdc++6 (>= ${gcc})`;
}

function newest(text: string, pattern: RegExp): string {
  const found = [...new Set([...text.matchAll(pattern)].map(([, version = ""]) => version))];
  return found.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1) ?? "0";
}

interface ControlFields {
  readonly version: string;
  readonly architecture: string;
  /** Of what is installed, in KiB. */
  readonly size: number;
  readonly libraries: string;
}

export const controlFile = ({
  version,
  architecture,
  size,
  libraries,
}: ControlFields): string => `Package: tendril
Version: ${version}
Architecture: ${architecture}
Maintainer: The Tendril authors <maintainers@tendril.example>
Installed-Size: ${size}
Depends: ${libraries}, nodejs (>= 20.17), openssl, systemd (>= 252), udev
Suggests: rpicam-apps-core | fswebcam | ffmpeg, g++
Section: misc
Priority: optional
Description: waters plants under the direction of a language model, safely
 Tendril gives a language model hands to care for plants, and keeps those hands
 safe. It reads the soil, switches a pump and a grow light through a guard that
 ends every pulse by itself, and serves these as tools (MCP over WebSocket and
 HTTP) to an agent.
 .
 Meant for a Raspberry Pi of ARMv7 or later. On any other computer it runs with
 a simulated plant: tendril demo.
`;

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

/** Of others: their code is in the bundles, or their compiled form or their sources beside them. */
interface Foreign {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** Debian has the terms themselves on every computer; who holds the rights, and other terms beside them, stay. */
const APACHE_TERMS = /^ *Apache License\s+Version 2\.0[\s\S]*?END OF TERMS AND CONDITIONS$/m;
const APACHE = "Apache License, Version 2.0: on Debian systems in /usr/share/common-licenses/Apache-2.0.";

/** What packages have in them of others, and do not say in their own licence. */
const EMBEDDED: Readonly<Record<string, string>> = {
  unpdf: `It contains pdf.js, copyright Mozilla Foundation. ${APACHE}`,
};

/** The packages that the files of a bundle come from, by name. */
export function foreignOf(from: string, files: readonly string[]): readonly Foreign[] {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined));
  const all = [...folders].map((folder) => describe(join(from, folder)));
  // a package may be there twice, for two others
  const byName = new Map(all.map((each) => [`${each.name} ${each.version}`, each]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** As in node_modules/@scope/name, the innermost one; undefined for a file of our own. */
function packageFolder(file: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
}

function describe(folder: string): Foreign {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder}/package.json names no licence`);
  const text = textOf(folder, name).replace(APACHE_TERMS, APACHE);
  const embedded = EMBEDDED[name];
  return { name, version, license, text: embedded === undefined ? text : `${text}\n\n${embedded}` };
}

function textOf(folder: string, name: string): string {
  const files = readdirSync(folder).filter((each) => /^(licen[cs]e|notice)(\.|$)/i.test(each));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (texts.length > 0) return texts.join("\n\n");
  const readme = join(folder, "README.md");
  const section = existsSync(readme) && /^#+ Licen[cs]e\n([\s\S]*)/im.exec(readFileSync(readme, "utf8"))?.[1];
  if (section) return section.trim();
  throw new Error(`${name} has no licence in ${folder}: look it up before it is given to others`);
}

/** /usr/share/doc/tendril/copyright. */
export function copyrightPage(own: string, foreign: readonly Foreign[]): string {
  const chapters = foreign.map(
    ({ name, version, license, text }) => `${"=".repeat(72)}\n${name} ${version}: ${license}\n\n${text}\n`,
  );
  return `Tendril, an edge runtime that gives a language model hands to care for plants, and keeps those hands safe.

${own.trim()}

The programs in /usr/lib/tendril contain the packages below, each under its own licence. SQLite, within sqlite3, is in the
public domain.

${chapters.join("\n")}`;
}
