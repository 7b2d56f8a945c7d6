import { join } from "node:path";
import { CONFIG } from "./names.js";

/** The package's folders. */
const PACKAGED_STATE = "/var/lib/tendril";
const PACKAGED_BACKUPS = "/var/backups/tendril";

/** Where backups of a state folder go unless --to says otherwise: beside it, or where Debian has backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED_STATE ? PACKAGED_BACKUPS : `${state}-backups`;

/** The configuration's file: as given, else TENDRIL_CONFIG, else in the state folder. */
export const configFile = (state: string, given: string | undefined, env: NodeJS.ProcessEnv): string =>
  given ?? env.TENDRIL_CONFIG ?? join(state, CONFIG);
