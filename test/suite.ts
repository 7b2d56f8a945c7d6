import { availableParallelism } from "node:os";
import t from "tap";
import { parts, SUITE, urlOf } from "./parts.js";
import { PLAIN_NODE } from "./spawn-node.js";

/**
 * `npm test`: every test file, several to a process. To start one costs half a second of a processor, more than most files
 * need themselves. `node suite.js PART` is one of these processes.
 */

/** Processes at a time: one more than there are processors, since some tests wait for real time or for a disk. */
const JOBS = availableParallelism() + 1;
/** Milliseconds for one process, a choice: ten times what the longest takes on a quiet machine. All together have no limit. */
const LIMIT = 300_000;

const part = process.argv[2];
if (part === undefined) shareOut();
else runTogether(part);

function shareOut(): void {
  t.jobs = JOBS;
  const [program, ...before] = PLAIN_NODE;
  const node = [...before, "--enable-source-maps", SUITE];
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
