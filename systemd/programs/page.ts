import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";

/** Where the page's sources are, and where in `dist` the runtime finds what is built of them (runtime/server/static-files.ts). */
const SOURCES = "runtime/web/page";
const BUILT = "web";

/**
 * Builds the page of `from` into the folder `to`, which is or becomes `dist`: the script of the first view, those that are loaded
 * behind it, one for offline, one style sheet, one picture, each with its hash in its name, and the index that names them. Compressed
 * forms lie beside them, so the runtime compresses nothing. Returns what it was made of.
 */
export async function buildPage(from: string, to: string): Promise<Metafile["inputs"]> {
  const out = join(to, BUILT);
  mkdirSync(out, { recursive: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir: from,
    entryPoints: [`${SOURCES}/main.tsx`, `${SOURCES}/offline.ts`, `${SOURCES}/page.css`],
    outdir: out,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    // what runs on a tablet of the last five years; a choice
    target: ["chrome110", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none", // every licence is in the package's copyright file
    logLevel: "warning",
    plugins: [lessOfUPlot],
  });
  const contents = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  contents.set("icon.svg", readFileSync(join(from, SOURCES, "icon.svg"), "utf8"));
  const imports = Object.entries(metafile.outputs).map(
    ([path, output]) => [basename(path), output.imports] as const,
  );
  const hashed = new HashedNames(contents, new Map(imports));
  for (const plain of contents.keys()) write(out, hashed.nameOf(plain), Buffer.from(hashed.contentOf(plain)));
  const index = readFileSync(join(from, SOURCES, "index.html"), "utf8");
  write(out, "index.html", Buffer.from(indexWith(hashed, [...contents.keys()], index)));
  return metafile.inputs;
}

/** What the page does not use of uPlot 1.6, mostly ways to draw a line: a tenth of what it weighs. */
const UNUSED = /^\s*(?:\(paths\.(?:stepped|bars|spline) +=|uPlot\.join =).*\n/gm;

/** uPlot hangs all of itself on one function, so that no bundler leaves anything out. */
const lessOfUPlot: Plugin = {
  name: "less of uPlot",
  setup: ({ onLoad }) =>
    onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      const whole = readFileSync(path, "utf8");
      if (whole.match(UNUSED)?.length !== 4) throw new Error(`${path} is another uPlot than 1.6`);
      return { contents: whole.replace(UNUSED, "") };
    }),
};

/** "main.js" as "main.0123456789abcdef.js", in its own name and where another file imports it. */
class HashedNames {
  constructor(
    private readonly contents: ReadonlyMap<string, string>,
    private readonly imports: ReadonlyMap<string, Metafile["outputs"][string]["imports"]>,
  ) {}

  nameOf(plain: string): string {
    const hash = createHash("sha256").update(this.contentOf(plain)).digest("hex").slice(0, 16);
    const ending = extname(plain);
    return `${basename(plain, ending).replace(BUNDLERS_HASH, "")}.${hash}${ending}`;
  }

  contentOf(plain: string): string {
    return this.importsOf(plain).reduce(
      (text, { name }) => text.replaceAll(`"./${name}"`, `"./${this.nameOf(name)}"`),
      this.contents.get(plain) ?? "",
    );
  }

  /** All that a file cannot do without. */
  needsOf(plain: string): readonly string[] {
    const own = this.importsOf(plain).filter(({ isLater }) => !isLater);
    return [...new Set(own.flatMap(({ name }) => [name, ...this.needsOf(name)]))];
  }

  /** `isLater`: it is fetched when the program asks for it. */
  private importsOf(plain: string): readonly { readonly name: string; readonly isLater: boolean }[] {
    const all = this.imports.get(plain) ?? [];
    return all.map(({ path, kind }) => ({ name: basename(path), isLater: kind === "dynamic-import" }));
  }
}

/** In the names of the parts that it has made. */
const BUNDLERS_HASH = /-[0-9A-Z]{8}$/;

/** The index with the files' names. What the first view needs is fetched at once; the rest is named for the service worker. */
function indexWith(hashed: HashedNames, all: readonly string[], index: string): string {
  const inIndex = all.filter((plain) => index.includes(`/web/${plain}"`));
  const named = inIndex.reduce((html, plain) => html.replace(`/web/${plain}`, pathIn(hashed, plain)), index);
  const now = hashed.needsOf("main.js");
  const later = all.filter((plain) => ![...inIndex, ...now].includes(plain));
  const tags = [
    ...now.map((plain) => `<link rel="modulepreload" href="${pathIn(hashed, plain)}">`),
    `<meta name="later" content="${later.map((plain) => pathIn(hashed, plain)).join(" ")}">`,
  ];
  return named.replace("  </head>", `    ${tags.join("\n    ")}\n  </head>`);
}

const pathIn = (hashed: HashedNames, plain: string): string => `/web/${hashed.nameOf(plain)}`;

function write(out: string, name: string, bytes: Uint8Array): void {
  writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes));
}
