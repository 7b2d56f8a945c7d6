import { constants, readFileSync } from "node:fs";
import { access, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Owner, replaceFile } from "../../../drivers/durable-file.js";
import type { Clock } from "../../../drivers/ports.js";
import type { PlantConfig } from "../../config/schema.js";
import type { Config } from "../../configuration.js";
import { parseConfig } from "../../configuration.js";
import { ConfigError } from "../../errors.js";
import { configFile, type Places } from "../../places.js";
import type { PlantNow } from "../../wire/overview.js";
import { setInYaml, UneditableYaml } from "../../wire/yaml-file.js";
import { CommandError, wrongUse } from "../failure.js";
import { overviewOf, type Remote } from "../remote.js";
import { type Address, announcedIn } from "../state.js";
import { isYes, type Terminal } from "../terminal.js";

export interface CalibrationContext {
  readonly terminal: Terminal;
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  readonly file: CalibrationFile;
  readonly plant: PlantConfig;
  /** --yes: writes the file without asking. */
  readonly yes: boolean;
  /** How to make the runtime read its file again. */
  readonly restart: string;
}

export interface Session extends CalibrationContext {
  readonly remote: Remote;
}

type Values = Readonly<Record<string, number>>;

/** The configuration file. A calibration changes a line or two of it. */
export class CalibrationFile {
  private constructor(
    readonly path: string,
    private readonly text: string,
    readonly config: Config,
    private readonly mode: number,
    private readonly owner: Owner,
  ) {}

  /**
   * Throws a CommandError if there is no file or this user may not replace it, before the person fetches a glass of water.
   * Throws a ConfigError if it does not load.
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

  /** By id or name, in any case; one alone needs no name. */
  plant(named: string | undefined): PlantConfig {
    const { plants } = this.config;
    const known = plants.map(({ id }) => id).join(", ");
    if (named === undefined && plants.length > 1) throw wrongUse(`name the plant: ${known}`);
    const wanted = named?.toLowerCase();
    const plant = plants.find(
      ({ id, name = id }) => wanted === undefined || id === wanted || name.toLowerCase() === wanted,
    );
    if (plant) return plant;
    throw wrongUse(`${this.path} has no plant "${named}", only ${known}`);
  }

  /** The file with these values in the plant's section, checked by loading it. Throws a CommandError. */
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

  /** Replaces the file atomically; keeps the old one next to it, and returns its name. */
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

  has(text: string): boolean {
    return text === this.text;
  }
}

function cannot(file: string, what: "read" | "replaced", cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT")
    return `there is no configuration ${file} to change: make one with "tendril setup", or name it with --config`;
  const remedy = code === "EACCES" || code === "EPERM" ? ": run it with sudo" : "";
  return `${file} cannot be ${what} (${code})${remedy}`;
}

/** Checks, asks, writes, and tells the person how to restart. Throws a ConfigError if the loader refuses the result. */
export async function write(
  { file, plant, terminal, clock, yes, restart }: CalibrationContext,
  section: "probe" | "pump",
  values: Readonly<Record<string, number>>,
  meaning?: string,
): Promise<void> {
  const text = file.with(plant, section, values);
  const lines = Object.entries(values).map(([key, value]) => `${key}: ${value}`);
  const what = `${section} of ${plant.id}: ${lines.join(", ")}`;
  if (file.has(text)) return terminal.say(`${file.path} already has it (${what}): nothing to write`);
  if (meaning !== undefined) terminal.say(meaning);
  terminal.say(`For ${file.path}: ${what}`);
  if (!yes && !(await isYes(terminal, "Write that?", false))) return terminal.say("nothing was written");
  const kept = await file.replace(text, clock);
  terminal.say(`written; the old file is kept as ${kept}`);
  terminal.say(`A running runtime uses it after a restart: ${restart}`);
}

/** A plant of a running runtime, and the tools' argument for it: none if only one plant is configured. */
export interface PlantThere {
  readonly now: PlantNow;
  readonly simulated: boolean;
  /** Agents may not act until a person lets them. */
  readonly arePaused: boolean;
  readonly named: { readonly plant?: string };
}

/** Throws a CommandError if the runtime has no such plant: it uses another file. */
export async function plantThere(remote: Remote, { id }: PlantConfig, file: string): Promise<PlantThere> {
  const { board, plants, paused } = await overviewOf(remote);
  const now = plants.find(({ plant }) => plant === id);
  if (!now)
    throw new CommandError(
      `the runtime has no plant ${id}: it does not use ${file}; name its file with --config`,
    );
  const named = plants.length === 1 ? {} : { plant: id };
  return { now, simulated: board === "bench", arePaused: paused !== null, named };
}

export function restartCommand({ state, url }: Address): string {
  if (url === undefined && isService(state)) return "sudo systemctl restart tendril";
  return 'Ctrl-C where "tendril serve" runs, and the same command again (a service: sudo systemctl restart tendril)';
}

/** Whether the process that serves this state folder is one of systemd's [cgroups(7), /proc/PID/cgroup]. */
function isService(state: string): boolean {
  try {
    return readFileSync(`/proc/${announcedIn(state)?.pid}/cgroup`, "utf8").includes("/tendril.service");
  } catch {
    return false; // unknown: the hint names both ways
  }
}
