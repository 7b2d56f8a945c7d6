import { availableParallelism } from "node:os";
import t from "tap";
import { inMemory } from "./memory-disk.js";
import { FAST, fastParts, ON_DISK, parts, RUN_SUITE, urlOf } from "./parts.js";
import { COSTS_FILE, Costs } from "./processor-time.js";
import { PLAIN_NODE } from "./spawn-node.js";

/**
 * `npm test`: every test file, several to a process. To start one costs half a second of a processor, more than most files
 * need themselves. `node suite.js PART` is one of these processes. `npm run test:fast`, which is `node suite.js --fast`, takes
 * the fast ones alone.
 */

/** Processes at a time: three more than there are processors, since some tests wait for real time or for a disk. */
const JOBS = availableParallelism() + 3;
/** Milliseconds for one process, a choice: five times what the longest takes on a quiet machine. All together have no limit. */
const LIMIT = 420_000;
/** Seconds before that limit in which a part that hangs is killed. A choice. */
const TO_TELL = 20;

/** Kills a part with the processes that it started: one of these could hold the part's output open, and tap would wait for ever. */
const LIMITED =
  process.platform === "linux" ? ["timeout", "--signal=KILL", String(LIMIT / 1000 - TO_TELL)] : [];

const isFast = process.argv[2] === FAST;
const chosen = isFast ? fastParts() : parts();
const part = process.argv[isFast ? 3 : 2];
if (part === undefined) shareOut();
else runTogether(part);

function shareOut(): void {
  t.jobs = JOBS;
  const [program = "", ...node] = [...LIMITED, ...PLAIN_NODE, ...RUN_SUITE, ...(isFast ? [FAST] : [])];
  const onDisk = { ...process.env, TAP_TIMEOUT: String(LIMIT / 1000) };
  const env = { ...onDisk, ...inMemory((remove) => t.teardown(remove)) };
  for (const name of chosen.keys()) {
    const options = { buffered: true, timeout: LIMIT, env: ON_DISK.test(name) ? onDisk : env };
    t.spawn(program, [...node, name], options, name);
  }
}

/** The files' tests wait behind one that is over when all are loaded. */
function runTogether(part: string): void {
  const files = chosen.get(part);
  if (!files) throw new Error(`no part "${part}"; there are ${[...chosen.keys()].join(", ")}`);
  const into = process.env[COSTS_FILE];
  const costs = into === undefined ? undefined : new Costs(part, into);
  const loaded = loadEach(files, costs);
  t.test(`${files.join(", ")} load`, () => loaded.then(() => costs?.ended("load")));
}

/** Not in the test itself: what it imports would count as its own, and a stray error would be nobody's. */
async function loadEach(files: readonly string[], costs: Costs | undefined): Promise<void> {
  for (const file of files) {
    await import(urlOf(file).href);
    if (costs) t.test(`the costs of ${file}`, async () => costs.ended(file));
  }
}
