import { existsSync } from "node:fs";
import type { Config } from "../configuration.js";
import { configFile, isConfigNamed, type Places } from "../places.js";
import { HouseTime } from "../wire/house-time.js";

/** Prints the configuration with all defaults, as YAML that is a valid configuration file. */
export async function printConfig(options: Places): Promise<void> {
  const { configText } = await import("../setup/write-yaml.js"); // loads YAML only when needed
  process.stdout.write(configText(await configFor(options)));
}

/** Times in the house's zone; UTC if the configuration cannot be read. */
export const houseTimeFor = async (options: Places): Promise<HouseTime> =>
  new HouseTime(
    await configFor(options).then(
      ({ zone }) => zone,
      () => "UTC",
    ),
  );

/** The checked configuration; the bench's defaults if no file was named and there is none. */
export async function configFor(options: Places): Promise<Config> {
  const file = configFile(options);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../configuration.js")).defaultConfig();
  const { loadConfig } = await import("../configuration.js"); // loads YAML only for a file
  return loadConfig(file);
}
