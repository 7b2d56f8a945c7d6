import { ConfigError } from "./config-error.js";
import { type Config, configSchema } from "./schema.js";
import { parseYaml, readYaml } from "./yaml.js";

const complain = (problems: readonly string[]) => new ConfigError(problems);

/** Reads and checks a YAML configuration. Throws ConfigError naming every mistake at once. */
export const loadConfig = (file: string): Config => readYaml(file, configSchema, complain);

export const parseConfig = (text: string, file: string): Config =>
  parseYaml(text, file, configSchema, complain);
