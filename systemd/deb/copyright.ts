import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
