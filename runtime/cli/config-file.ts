import { existsSync } from "node:fs";
import type { Config } from "../config/schema.js";
import { configFile, isConfigNamed, type Places } from "../places.js";

/** The configuration, checked. Where nobody named a file and there is none, the bench's defaults. */
export async function configFor(options: Places): Promise<Config> {
  const file = configFile(options);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../config/schema.js")).defaultConfig();
  const { loadConfig } = await import("../config/load.js"); // YAML is loaded only where there is a file
  return loadConfig(file);
}
