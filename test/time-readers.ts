import ts from "typescript";
import { importsOf, nodesOf, type Source, treeOf } from "./source-tree.js";

const TIMERS: ReadonlySet<string> = new Set(["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]);
/** Members that read time or wait, by the object they belong to. */
const MEMBERS: Readonly<Record<string, RegExp>> = {
  Date: /^now$/,
  performance: /./,
  process: /^(hrtime|uptime)$/,
  AbortSignal: /^timeout$/,
  Atomics: /^wait/,
  globalThis: /^(set(Timeout|Interval|Immediate)|performance|Date)$/,
};
const PACKAGES = /^(node:)?(timers(\/promises)?|perf_hooks)$/;

/** A file without any of these words need not be parsed. */
const WORDS = new RegExp(`\\b(?:${[...TIMERS, ...Object.keys(MEMBERS)].join("|")})\\b`);

/** Where a file reads time or sets a timer, as it is written there. */
export const timeReadsIn = (source: Source): string[] => [
  ...importsOf(source).filter((name) => PACKAGES.test(name)),
  ...(WORDS.test(source.text) ? placesIn(treeOf(source)) : []),
];

const placesIn = (tree: ts.SourceFile): string[] =>
  nodesOf(tree)
    .filter(readsTime)
    .map((node) => node.getText(tree));

function readsTime(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return isDate(node.expression) && (node.arguments?.length ?? 0) === 0;
  if (ts.isCallExpression(node)) return isDate(node.expression);
  if (ts.isPropertyAccessExpression(node)) return isTimeMember(node);
  return ts.isIdentifier(node) && TIMERS.has(node.text) && !isMemberName(node);
}

const isDate = (node: ts.Node): boolean => ts.isIdentifier(node) && node.text === "Date";

const isTimeMember = ({ expression, name }: ts.PropertyAccessExpression): boolean =>
  ts.isIdentifier(expression) && (MEMBERS[expression.text]?.test(name.text) ?? false);

/** `socket.setTimeout` is the socket's own. */
const isMemberName = (node: ts.Identifier): boolean =>
  ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
