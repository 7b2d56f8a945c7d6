import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { Config } from "../config/schema.js";

export interface Configured {
  readonly state: string;
  readonly config?: string;
}

/** --config, else TENDRIL_CONFIG (the package's wrapper sets it), else tendril.yaml in the state folder. */
export const configFile = ({ state, config }: Configured): string =>
  config ?? named() ?? join(state, "tendril.yaml");

/** The file's content, checked. Where nobody named a file and there is none, the bench's defaults. */
export async function configFor(options: Configured): Promise<Config> {
  const file = configFile(options);
  if (!isConfigNamed(options) && !existsSync(file))
    return (await import("../config/schema.js")).defaultConfig();
  const { loadConfig } = await import("../config/load.js"); // YAML is loaded only where there is a file
  return loadConfig(file);
}

/** Whether somebody has said which file: then it must be there. */
export const isConfigNamed = ({ config }: Configured): boolean =>
  config !== undefined || named() !== undefined;

const named = (): string | undefined => {
  const { TENDRIL_CONFIG: file } = process.env;
  return file ? resolve(file) : undefined;
};

export const configOption = () =>
  new Option(
    "--config <file>",
    "configuration (default: TENDRIL_CONFIG, else tendril.yaml in the state folder, if it is there)",
  );
