import { TOOLS } from "../services/index.js";
import { ConfigError } from "./config-error.js";
import { refuseUnconfirmable } from "./confirm.js";
import { type Config, configSchema } from "./schema.js";
import { parseYaml, readYaml } from "./yaml.js";

const complain = (problems: readonly string[]) => new ConfigError(problems);

/** What a file may say; which tools there are, the schema alone cannot know. */
const fileSchema = configSchema.superRefine(refuseUnconfirmable(TOOLS));

/** Reads and checks a YAML configuration. Throws ConfigError naming every mistake at once. */
export const loadConfig = (file: string): Config => readYaml(file, fileSchema, complain);

export const parseConfig = (text: string, file: string): Config =>
  parseYaml(text, file, fileSchema, complain);
