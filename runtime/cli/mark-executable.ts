import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** tsc writes plain files; npm only marks programs as executable when it installs the package. */
for (const program of ["./tendril.js", "../../agent-client/main.js", "../../agent-client/harness/main.js"]) {
  chmodSync(fileURLToPath(new URL(program, import.meta.url)), 0o755);
}
