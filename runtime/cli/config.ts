import { stringify } from "yaml";
import { configFor } from "./config-file.js";

/** The configuration in force, as YAML that could itself be the file. */
export async function printConfig(options: { state: string; config?: string }): Promise<void> {
  process.stdout.write(stringify(await configFor(options)));
}
