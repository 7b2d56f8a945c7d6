import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const INSIDE = fileURLToPath(new URL("inside/", import.meta.url));
const SUFFIX = ".test.js";

/** The compiled test files that run inside the kernel, by name: all, or those that are asked for. Throws if one is not there. */
export function insideTests(names: readonly string[]): ReadonlyMap<string, string> {
  const there = readdirSync(INSIDE).filter((file) => file.endsWith(SUFFIX));
  const all = new Map(there.map((file) => [file.slice(0, -SUFFIX.length), INSIDE + file]));
  const unknown = names.find((name) => !all.has(name));
  if (unknown)
    throw new Error(`no test "${unknown}" inside the kernel; there are ${[...all.keys()].join(", ")}`);
  return names.length === 0 ? all : new Map([...all].filter(([name]) => names.includes(name)));
}
