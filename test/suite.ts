import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import t from "tap";
import { PLAIN_NODE } from "./spawn-node.js";

/**
 * `npm test`: every test file, several to a process. To start one costs half a second of a processor, more than most files
 * need themselves. `node suite.js PART` is one of these processes.
 */

const SELF = fileURLToPath(import.meta.url);
/** What runs inside a kernel has a command of its own. */
const ELSEWHERE = ["kernel"];
/** Files in one process, neighbours in their folder. A choice: more save little, and one processor is idle at the end. */
const AT_MOST = 8;
/** Processes at a time, a choice for two cores: some tests wait for real time. */
const JOBS = 2;
/** Milliseconds for one process, a choice: ten times what the longest takes on a quiet machine. */
const LIMIT = 300_000;

const part = process.argv[2];
if (part === undefined) shareOut();
else runTogether(part);

function shareOut(): void {
  t.jobs = JOBS;
  const [program, ...before] = PLAIN_NODE;
  const node = [...before, "--enable-source-maps", SELF];
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

/** Every test file below this folder is in exactly one part. */
function parts(folder = "."): Map<string, string[]> {
  const entries = readdirSync(urlOf(folder), { withFileTypes: true });
  const files = entries.map(({ name }) => join(folder, name)).filter((path) => path.endsWith(".test.js"));
  const all = new Map<string, string[]>();
  for (let from = 0; from < files.length; from += AT_MOST)
    all.set(`${folder} ${1 + from / AT_MOST}`, files.slice(from, from + AT_MOST));
  const below = entries.filter((entry) => entry.isDirectory() && !ELSEWHERE.includes(entry.name));
  return new Map([...all, ...below.flatMap(({ name }) => [...parts(join(folder, name))])]);
}

function urlOf(path: string): URL {
  return pathToFileURL(join(SELF, "..", path));
}
