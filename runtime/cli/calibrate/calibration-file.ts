import { constants } from "node:fs";
import { access, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Owner, replaceFile } from "../../../drivers/durable-file.js";
import type { Clock } from "../../../drivers/ports.js";
import type { PlantConfig } from "../../config/schema.js";
import { setInYaml, UneditableYaml } from "../../config/yaml.js";
import type { Config } from "../../configuration.js";
import { parseConfig } from "../../configuration.js";
import { ConfigError } from "../../errors.js";
import { configFile, type Places } from "../../places.js";
import { CommandError, WRONG_USE } from "../failure.js";

type Values = Readonly<Record<string, number>>;

/** The configuration file, of which a calibration changes a line or two and nothing else. */
export class CalibrationFile {
  private constructor(
    readonly path: string,
    private readonly text: string,
    readonly config: Config,
    private readonly mode: number,
    private readonly owner: Owner,
  ) {}

  /**
   * Throws a CommandError where there is no file or this user may not replace it: before anybody fetches a glass of
   * water. Throws a ConfigError for one that does not load as it is.
   */
  static async open(places: Places): Promise<CalibrationFile> {
    const named = configFile(places);
    const path = await realpath(named).catch((cause: unknown) => {
      throw new CommandError(cannot(named, "read", cause));
    });
    const text = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new CommandError(cannot(path, "read", cause));
    });
    await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
      throw new CommandError(cannot(path, "replaced", cause));
    });
    const { mode, uid, gid } = await stat(path);
    return new CalibrationFile(path, text, parseConfig(text, path), mode & 0o777, { uid, gid });
  }

  /** By id or name, any case; the first one where none is named. */
  plant(named: string | undefined): PlantConfig {
    const { plants } = this.config;
    const wanted = named?.toLowerCase();
    const plant = plants.find(({ id, name = id }, at) =>
      wanted === undefined ? at === 0 : id === wanted || name.toLowerCase() === wanted,
    );
    if (plant) return plant;
    const known = plants.map(({ id }) => id).join(", ");
    throw new CommandError(`${this.path} has no plant "${named}", only ${known}`, WRONG_USE);
  }

  /** The file with these values in the plant's section, which the genuine loader takes. Throws a CommandError. */
  with(plant: PlantConfig, section: "probe" | "pump", values: Values): string {
    const edited = this.edited(plant, section, values);
    try {
      parseConfig(edited, this.path);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new CommandError(`${error.problems.join("\n")}; nothing was written`);
    }
    return edited;
  }

  private edited({ id }: PlantConfig, section: string, values: Values): string {
    const at = this.config.plants.findIndex((plant) => plant.id === id);
    try {
      return setInYaml(this.text, ["plants", at, section], values);
    } catch (error) {
      if (!(error instanceof UneditableYaml)) throw error;
      const lines = Object.entries(values).map(([key, value]) => `${key}: ${value}`);
      throw new CommandError(
        `${this.path}: ${error.message}; write it there by hand (plant ${id}, ${section}): ${lines.join(", ")}`,
      );
    }
  }

  /** Writes it whole or not at all; the old file is kept beside it, and its name returned. */
  async replace(text: string, clock: Pick<Clock, "now">): Promise<string> {
    if ((await readFile(this.path, "utf8")) !== this.text)
      throw new CommandError(`${this.path} was changed meanwhile: nothing was written, calibrate again`);
    const kept = `${this.path}.before-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-")}`;
    try {
      await replaceFile(kept, this.text, this.mode, this.owner);
      await replaceFile(this.path, text, this.mode, this.owner);
    } catch (cause) {
      throw new CommandError(cannot(this.path, "replaced", cause));
    }
    return kept;
  }

  /** Whether these values are in force by the file already. */
  has(text: string): boolean {
    return text === this.text;
  }
}

function cannot(file: string, what: "read" | "replaced", cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT")
    return `there is no configuration ${file} to write into: make one with "tendril setup", or name it with --config`;
  const remedy = code === "EACCES" || code === "EPERM" ? ": run it with sudo" : "";
  return `${file} cannot be ${what} (${code})${remedy}`;
}
