import { existsSync } from "node:fs";
import type { Config } from "../configuration.js";
import { configFile, isConfigNamed, type Places } from "../places.js";
import { HouseTime } from "../wire/house-time.js";

/** The configuration in force, as YAML that could itself be the file. */
export async function printConfig(options: Places): Promise<void> {
  const { configText } = await import("../setup/write-yaml.js"); // YAML is loaded only where it is needed
  process.stdout.write(configText(await configFor(options)));
}

/** As the house's zone has it; UTC where the configuration cannot be read. */
export const houseTimeFor = async (options: Places): Promise<HouseTime> =>
  new HouseTime(
    await configFor(options).then(
      ({ zone }) => zone,
      () => "UTC",
    ),
  );

/** The configuration, checked. Where nobody named a file and there is none, the bench's defaults. */
export async function configFor(options: Places): Promise<Config> {
  const file = configFile(options);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../configuration.js")).defaultConfig();
  const { loadConfig } = await import("../configuration.js"); // YAML is loaded only where there is a file
  return loadConfig(file);
}
