import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** What runs inside a kernel has a command of its own. */
const ELSEWHERE = ["kernel"];
/** Files in one process. A choice: more save little, and one processor is idle at the end. */
const AT_MOST = 8;

/** Every test file that is meant is in exactly one part: those of a folder, dealt out in turn, since neighbours are alike in length. */
export function parts(folder = ".", isMeant = (_path: string) => true): Map<string, string[]> {
  const entries = readdirSync(join(HERE, folder), { withFileTypes: true });
  const files = entries
    .map(({ name }) => join(folder, name))
    .filter((path) => path.endsWith(".test.js") && isMeant(path));
  const count = Math.ceil(files.length / AT_MOST);
  const dealt = Array.from({ length: count }, (_, part) => files.filter((_, at) => at % count === part));
  const below = entries.filter((entry) => entry.isDirectory() && !ELSEWHERE.includes(entry.name));
  const named = dealt.map((files, part) => [`${folder} ${part + 1}`, files] as const);
  return new Map([...named, ...below.flatMap(({ name }) => [...parts(join(folder, name), isMeant)])]);
}

export const urlOf = (path: string): URL => pathToFileURL(join(HERE, path));

/** The program of which every process of the suite is one. */
export const SUITE = join(HERE, "suite.js");
