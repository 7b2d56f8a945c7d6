import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import { lateSchemas } from "./late-schemas.js";

/**
 * Every program, bundled to where its compiled form would be: it starts a third faster, since finding and reading files takes
 * time. What finds another file by its own place (`new URL("./main.js", import.meta.url)`) finds it from a bundle too.
 */

/** Programs that share their parts, by the folder that is to work without the others: of one file all is read for the least command. */
const groupsOf = (from: string): Readonly<Record<string, readonly string[]>> => ({
  "runtime/bridge": ["runtime/bridge/main.ts"],
  "agent-client": agentPrograms(from).filter((path) => !path.startsWith(HARNESS)),
  [HARNESS]: [`${HARNESS}/main.ts`],
});
/** It has runtime and bench in it. */
const HARNESS = "agent-client/harness";
/** One file each: what switches off needs nothing beside itself, a thread starts from one file, and what is confined may read no other. */
const ALONE = [
  "drivers/guard/main.ts",
  "drivers/devices/luminance-worker.ts",
  "runtime/bridge/calendar/worker.ts",
  "runtime/services/knowledge/reader-main.ts",
];

/** The agent and what `tendril` starts of it beside itself: each folder's `main.ts`. */
function agentPrograms(from: string): string[] {
  const files = readdirSync(join(from, "agent-client"), { recursive: true, encoding: "utf8" });
  const programs = files.filter((path) => basename(path) === "main.ts");
  return programs.sort().map((path) => join("agent-client", path));
}

/** A name for the way from a file of the bundle to the root, until it is known where the code has landed. A string could be cut by a line's end. */
const ROOT_MARK = "TENDRIL_ROOT";
/** Of the code of others that knows CommonJS alone. */
const COMMONJS = `import { createRequire as tendrilRequire } from "node:module";
const require = tendrilRequire(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta;`;

/** What differs: in the package natives lie beside the bundles and no module of others does; a clone has node_modules. */
const HOMES = {
  package: (from: string): BuildOptions => ({
    // goes past the kernel and wants root, which the service has not
    external: ["pigpio"],
    plugins: [
      ownPlace(from),
      englishAlone,
      shortLivedFailures,
      lateSchemas,
      noAjv,
      nativesBeside(from),
      nameless,
    ],
  }),
  clone: (from: string): BuildOptions => ({
    external: ["i2c-bus", "onoff", "pigpio", "serialport", "sqlite3"],
    plugins: [ownPlace(from), englishAlone, shortLivedFailures, lateSchemas, noAjv],
  }),
};

/** What tests start a dozen times, in one file each too: a third of a second less of a processor a start. */
const STARTED_BY_TESTS = ["test/runtime/backup/stepper.ts"];

/** Bundles in the folder `to` what tests of `from` start most. */
export async function bundleForTests(from: string, to: string): Promise<void> {
  const at = { ...HOMES.clone(from), absWorkingDir: from, outdir: to };
  await bundleInto(dirname(to), { ...at, entryPoints: STARTED_BY_TESTS });
}

/**
 * Bundles the sources of `from` into the folder `to`, which is or becomes `dist`, for its `home`; returns what each file was made of.
 * `readable`: as written, with a line above the code of each source file, as a profile needs it (test/bench/wire-profile.ts).
 */
export async function bundle(
  from: string,
  to: string,
  home: keyof typeof HOMES,
  { readable = false } = {},
): Promise<Metafile["inputs"]> {
  const at = { ...HOMES[home](from), absWorkingDir: from, outdir: to, ...(!readable && SHORT) };
  const bundled = (options: BuildOptions) => bundleInto(dirname(to), { ...at, ...options });
  const group = (folder: string, options: BuildOptions) =>
    bundled({ ...options, splitting: true, chunkNames: `${folder}/parts/[name]-[hash]` });
  const groups = Object.entries(groupsOf(from)).map(([folder, programs]) =>
    group(folder, { entryPoints: [...programs] }),
  );
  const commandLine = Object.entries(COMMAND_LINES).map(([folder, { name, loads }]) =>
    group(folder, {
      entryPoints: [{ in: COMMAND_LINE, out: join(dirname(COMMAND_LINE), name) }],
      plugins: [...(at.plugins ?? []), loading(loads)],
    }),
  );
  const used = await Promise.all([...groups, ...commandLine, bundled({ entryPoints: ALONE })]);
  const [started = ""] =
    /^#!.*\n/.exec(home === "clone" ? readFileSync(join(from, COMMAND_LINE), "utf8") : "") ?? [];
  writeProgram(join(to, COMMAND_LINE.replace(/ts$/, "js")), `${started}${CHOICE}\n`, dirname(to));
  return Object.assign({}, ...used);
}

/**
 * The command line is bundled twice, for `serve` and for all else: so a start reads half as many files. What both of them need
 * would lie in parts of its own, for each set of commands that needs it.
 */
const COMMAND_LINE = "runtime/cli/tendril.ts";
const SERVE = "./serve.js";
const COMMAND_LINES = {
  runtime: { name: "commands", loads: (path: string) => path !== SERVE },
  "runtime/serving": { name: "serving", loads: (path: string) => path === SERVE },
} as const;
const CHOICE = 'await import(process.argv[2] === "serve" ? "./serving.js" : "./commands.js");';

/** Leaves out which commands this program never carries out. */
const loading = (loads: (path: string) => boolean): Plugin => ({
  name: "loading",
  setup({ onResolve }) {
    const declare = /\/runtime\/cli\/(?:tendril|remote-commands|machine-commands)\.ts$/;
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, importer }) =>
      kind === "dynamic-import" && declare.test(importer) && !loads(path)
        ? { path, external: true }
        : undefined,
    );
  },
});

/**
 * A program keeps its source in memory, and reads it at each start: without blanks that is a quarter less. Names stay, and lines are
 * short enough for the place in a stack trace to tell something.
 */
const SHORT = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 } as const;

async function bundleInto(root: string, options: BuildOptions): Promise<Metafile["inputs"]> {
  const { outputFiles, metafile } = await build({
    ...options,
    outbase: ".",
    bundle: true,
    platform: "node",
    target: "node20.17",
    format: "esm",
    legalComments: "none", // every licence is in the package's copyright file
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles ?? []) writeProgram(path, text, root);
  return metafile ? usedOf(metafile) : {};
}

function writeProgram(path: string, text: string, root: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const placed = text.replaceAll(ROOT_MARK, JSON.stringify(relative(dirname(path), root)));
  writeFileSync(path, inSingleBytes(withCommonJs(placed)));
}

/** Only where something asks for it: Node takes a while to make a `require`, and a start reads dozens of files. */
const withCommonJs = (text: string): string =>
  /\b(?:require|__filename|__dirname)\b/.test(text)
    ? text.replace(/^(#!.*\n)?/, (start) => `${start}${COMMONJS}\n`)
    : text;

/**
 * One character beyond Latin-1, and V8 keeps two bytes for each of the file. esbuild escapes those in strings and names, so what is
 * left stands in regular expressions, where the escape means the same.
 */
export const inSingleBytes = (text: string): string =>
  text.replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

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
      const place = `new URL(${ROOT_MARK} + "/${compiled(relative(from, path))}", import.meta.url).href`;
      return { contents: text.replaceAll("import.meta.url", place), loader: "ts" };
    });
  },
});

/** Zod brings its messages in fifty languages, an eighth of all code that is read at the start. Ours are English. */
const englishAlone: Plugin = {
  name: "english-alone",
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * A check that fails makes an object with an accessor of its own. V8 keeps the accessor, with all that was checked, until it
 * collects all garbage, and the MCP SDK fails five checks for each message to find out its kind. With the accessor on a
 * class, the object is gone with the young garbage.
 */
export const shortLivedFailures: Plugin = {
  name: "short-lived-failures",
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/core\/parse\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const found = /^function failure\(Err, issues, ctx\) \{$.*?^\}$/ms.exec(text)?.[0];
      if (found === undefined) throw new Error(`${path} makes failures in another way: look at it again`);
      return { contents: text.replace(found, () => FAILURE) };
    });
  },
};

/** As zod's own: the error is made when somebody reads it, and then nothing of what was checked is kept. */
const FAILURE = `
class Failure {
  #make;
  #error;
  success = false;
  constructor(make) {
    this.#make = make;
  }
  get error() {
    if (this.#make) this.error = this.#make();
    return this.#error;
  }
  set error(error) {
    this.#error = error;
    this.#make = undefined;
  }
}
const failure = (Err, issues, ctx) =>
  new Failure(() => new Err(issues.map((issue) => util.finalizeIssue(issue, ctx, core.config()))));`;

/** What the MCP SDK takes if nobody names another validator. Our programs name the SDK's small one, which reads schemas where Ajv makes code of them. */
const noAjv: Plugin = {
  name: "no-ajv",
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol\/(?:client|server)\/dist\/shimsNode\.mjs$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = text.replace(
        /^import \{ n as (AjvJsonSchemaValidator) \} from "[^"]+";$/m,
        SMALL_VALIDATOR,
      );
      if (contents === text) throw new Error(`${path} has its validator from elsewhere: look at it again`);
      return { contents };
    });
  },
};

const SMALL_VALIDATOR = 'import { CfWorkerJsonSchemaValidator as $1 } from "./validators/cfWorker.mjs";';

/** Both search a package's own folder, which is not there: the natives have a folder of their own. */
const nativesBeside = (from: string): Plugin => ({
  name: "natives-beside",
  setup({ onResolve }) {
    const path = resolve(from, "systemd/deb/load-native.cjs");
    onResolve({ filter: /^(bindings|node-gyp-build)$/ }, () => ({ path }));
  },
});

/** Programs that are started by another's name are no scripts: no first line says what runs them. */
const nameless: Plugin = {
  name: "nameless",
  setup({ onEnd }) {
    onEnd(({ outputFiles }) => {
      for (const file of outputFiles ?? [])
        file.contents = new TextEncoder().encode(file.text.replace(/^#!.*\n/, ""));
    });
  },
};

function compiled(path: string): string {
  return join("dist", path.replace(/\.ts$/, ".js"));
}
