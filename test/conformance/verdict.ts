import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

/**
 * Holds the suite's results against expected-failures.yml, check by check: the suite's own --expected-failures
 * excuses a whole scenario, and with it what breaks in there later. Usage: verdict.js REVISION RESULTS REQUIREMENTS
 */
const [revision = "", results = "", requirements = ""] = process.argv.slice(2);
const EXPECTED = "test/conformance/expected-failures.yml";
const expected = Object.keys((await yaml<Record<string, Record<string, string>>>(EXPECTED))[revision] ?? {});
const { server: scored } = await yaml<{ server: string[] }>(requirements);

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
}

async function yaml<T>(file: string): Promise<T> {
  return parse(await readFile(file, "utf8")) as T;
}

/** The suite writes a folder for each scenario: server-NAME-TIME/checks.json */
async function checksOf(scenario: string, folders: readonly string[]): Promise<Check[]> {
  const written = new RegExp(`^server-${scenario}-\\d{4}-\\d\\d-\\d\\dT`);
  const folder = folders.find((name) => written.test(name));
  if (!folder) throw new Error(`${scenario} left no result: did the suite run to its end?`);
  return JSON.parse(await readFile(join(results, folder, "checks.json"), "utf8")) as Check[];
}

const folders = await readdir(results);
const counts = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 };
const failed = new Set<string>();
for (const scenario of scored) {
  for (const { id, status } of await checksOf(scenario, folders)) {
    counts[status] += 1;
    if (status === "FAILURE") failed.add(`${scenario}/${id}`);
  }
}

const broken = [...failed].filter((check) => !expected.includes(check));
const mended = expected.filter((check) => !failed.has(check));
const failing = new Set([...failed].map((check) => check.split("/")[0])).size;
process.stdout.write(
  `${revision}: of ${scored.length} scored scenarios ${scored.length - failing} pass, ${failing} fail; ` +
    `of their checks ${counts.SUCCESS} pass, ${counts.FAILURE} fail, ${counts.WARNING} warn\n`,
);
for (const check of broken) process.stdout.write(`  FAILS and should not: ${check}\n`);
for (const check of mended) process.stdout.write(`  passes now, take it out of ${EXPECTED}: ${check}\n`);
process.exitCode = broken.length + mended.length > 0 ? 1 : 0;
