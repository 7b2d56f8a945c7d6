import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";

/**
 * Every program of the package, bundled to where its compiled form would be in a clone. So what finds another file by its
 * own place (`new URL("./main.js", import.meta.url)`) finds it in the package too.
 */

/** Share their parts: one file of all takes longer to read than what a command needs of it. */
const commandsIn = (from: string): string[] => ["runtime/cli/tendril.ts", ...agentPrograms(from)];
/** One file each: what switches off needs nothing beside itself. */
const ALONE = ["drivers/guard/main.ts", "drivers/devices/luminance-worker.ts"];

/** The agent and what `tendril` starts of it beside itself: each folder's `main.ts`. */
function agentPrograms(from: string): string[] {
  const files = readdirSync(join(from, "agent-client"), { recursive: true, encoding: "utf8" });
  const programs = files.filter((path) => basename(path) === "main.ts");
  return programs.sort().map((path) => join("agent-client", path));
}

/** Stands for the way from a file of the bundle to the package's root until it is known where the code has landed. */
const ROOT_MARK = "TENDRIL_ROOT";
/** Not of this package: it goes past the kernel and wants root, which the service has not. */
const LEFT_OUT = ["pigpio"];
/** Of the code of others that knows CommonJS alone. */
const COMMONJS = `import { createRequire as tendrilRequire } from "node:module";
const require = tendrilRequire(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta;`;

/** Bundles the sources of `from` into the folder `to`; returns what each file was made of. */
export async function bundle(from: string, to: string): Promise<Metafile["inputs"]> {
  const shared = await bundleInto(from, to, { entryPoints: commandsIn(from), splitting: true });
  const alone = await bundleInto(from, to, { entryPoints: ALONE });
  return { ...shared, ...alone };
}

async function bundleInto(from: string, to: string, options: BuildOptions): Promise<Metafile["inputs"]> {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: from,
    outdir: join(to, "dist"),
    outbase: ".",
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    platform: "node",
    target: "node20.17",
    format: "esm",
    legalComments: "none", // every licence is in the package's copyright file
    external: LEFT_OUT,
    banner: { js: COMMONJS },
    plugins: [ownPlace(from), natives(from)],
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles) writeProgram(path, text, to);
  return usedOf(metafile);
}

/** The programs are started by name, so no line says what runs them. */
function writeProgram(path: string, text: string, root: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const way = relative(dirname(path), root);
  writeFileSync(path, text.replace(/^#!.*\n/, "").replaceAll(ROOT_MARK, way));
}

/** Leaves out what was looked at but did not get in. */
function usedOf({ inputs, outputs }: Metafile): Metafile["inputs"] {
  const used = new Set(Object.values(outputs).flatMap((output) => Object.keys(output.inputs)));
  return Object.fromEntries(Object.entries(inputs).filter(([path]) => used.has(path)));
}

/** A module's own place is where its compiled form would be, wherever its code lands. */
const ownPlace = (from: string): Plugin => ({
  name: "own-place",
  setup({ onLoad }) {
    onLoad({ filter: /\/(drivers|runtime|agent-client)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return undefined;
      const place = `new URL("${ROOT_MARK}/${compiled(relative(from, path))}", import.meta.url).href`;
      return { contents: text.replaceAll("import.meta.url", place), loader: "ts" };
    });
  },
});

/** Both search a package's own folder, which is not there: the natives have a folder of their own. */
const natives = (from: string): Plugin => ({
  name: "natives",
  setup({ onResolve }) {
    const path = resolve(from, "systemd/deb/load-native.cjs");
    onResolve({ filter: /^(bindings|node-gyp-build)$/ }, () => ({ path }));
  },
});

function compiled(path: string): string {
  return join("dist", path.replace(/\.ts$/, ".js"));
}
