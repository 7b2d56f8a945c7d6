import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";
import { inMemory } from "../memory-disk.js";
import { MUTANT, MUTATED } from "./load-mutant.js";
import { mistakesIn } from "./mistakes.js";

/**
 * `npm run test:mutants -- FILE.ts TEST.test.ts… [--every N] [--only N]`: makes small mistakes in a file, one at a time and by rule,
 * and runs these tests with each. A mistake that no test finds is told: then an assertion is missing, or the two texts mean the same.
 */

const DIST = fileURLToPath(new URL("../../", import.meta.url));
const LOADER = new URL("load-mutant.js", import.meta.url).href;
/** Milliseconds for the tests with one mistake, a choice. Tests that wait for ever have found it. */
const LIMIT = 180_000;
/** Characters of a text in a line of the report, a choice. */
const MAX_SHOWN = 120;

const built = (path: string): string => join(DIST, path.replace(/\.ts$/, ".js"));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: "string", default: "1" }, only: { type: "string" } },
});
const [path = "", ...tests] = positionals;
if (tests.length === 0) throw new Error("name a file of drivers, runtime or agent-client, and its tests");

const text = readFileSync(built(path), "utf8");
const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
const folder = mkdtempSync(join(tmpdir(), "tendril-mutants-"));
const mutant = join(folder, "mutant.js");
const memory = inMemory((remove) => process.once("exit", remove));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

if (!passes(text)) throw new Error("the tests fail without any mistake");
const chosen = [...mistakesIn(file).entries()].filter(([number]) =>
  values.only === undefined ? number % Number(values.every) === 0 : number === Number(values.only),
);
const missed = chosen.filter(([number, { start, end, instead }]) => {
  const found = !passes(text.slice(0, start) + instead + text.slice(end));
  process.stdout.write(`${found ? "found " : "MISSED"} ${number}: ${described(start, end, instead)}\n`);
  return !found;
});
process.stdout.write(`${path}: ${chosen.length} mistakes, ${missed.length} that no test finds\n`);

/** Whether all tests pass with this text in place of the file's. */
function passes(changed: string): boolean {
  writeFileSync(mutant, changed);
  const mutated = { [MUTATED]: pathToFileURL(built(path)).href, [MUTANT]: mutant };
  const env = {
    ...process.env,
    ...memory,
    ...mutated,
    TZ: "Asia/Kathmandu",
    TAP_TIMEOUT: String(LIMIT / 1000),
    TAP_BAIL: "1",
  };
  return tests.every((test) => {
    const args = ["--import", LOADER, built(test)];
    return (
      spawnSync(process.execPath, args, { env, stdio: "ignore", timeout: LIMIT, killSignal: "SIGKILL" })
        .status === 0
    );
  });
}

/** The place as it was built, in one line. */
function described(start: number, end: number, instead: string): string {
  const line = file.getLineAndCharacterOfPosition(start).line + 1;
  const from = text.lastIndexOf("\n", start) + 1;
  const [before, was, now] = [text.slice(from, start), text.slice(start, end), instead].map(oneLine);
  return `line ${line}: ${before} «${was} → ${now}» ${text.slice(end, text.indexOf("\n", end))}`;
}

function oneLine(part: string): string {
  const line = part.trim().replace(/\s+/g, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
