import { existsSync } from "node:fs";
import type { Config } from "../configuration.js";
import { configFile, isConfigNamed, type Places } from "../places.js";

/** The configuration, checked. Where nobody named a file and there is none, the bench's defaults. */
export async function configFor(options: Places): Promise<Config> {
  const file = configFile(options);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../configuration.js")).defaultConfig();
  const { loadConfig } = await import("../configuration.js"); // YAML is loaded only where there is a file
  return loadConfig(file);
}
