import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Of others: their code is in the bundles, or their compiled form or their sources beside them. */
export interface Foreign {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** Debian has this text on every computer. */
const APACHE =
  "On Debian systems the full text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.";

/** The packages that the files of a bundle come from, by name. */
export function foreignOf(from: string, files: readonly string[]): readonly Foreign[] {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined));
  return [...folders]
    .map((folder) => describe(join(from, folder)))
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** As in node_modules/@scope/name, the innermost one; undefined for a file of our own. */
function packageFolder(file: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
}

function describe(folder: string): Foreign {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${folder}/package.json names no licence`);
  return { name, version, license, text: license === "Apache-2.0" ? APACHE : textOf(folder, name) };
}

function textOf(folder: string, name: string): string {
  const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (file) return readFileSync(join(folder, file), "utf8").trim();
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
