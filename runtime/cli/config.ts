import { stringify } from "yaml";
import type { Places } from "../places.js";
import { configFor } from "./config-file.js";

/** The configuration in force, as YAML that could itself be the file. */
export async function printConfig(options: Places): Promise<void> {
  process.stdout.write(stringify(await configFor(options)));
}
