import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { parts, SUITE } from "./parts.js";

/**
 * `npm run test:nodes`: the part of the suite that is about processes, sockets, files and natives, on the versions of Node
 * that the project supports beside the one it is developed with. npm has the programs.
 */

/** The newest of each line on 2026-11-23 in npm's packages `node-PLATFORM-ARCH`. 20 is what `npm test` runs on. */
const VERSIONS = ["22.23.3", "24.9.0", "26.10.0"];
/** A choice: what depends on Node most (SQLite, child processes, sockets, HTTP), and the whole contract. A minute or so. */
const FOLDERS = /^(?:contract|drivers(?:\/(?:guard|pins))?|runtime\/(?:server|store)|agent-client\/models) /;
/** Kept between runs. */
const FOLDER = join(tmpdir(), "tendril-nodes");
const JOBS = 2;
/** Milliseconds, a choice as that of the suite. */
const LIMIT = 300_000;
/** Milliseconds: 100 MB each from the registry. A choice. */
const FETCH_LIMIT = 300_000;

const run = promisify(execFile);
const programOf = (version: string) => join(FOLDER, "node_modules", `node-${version}`, "bin", "node");

/** Why npm could not bring them; undefined where they are there. */
async function fetchNodes(): Promise<string | undefined> {
  if (VERSIONS.every((version) => existsSync(programOf(version)))) return undefined;
  const packages = VERSIONS.map(
    (version) => `node-${version}@npm:node-${process.platform}-${process.arch}@${version}`,
  );
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--loglevel", "error"];
  const failed = await run("npm", ["install", "--prefix", FOLDER, ...quiet, ...packages], {
    timeout: FETCH_LIMIT,
  }).catch((error: Error) => error);
  return failed instanceof Error ? failed.message.trim().split("\n").at(-1) : undefined;
}

async function onNode(version: string): Promise<void> {
  const program = programOf(version);
  await t.test(`Node ${version}`, async (t) => {
    const { stdout } = await run(program, ["--version"]);
    t.equal(stdout.trim(), `v${version}`);
    t.jobs = JOBS;
    const env = { ...process.env, NODE_OPTIONS: "", TAP_TIMEOUT: String(LIMIT / 1000) };
    const chosen = [...parts().keys()].filter((part) => FOLDERS.test(part));
    const args = ["--enable-source-maps", SUITE];
    await Promise.all(
      chosen.map((part) =>
        t.spawn(program, [...args, part], { buffered: true, timeout: LIMIT, env }, `${part} on ${version}`),
      ),
    );
  });
}

const missing = await fetchNodes();
if (missing === undefined) for (const version of VERSIONS) await onNode(version);
else t.plan(0, `NOT TESTED on Node ${VERSIONS.join(", ")}: npm could not fetch them: ${missing}`);
