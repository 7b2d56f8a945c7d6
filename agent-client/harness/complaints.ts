import type { Log } from "../../runtime/log.js";

/** What the runtime logs as an error is said at once: a simulation that goes on after it may mean nothing. */
export const sayErrors: Log = (level, message) => {
  if (level === "error") process.stderr.write(`the runtime: ${message}\n`);
};
