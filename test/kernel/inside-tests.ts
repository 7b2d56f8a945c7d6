import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("inside/", import.meta.url));
const SUFFIX = ".test.js";

/**
 * The compiled test files that run inside the kernel, by name: those that are asked for, or all. Throws if one is not there.
 */
export function insideTests(names: readonly string[]): ReadonlyMap<string, string> {
  const all = new Map(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => [file.slice(0, -SUFFIX.length), FOLDER + file]),
  );
  const unknown = names.find((name) => !all.has(name));
  if (unknown)
    throw new Error(`no test "${unknown}" inside the kernel; there are ${[...all.keys()].join(", ")}`);
  return names.length === 0 ? all : new Map([...all].filter(([name]) => names.includes(name)));
}
