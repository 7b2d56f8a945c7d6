import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.js";
import { buildPage } from "./page.js";

/** Second half of `npm run build`: the programs of this clone, bundled in place, and the page; npm marks them as executable only when it installs. */
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
await bundle(PROJECT, PROJECT, "clone");
await buildPage(PROJECT, PROJECT);
const PROGRAMS = [
  "runtime/cli/tendril",
  "runtime/bridge/main",
  "agent-client/main",
  "agent-client/harness/main",
];
for (const program of PROGRAMS) chmodSync(join(PROJECT, "dist", `${program}.js`), 0o755);
