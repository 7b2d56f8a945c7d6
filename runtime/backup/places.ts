/** The package's folders. */
const PACKAGED_STATE = "/var/lib/tendril";
const PACKAGED_BACKUPS = "/var/backups/tendril";

/** Where backups of a state folder go unless --to says otherwise: beside it, or where Debian has backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED_STATE ? PACKAGED_BACKUPS : `${state}-backups`;
