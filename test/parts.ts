import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SlowTests } from "./slow-tests.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** What runs inside a kernel, and most of the tests in a browser, have commands of their own. */
const ELSEWHERE = ["kernel", "browser"];
/** Parts whose files are on a real disk: the store is what speaks to it. */
export const ON_DISK = /^runtime\/store /;
/**
 * Folders whose parts begin first: the longest, then those that wait for real time, and last those that only compute. So no processor
 * is idle at the end.
 */
const FIRST = [
  "agent-client/harness",
  "runtime/bridge",
  ".",
  "agent-client",
  "runtime",
  "services",
  "clients",
  "home",
  "runtime/store",
  "systemd",
  "runtime/cli",
  "drivers",
  "runtime/server",
  "faults",
  "firmware",
  "contract",
];
/** Files in one process. A choice: to load the runtime takes as long as three of them, and one processor must not be idle at the end. */
const AT_MOST = 28;
/** Of the top folder: its tests start programs, and wait for them. */
const TOP_AT_MOST = 6;
/** A folder of fewer files than this is taken with the one above it. A choice: half of a process is to load the runtime. */
const FEW = 12;
/** The same where that is the top folder, whose parts have few files themselves. A choice. */
const TOP_FEW = 4;
/** The same of the fast ones: four processes or so, a choice. Two for each of two processors, since some wait for real time. */
const FAST_AT_MOST = 100;

/** Before the name of a part of the fast ones. */
export const FAST = "--fast";

/** The program of which every process of the suite is one. */
export const SUITE = join(HERE, "suite.js");

/**
 * Arguments of Node for such a process, figures a choice. Room for what a test makes and forgets saves a twentieth of all, since the
 * garbage collector copies less of it, and a tenth as it does that alone: its threads look for work in vain. Most of the code runs for a
 * second or two, so a function is optimized only after ten times as much work as usual: another tenth.
 */
export const RUN_SUITE: readonly string[] = [
  ...["--max-semi-space-size=64", "--min-semi-space-size=32", "--single-threaded-gc"],
  ...["--no-flush-bytecode", "--interrupt-budget=660000"],
  ...["--enable-source-maps", "--import", new URL("stray-errors.js", import.meta.url).href, SUITE],
];

type Parts = ReadonlyMap<string, readonly string[]>;

/** Every test file is in exactly one part: those of a folder, since neighbours are alike in length. */
export function parts(): Parts {
  const groups = grouped(".");
  const names = new Set([...FIRST, ...groups.keys()]);
  return new Map(
    [...names].flatMap((name) => dealt(name, groups.get(name) ?? [], name === "." ? TOP_AT_MOST : AT_MOST)),
  );
}

/** The files in and below a folder, by the folder that they are taken with. */
function grouped(folder: string): Map<string, readonly string[]> {
  const below = new Map(foldersIn(folder).flatMap((each) => [...grouped(each)]));
  const least = folder === "." ? TOP_FEW : FEW;
  const few = [...below].filter(([, files]) => files.length < least);
  for (const [name] of few) below.delete(name);
  const own = [...testsIn(folder), ...few.flatMap(([, files]) => files)];
  return own.length === 0 ? below : new Map([[folder, own], ...below]);
}

/** The files that are fast, dealt out whatever their folder: most of what they cost is to load the runtime. */
export function fastParts(): Parts {
  const slow = new SlowTests(join(HERE, ".."));
  const files = [...grouped(".").values()].flat();
  const fast = files.filter((path) => !slow.has(join("test", path)));
  return new Map(dealt("fast", fast, FAST_AT_MOST));
}

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

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(join(HERE, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !ELSEWHERE.includes(entry.name))
    .map(({ name }) => join(folder, name));

const testsIn = (folder: string): readonly string[] =>
  readdirSync(join(HERE, folder))
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(".test.js"));
