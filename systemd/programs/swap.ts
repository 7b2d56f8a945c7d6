import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Where `npm run build` (package.json) puts everything until all of it is there. */
export const NEW = "dist.new";
/** Folders whose files are built. */
export const SOURCES = ["drivers", "runtime", "agent-client", "systemd", "test"] as const;
/** What decides besides them how it is built: versions of esbuild and of all that is bundled. */
const ALSO = ["package.json", "package-lock.json"];
/** In what was built: which sources it was made of. */
const STAMP = ".sources";

interface Sources {
  /** Of all but the tests. */
  readonly programs: string;
  readonly test: string;
}

/** One text for the files that are built, another one as soon as a file comes, goes or is written. */
export function sourcesOf(project: string): Sources {
  const others = SOURCES.filter((folder) => folder !== "test");
  return {
    programs: hashOf(project, [...ALSO, ...others.flatMap((folder) => filesIn(project, folder))]),
    test: hashOf(
      project,
      filesIn(project, "test").filter((file) => file.endsWith(".ts")),
    ),
  };
}

function hashOf(project: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(project, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

const filesIn = (project: string, folder: string): readonly string[] =>
  readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(project, "/").length))
    .sort();

/** Whether what was built last, or a part of it, is made of these sources. */
export function isBuilt(project: string, sources: string, part = ""): boolean {
  const file = join(project, "dist", part, STAMP);
  return existsSync(file) && readFileSync(file, "utf8") === sources;
}

/** Says of the new build, or a part of it, what it was made of. */
export function stamp(project: string, sources: string, part = ""): void {
  writeFileSync(join(project, NEW, part, STAMP), sources);
}

/**
 * Puts the new build of `project`, or a part of it, into the place of the old one, which commands could be run from until now. A
 * program that runs reads parts of the same names from it, unless the sources have changed.
 */
export function swapBuilds(project: string, part = ""): void {
  const [built, old] = [join(project, "dist", part), join(project, "dist.old")];
  rmSync(old, { recursive: true, force: true }); // of a build that was killed here
  if (existsSync(built)) renameSync(built, old);
  mkdirSync(dirname(built), { recursive: true });
  renameSync(join(project, NEW, part), built);
  rmSync(old, { recursive: true, force: true });
}
