/** One line a mistake: file, line, key, what is wrong with which value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "CONFIG_INVALID";

  constructor(readonly problems: readonly string[]) {
    super(`${problems.join("\n")}\n(CONFIG_INVALID) correct the file and start again`);
  }
}
