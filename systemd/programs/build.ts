import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundle, bundleForTests } from "./bundle.js";
import { buildPage } from "./page.js";
import { isBuilt, NEW, SOURCES, sourcesOf, stamp, swapBuilds } from "./swap.js";

/**
 * `npm run build`: what has changed since the last time is built anew. Every source file alone, for tests and benchmarks; the
 * programs of this clone, bundled in place; and the page. npm marks programs as executable only when it installs.
 */
const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAMS = [
  "runtime/cli/tendril",
  "runtime/bridge/main",
  "agent-client/main",
  "agent-client/harness/main",
];

const found = sourcesOf(PROJECT);
if (!isBuilt(PROJECT, found.programs)) await buildAll();
else if (!isBuilt(PROJECT, found.test, "test")) await buildTests();
rmSync(join(PROJECT, NEW), { recursive: true, force: true });

async function buildAll(): Promise<void> {
  await compile(SOURCES.map((folder) => `${folder}/**/*.ts`));
  await bundle(PROJECT, join(PROJECT, NEW), "clone");
  await bundleForTests(PROJECT, join(PROJECT, NEW));
  await buildPage(PROJECT, join(PROJECT, NEW));
  for (const program of PROGRAMS) chmodSync(join(PROJECT, NEW, `${program}.js`), 0o755);
  rmSync(join(PROJECT, NEW, "build.js")); // this program
  stamp(PROJECT, found.programs);
  stamp(PROJECT, found.test, "test");
  swapBuilds(PROJECT);
}

async function buildTests(): Promise<void> {
  await compile(["test/**/*.ts"]);
  await bundleForTests(PROJECT, join(PROJECT, NEW));
  stamp(PROJECT, found.test, "test");
  swapBuilds(PROJECT, "test");
}

async function compile(entryPoints: string[]): Promise<void> {
  await build({
    ...{ absWorkingDir: PROJECT, entryPoints, outbase: ".", outdir: NEW },
    ...{ format: "esm", platform: "node", sourcemap: true, logLevel: "warning" },
  });
}
