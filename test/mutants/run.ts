import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import ts from "typescript";
import { inMemory } from "../memory-disk.js";
import { MUTANT, MUTATED } from "./load-mutant.js";

/**
 * `npm run test:mutants -- FILE.ts TEST.test.ts… [--every N] [--only N]`: makes small mistakes in a file, one at a time and by rule,
 * and runs these tests with each. A mistake that no test finds is told: then an assertion is missing, or the two texts mean the same.
 */

const DIST = fileURLToPath(new URL("../../", import.meta.url));
const LOADER = new URL("load-mutant.js", import.meta.url).href;
/** Milliseconds for the tests with one mistake, a choice. Tests that wait for ever have found it. */
const LIMIT = 180_000;

/** Operators, and what they are mistaken for. */
const MISTAKEN: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  "??": "&&",
  "+=": "-=",
};

interface Mistake {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** The mistakes that a node can have. */
function mistakesAt(node: ts.Node, file: ts.SourceFile): readonly Mistake[] {
  const at = (part: ts.Node, instead: string): Mistake => ({
    start: part.getStart(file),
    end: part.getEnd(),
    instead,
  });
  if (ts.isBinaryExpression(node)) {
    const other = MISTAKEN[node.operatorToken.getText(file)];
    return other === undefined ? [] : [at(node.operatorToken, other)];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [at(node, `(${node.operand.getText(file)})`)];
  if (ts.isAwaitExpression(node)) return [at(node, `(${node.expression.getText(file)})`)];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [at(node, "false")];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [at(node, "true")];
  return [];
}

function mistakesIn(file: ts.SourceFile): readonly Mistake[] {
  const found: Mistake[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...mistakesAt(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

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
  };
  return tests.every((test) => {
    const args = ["--import", LOADER, built(test)];
    return spawnSync(process.execPath, args, { env, stdio: "ignore", timeout: LIMIT }).status === 0;
  });
}

/** The line as it was built, with the place marked. */
function described(start: number, end: number, instead: string): string {
  const from = text.lastIndexOf("\n", start) + 1;
  const until = text.indexOf("\n", end);
  const line = file.getLineAndCharacterOfPosition(start).line + 1;
  return `line ${line}: ${text.slice(from, start).trim()} «${text.slice(start, end)} → ${instead}» ${text.slice(end, until)}`;
}
