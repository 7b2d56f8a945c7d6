import { z } from "zod";
import type { BoardConfig } from "../drivers/open-board.js";
import { boardConfig, type CoreConfig, checkCore, coreKeys } from "./config/schema.js";
import { ConfigError } from "./errors.js";
import { refuseUnconfirmable } from "./services/approvals/declarations.js";
import type { ConfigOf } from "./services/module.js";
import { MODULES, modulesOn, toolsOf, toolsOff } from "./services/modules.js";
import { parseYaml, readYaml } from "./wire/yaml-file.js";

type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Every module's own keys. No two modules may have the same key; a test checks that. */
type ModuleKeys = Together<NonNullable<(typeof MODULES)[number]["config"]>>;

const moduleKeys = Object.assign({}, ...MODULES.map(({ config }) => config)) as ModuleKeys;

const switches = Object.fromEntries(
  MODULES.filter(({ canBeOff }) => canBeOff).map(({ name }) => [
    name,
    z.boolean().default(true).describe("false switches this family off"),
  ]),
);

/** The whole configuration file. Every key has a default except a plant's `id`; an empty file is a bench with one basil. */
export const configSchema = z
  .strictObject({
    ...coreKeys,
    modules: z
      .strictObject(switches)
      .prefault({})
      .describe("false switches a family of services off, with its tools; what it has recorded is kept"),
    ...moduleKeys,
  })
  .superRefine((config, ctx) => {
    checkCore(config as CoreConfig, ctx);
    const on = modulesOn(config as Config);
    for (const module of on) module.check?.(config as Config, ctx);
    const tools = toolsOf(on);
    refuseUnconfirmable(tools, toolsOff(config as Config))(config as Config, ctx);
  });

export type Config = CoreConfig &
  ConfigOf<ModuleKeys> & { readonly modules: Readonly<Record<string, boolean>> };

/** Zod makes code of a schema, which pays from the second value on. */
export const defaultConfig = (): Config => configSchema.parse({}, { jitless: true }) as Config;

/** What is wired to the board: by the core's keys, and by the modules that are on. */
export const boardWiring = (config: Config): BoardConfig =>
  Object.assign(boardConfig(config), ...modulesOn(config).map((module) => module.wiring?.(config)));

const complain = (problems: readonly string[]) => new ConfigError(problems);

/** Reads and checks a YAML configuration. Throws one ConfigError for all mistakes. */
export const loadConfig = (file: string): Config => readYaml(file, configSchema, complain) as Config;

export const parseConfig = (text: string, file: string): Config =>
  parseYaml(text, file, configSchema, complain) as Config;
