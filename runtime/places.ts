import { join, resolve } from "node:path";

/** Where the package keeps everything (systemd/deb/bin/tendril, systemd/tendril.service). */
export const PACKAGED = {
  state: "/var/lib/tendril",
  config: "/etc/tendril/tendril.yaml",
  backups: "/var/backups/tendril",
  programs: "/usr/lib/tendril/",
  /** Makes root the service's user, but for the commands that need root. */
  command: "/usr/bin/tendril",
} as const;

/** The configuration's name in a state folder, and in a backup. */
export const CONFIG_FILE = "tendril.yaml";

export interface Places {
  readonly state: string;
  /** As --config says. */
  readonly config?: string;
}

/** --config, else TENDRIL_CONFIG (the package's wrapper sets it), else tendril.yaml in the state folder. */
export const configFile = ({ state, config }: Places): string =>
  config ?? named() ?? join(state, CONFIG_FILE);

/** Whether somebody has said which file: then it must be there. */
export const isConfigNamed = ({ config }: Places): boolean => config !== undefined || named() !== undefined;

/** An empty variable counts as none. */
const named = (): string | undefined => {
  const { TENDRIL_CONFIG: file } = process.env;
  return file ? resolve(file) : undefined;
};

/** Where backups of a state folder go unless --to says otherwise: beside it, or where Debian has backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED.state ? PACKAGED.backups : `${state}-backups`;

/** In the state folder while a runtime runs: {"url", "pid"}, for clients on this machine. */
export const RUNTIME_FILE = "runtime.json";
/** In the state folder: how long nobody has cared for each plant (services/plant-status/care-watch.ts). */
export const CARE_FILE = "care.json";
/** In the state folder from the moment on at which a restore is decided, until it is carried out. */
export const RESTORE_MARK = "restore.json";
