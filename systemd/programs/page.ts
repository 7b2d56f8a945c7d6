import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

/** Where the page's sources are, and where in `dist` the runtime finds what is built of them (runtime/server/static-files.ts). */
const SOURCES = "runtime/web/page";
const BUILT = "web";

/**
 * Builds the page of `from` into the folder `to`, which is or becomes `dist`: one script, one for offline, one style sheet, one picture, each with its hash in its name,
 * and the index that names them. Compressed forms lie beside them, so the runtime compresses nothing. Returns what it was made of.
 */
export async function buildPage(from: string, to: string): Promise<Metafile["inputs"]> {
  const out = join(to, BUILT);
  mkdirSync(out, { recursive: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir: from,
    entryPoints: [`${SOURCES}/main.tsx`, `${SOURCES}/offline.ts`, `${SOURCES}/page.css`],
    outdir: out,
    bundle: true,
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
  });
  const icon = readFileSync(join(from, SOURCES, "icon.svg"));
  const built = outputFiles.map(({ path, contents }) => [basename(path), contents] as const);
  const hashed = [...built, ["icon.svg", icon] as const].map(([name, bytes]) => put(out, name, bytes));
  const index = hashed.reduce(
    (html, { plain, named }) => html.replace(`/web/${plain}`, `/web/${named}`),
    readFileSync(join(from, SOURCES, "index.html"), "utf8"),
  );
  write(out, "index.html", Buffer.from(index));
  return metafile.inputs;
}

/** "main.js" as "main.0123456789abcdef.js". */
function put(out: string, plain: string, bytes: Uint8Array): { plain: string; named: string } {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const ending = extname(plain);
  const named = `${basename(plain, ending)}.${hash}${ending}`;
  write(out, named, bytes);
  return { plain, named };
}

function write(out: string, name: string, bytes: Uint8Array): void {
  writeFileSync(join(out, name), bytes);
  writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes));
}
