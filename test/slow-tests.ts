import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Which test files `npm run test:fast` leaves out: those that start processes, a browser too, or simulate days. It is found by what a file
 * and the helpers of tests that it uses import, so nobody has to keep a list.
 */

/** Whatever imports one of these. Paths are from the root of what was built. */
const SLOW_IMPORTS: ReadonlySet<string> = new Set([
  "node:child_process",
  "playwright-core",
  "agent-client/harness/main.js",
  "agent-client/harness/run.js",
  "agent-client/harness/simulate.js",
  "agent-client/harness/simulation.js",
]);

/** Whole lives of faults, emulated chips, weeks of plants and the fit of their parameters. */
const SLOW_FOLDERS = ["faults", "firmware", "fit", "scenarios"].map((name) => `test/${name}/`);

/** Sees whether a built test file is slow. `root` is the folder of what was built, `path` is from there. */
export class SlowTests {
  private readonly known = new Map<string, boolean>();

  constructor(private readonly root: string) {}

  has(path: string): boolean {
    return SLOW_FOLDERS.some((folder) => path.startsWith(folder)) || this.usesSlow(path);
  }

  private usesSlow(path: string): boolean {
    const known = this.known.get(path);
    if (known !== undefined) return known;
    this.known.set(path, false); // what imports itself in a circle adds nothing
    const slow = this.importsOf(path).some((name) => SLOW_IMPORTS.has(name) || this.isSlowHelper(name));
    this.known.set(path, slow);
    return slow;
  }

  private isSlowHelper(name: string): boolean {
    return name.startsWith("test/") && existsSync(join(this.root, name)) && this.usesSlow(name);
  }

  private importsOf(path: string): readonly string[] {
    const text = readFileSync(join(this.root, path), "utf8");
    return [...text.matchAll(IMPORT)].map(([, name = ""]) =>
      name.startsWith(".") ? normalize(join(dirname(path), name)) : name,
    );
  }
}

/** As esbuild writes imports, also without a name and by `import()`. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
