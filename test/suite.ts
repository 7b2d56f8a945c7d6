import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import t from "tap";
import { SlowTests } from "./slow-tests.js";
import { PLAIN_NODE } from "./spawn-node.js";

/**
 * `npm test`: every test file, several to a process. To start one costs half a second of a processor, more than most files
 * need themselves. `node suite.js PART` is one of these processes. `npm run test:fast`, which is `node suite.js --fast`, takes
 * the fast ones alone.
 */

const SELF = fileURLToPath(import.meta.url);
/** What runs inside a kernel has a command of its own. */
const ELSEWHERE = ["kernel"];
/** Files in one process. A choice: more save little, and one processor is idle at the end. */
const AT_MOST = 8;
/** The same of the fast ones: eight processes or so, a choice. */
const FAST_AT_MOST = 32;
/** Processes at a time: one more than there are processors, since some tests wait for real time or for a disk. */
const JOBS = availableParallelism() + 1;
/** Milliseconds for one process, a choice: ten times what the longest takes on a quiet machine. All together have no limit. */
const LIMIT = 300_000;

const FAST = "--fast";
const isFast = process.argv[2] === FAST;
const slow = new SlowTests(join(SELF, "..", ".."));

const part = process.argv[isFast ? 3 : 2];
if (part === undefined) shareOut();
else runTogether(part);

function shareOut(): void {
  t.jobs = JOBS;
  const [program, ...before] = PLAIN_NODE;
  const node = [...before, "--enable-source-maps", SELF, ...(isFast ? [FAST] : [])];
  const env = { ...process.env, TAP_TIMEOUT: String(LIMIT / 1000) };
  for (const name of parts().keys())
    t.spawn(program, [...node, name], { buffered: true, timeout: LIMIT, env }, name);
}

/** The files' tests wait behind one that is over when all are loaded. */
function runTogether(part: string): void {
  const files = parts().get(part);
  if (!files) throw new Error(`no part "${part}"; there are ${[...parts().keys()].join(", ")}`);
  const loaded = loadEach(files);
  t.test(`${files.join(", ")} load`, () => loaded);
}

/** Not in the test itself: what it imports would count as its own, and a stray error would be nobody's. */
async function loadEach(files: readonly string[]): Promise<void> {
  for (const file of files) await import(urlOf(file).href);
}

/**
 * Every test file is in exactly one part: those of a folder, since neighbours are alike in length. The fast ones are dealt out
 * whatever their folder: most of what they cost is to load the runtime.
 */
function parts(): ReadonlyMap<string, readonly string[]> {
  const folders = foldersBelow(".");
  if (isFast) return new Map(dealt("fast", folders.flatMap(testsIn), FAST_AT_MOST));
  return new Map(folders.flatMap((folder) => dealt(folder, testsIn(folder), AT_MOST)));
}

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
  const below = readdirSync(urlOf(folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ELSEWHERE.includes(entry.name))
    .map(({ name }) => join(folder, name));
  return [folder, ...below.flatMap(foldersBelow)];
}

function testsIn(folder: string): readonly string[] {
  const files = readdirSync(urlOf(folder)).map((name) => join(folder, name));
  return files.filter(isMeant);
}

/** A test file that this run takes; `path` is from here. */
function isMeant(path: string): boolean {
  return path.endsWith(".test.js") && !(isFast && slow.has(join("test", path)));
}

function urlOf(path: string): URL {
  return pathToFileURL(join(SELF, "..", path));
}
