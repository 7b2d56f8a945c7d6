import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.js";
import { buildPage } from "./page.js";
import { NEW, swapBuilds } from "./swap.js";

/** Second half of `npm run build`: the programs of this clone, bundled in place, and the page; npm marks them as executable only when it installs. */
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
await bundle(PROJECT, join(PROJECT, NEW), "clone");
await buildPage(PROJECT, join(PROJECT, NEW));
const PROGRAMS = [
  "runtime/cli/tendril",
  "runtime/bridge/main",
  "agent-client/main",
  "agent-client/harness/main",
];
for (const program of PROGRAMS) chmodSync(join(PROJECT, NEW, `${program}.js`), 0o755);
swapBuilds(PROJECT);
