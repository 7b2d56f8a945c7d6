import { join } from "node:path";
import { CONFIG } from "./names.js";

/** Where the package has its things. */
export const PACKAGED = {
  state: "/var/lib/tendril",
  config: "/etc/tendril/tendril.yaml",
  backups: "/var/backups/tendril",
} as const;

/** Where backups of a state folder go unless --to says otherwise: beside it, or where Debian has backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED.state ? PACKAGED.backups : `${state}-backups`;

/** The configuration's file: as given, else TENDRIL_CONFIG, else in the state folder. */
export const configFile = (state: string, given: string | undefined, env: NodeJS.ProcessEnv): string =>
  given ?? env.TENDRIL_CONFIG ?? join(state, CONFIG);
