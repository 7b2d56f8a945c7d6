import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** What runs inside a kernel, and most of the tests in a browser, have commands of their own. */
const ELSEWHERE = ["kernel", "browser"];
/** Files in one process. A choice: more save little, and one processor is idle at the end. */
const AT_MOST = 8;
/** The same of the fast ones: eight processes or so, a choice. */
const FAST_AT_MOST = 32;

/** The program of which every process of the suite is one. */
export const SUITE = join(HERE, "suite.js");

type Parts = ReadonlyMap<string, readonly string[]>;

/** Every test file is in exactly one part: those of a folder, since neighbours are alike in length. */
export const parts = (): Parts =>
  new Map(foldersBelow(".").flatMap((folder) => dealt(folder, testsIn(folder), AT_MOST)));

/** The files that are fast, dealt out whatever their folder: most of what they cost is to load the runtime. */
export const fastParts = (isFast: (path: string) => boolean): Parts =>
  new Map(dealt("fast", foldersBelow(".").flatMap(testsIn).filter(isFast), FAST_AT_MOST));

export const urlOf = (path: string): URL => pathToFileURL(join(HERE, path));

type Part = readonly [name: string, files: readonly string[]];

/** In turn, so that parts are alike in length. */
function dealt(name: string, files: readonly string[], atMost: number): readonly Part[] {
  const count = Math.ceil(files.length / atMost);
  return Array.from({ length: count }, (_, part) => [
    `${name} ${part + 1}`,
    files.filter((_, at) => at % count === part),
  ]);
}

function foldersBelow(folder: string): readonly string[] {
  const below = readdirSync(join(HERE, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ELSEWHERE.includes(entry.name))
    .map(({ name }) => join(folder, name));
  return [folder, ...below.flatMap(foldersBelow)];
}

const testsIn = (folder: string): readonly string[] =>
  readdirSync(join(HERE, folder))
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(".test.js"));
