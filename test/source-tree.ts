import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/** `path` from the project's root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below the folders. */
export const sourcesIn = (...folders: readonly string[]): Source[] =>
  folders.flatMap(filesBelow).map((path) => ({ path, text: readFileSync(path, "utf8") }));

function filesBelow(folder: string): string[] {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.flatMap((path) => {
    if (statSync(path).isDirectory()) return filesBelow(path);
    return /\.tsx?$/.test(path) ? [path] : [];
  });
}

const OPTIONS = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** As the compiler reads it. Nobody keeps it: the trees of all files take 300 MB. */
export const treeOf = ({ path, text }: Source): ts.SourceFile =>
  ts.createSourceFile(path, text, OPTIONS, true);

interface Imports {
  readonly all: readonly string[];
  readonly loaded: readonly string[];
}

/** A dozen rules ask it of every file. */
const known = new WeakMap<Source, Imports>();

function importsIn(source: Source): Imports {
  const tree = treeOf(source);
  const named = (nodes: readonly ts.Node[]) =>
    nodes.flatMap((node) => {
      const specifier = specifierOf(node);
      return specifier === undefined ? [] : [resolved(source.path, specifier)];
    });
  const loaded = tree.statements.filter((node) => !isOfTypes(node));
  return { all: named(nodesOf(tree)), loaded: named(loaded) };
}

function knownOf(source: Source): Imports {
  const imports = known.get(source) ?? importsIn(source);
  known.set(source, imports);
  return imports;
}

/** Everything the file imports or re-exports, types included, also by `import()`: packages by name, files by path. */
export const importsOf = (source: Source): readonly string[] => knownOf(source).all;

/** What is loaded before the file itself runs: its imports and re-exports, but for types and `import()`. */
export const loadedWith = (source: Source): readonly string[] => knownOf(source).loaded;

function specifierOf(node: ts.Node): string | undefined {
  const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
  const named = isDeclaration ? node.moduleSpecifier : dynamicSpecifier(node);
  return named && ts.isStringLiteral(named) ? named.text : undefined;
}

function dynamicSpecifier(node: ts.Node): ts.Node | undefined {
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? node.arguments[0] : undefined;
}

function isOfTypes(node: ts.Statement): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  if (!ts.isImportDeclaration(node) || !node.importClause) return false;
  const { isTypeOnly, name, namedBindings } = node.importClause;
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  return isTypeOnly || (!name && named.length > 0 && named.every((each) => each.isTypeOnly));
}

const resolved = (from: string, specifier: string): string =>
  specifier.startsWith(".") ? normalize(join(dirname(from), specifier)).replace(/\.js$/, ".ts") : specifier;

/** A node and all below it, in the order of the text. */
export function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    nodes.push(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return nodes;
}

/** The first chain of imports that leads back to where it began. */
export function importCycle(sources: readonly Source[]): readonly string[] | undefined {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const finished = new Set<string>();
  const visit = (path: string, chain: readonly string[]): readonly string[] | undefined => {
    if (chain.includes(path)) return [...chain.slice(chain.indexOf(path)), path];
    if (finished.has(path)) return undefined;
    for (const next of imports.get(path) ?? []) {
      const cycle = visit(next, [...chain, path]);
      if (cycle) return cycle;
    }
    finished.add(path);
    return undefined;
  };
  for (const path of imports.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}
