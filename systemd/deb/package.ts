import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildPackage } from "./build-package.js";
import { releaseOf } from "./control.js";
import { type Architecture, HOST, TRIPLE } from "./natives.js";

/** `npm run package:deb -- [--arch amd64|arm64|armhf|all] [--out FOLDER] [--version VERSION]`: prints each package's path. */

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const ALL = Object.keys(TRIPLE) as Architecture[];

const { values } = parseArgs({
  options: {
    arch: { type: "string" },
    out: { type: "string", default: "dist/deb" },
    version: { type: "string" },
  },
});

function architecturesOf(asked: string | undefined): readonly Architecture[] {
  if (asked === "all") return ALL;
  const found = ALL.filter((each) => each === (asked ?? HOST));
  if (found.length === 0)
    throw new Error(`--arch is one of ${ALL.join(", ")} and all, not ${asked ?? process.arch}`);
  return found;
}

try {
  const release = releaseOf(ROOT, process.env, values.version);
  for (const architecture of architecturesOf(values.arch)) {
    const { file } = await buildPackage(ROOT, resolve(values.out), architecture, release);
    process.stdout.write(`${file}\n`);
  }
} catch (error) {
  process.stderr.write(`package:deb: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
