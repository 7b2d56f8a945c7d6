import { join, resolve } from "node:path";

/** Where the package keeps its files (systemd/deb/bin/tendril, systemd/tendril.service). */
export const PACKAGED = {
  state: "/var/lib/tendril",
  config: "/etc/tendril/tendril.yaml",
  backups: "/var/backups/tendril",
  programs: "/usr/lib/tendril/",
  /** Runs as the service's user, even if root calls it, except for commands that need root. */
  command: "/usr/bin/tendril",
} as const;

/** The configuration's name in a state folder, and in a backup. */
export const CONFIG_FILE = "tendril.yaml";

export interface Places {
  readonly state: string;
  /** From --config. */
  readonly config?: string;
}

/** --config, else TENDRIL_CONFIG (the package's wrapper sets it), else tendril.yaml in the state folder. */
export const configFile = ({ state, config }: Places): string =>
  config ?? named() ?? join(state, CONFIG_FILE);

/** Whether a file was named. Then it must exist. */
export const isConfigNamed = ({ config }: Places): boolean => config !== undefined || named() !== undefined;

/** An empty variable counts as absent. */
const named = (): string | undefined => {
  const { TENDRIL_CONFIG: file } = process.env;
  return file ? resolve(file) : undefined;
};

/** Where backups go without --to: beside the state folder, or where Debian keeps backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED.state ? PACKAGED.backups : `${state}-backups`;

/** The bridge's own folder on a bench: beside the state, so no backup of the state has what is in it. */
export const bridgeFolder = (state: string): string => `${resolve(state)}-bridge`;

/** In the state folder while a runtime runs: {"url", "pid", "config"?}, for clients on this machine. */
export const RUNTIME_FILE = "runtime.json";
/** In the state folder with `npm start`: the agent's own folder, which has whole conversations. No backup has it. */
export const AGENT_FOLDER = "agent";
/** In a state folder: the sessions of browsers, without their secrets. */
export const SESSIONS_FILE = "sessions.json";
/** In a state folder: when each token was last used. */
export const TOKEN_USES_FILE = "token-uses.json";
/** In the state folder: how long each plant has had no care (services/plant-status/care-watch.ts). */
export const CARE_FILE = "care.json";
/** In the state folder from the decision for a restore until it is done. */
export const RESTORE_MARK = "restore.json";
/** In the state folder: calendars of others as they were fetched last. No backup has them. */
export const CALENDARS = "calendars";

/** What a start refuses as a whole where it is wrong, so a restore reads it first and may leave it out. */
export const LEAVE_OUT = [CONFIG_FILE, "tokens", "bench.json"] as const;
export type LeftOut = (typeof LEAVE_OUT)[number];
