/** In the state folder while a runtime runs: {"url", "pid"}, for clients on this machine. */
export const RUNTIME_FILE = "runtime.json";
/** In the state folder: how long nobody has cared for each plant (services/plant-status/care-watch.ts). */
export const CARE_FILE = "care.json";
/** In the state folder from the moment on at which a restore is decided, until it is carried out. */
export const RESTORE_MARK = "restore.json";
