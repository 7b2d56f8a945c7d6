import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inMemory } from "./memory-disk.js";
import { FAST, fastParts, ON_DISK, parts, RUN_SUITE } from "./parts.js";
import { COSTS_FILE, type Cost } from "./processor-time.js";

/**
 * `npm run test:costs -- [--fast] [PART…]`: what `npm test` or `npm run test:fast` costs, by part and by test file, one part at a time. Linux only: the
 * kernel says what the processes took that the tests started.
 */

/** Seconds of a processor below which a file has no line of its own. A choice. */
const WORTH_A_LINE = 0.5;

const given = process.argv.slice(2);
const isFast = given[0] === FAST;
const chosen = given.slice(isFast ? 1 : 0);
const all = isFast ? fastParts() : parts();
const folder = mkdtempSync(join(tmpdir(), "tendril-costs-"));
const memory = inMemory((remove) => process.once("exit", remove));
try {
  for (const part of chosen.length > 0 ? chosen : all.keys()) print(costsOf(part));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function costsOf(part: string): readonly Cost[] {
  const file = join(folder, part.replaceAll("/", "-"));
  const env = {
    ...process.env,
    [COSTS_FILE]: file,
    TAP_TIMEOUT: "600",
    ...(ON_DISK.test(part) ? {} : memory),
  };
  const { status } = spawnSync(process.execPath, [...RUN_SUITE, ...(isFast ? [FAST] : []), part], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) process.stdout.write(`${part} failed\n`);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

function print(costs: readonly Cost[]): void {
  const sum = (of: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0);
  const part = costs[0]?.part ?? "";
  const rows = [...costs]
    .filter(({ processor }) => processor >= WORTH_A_LINE)
    .sort((one, other) => other.processor - one.processor);
  const lines = rows.map(({ file, processor, wall }) => row(`  ${file}`, processor, wall));
  const total = row(
    part,
    sum(({ processor }) => processor),
    sum(({ wall }) => wall),
  );
  process.stdout.write(`${[total, ...lines].join("\n")}\n`);
}

/** Seconds of a processor, seconds on the wall. */
function row(name: string, processor: number, wall: number): string {
  return `${processor.toFixed(1).padStart(7)} ${wall.toFixed(1).padStart(7)}  ${name}`;
}
