/** Where the package has its things. */
export const PACKAGED = {
  state: "/var/lib/tendril",
  config: "/etc/tendril/tendril.yaml",
  backups: "/var/backups/tendril",
} as const;

/** Where backups of a state folder go unless --to says otherwise: beside it, or where Debian has backups. */
export const defaultBackups = (state: string): string =>
  state === PACKAGED.state ? PACKAGED.backups : `${state}-backups`;
