import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** tsc writes plain files; npm only marks the program as executable when it installs the package. */
chmodSync(fileURLToPath(new URL("./tendril.js", import.meta.url)), 0o755);
