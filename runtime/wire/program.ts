import { readFileSync } from "node:fs";

/** From dist/runtime/wire up to the project's root. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

export const VERSION = (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;

/**
 * Aborts on Ctrl-C, SIGTERM and the `others`, and when the program that started this one is gone: it may be killed without a word,
 * and then nobody reads the output or stops this one, while a model may cost money. The channel to it alone keeps no program alive.
 */
export function stopOnSignals(...others: readonly NodeJS.Signals[]): AbortController {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", ...others] as const) process.on(signal, () => stop.abort());
  process.once("disconnect", () => stop.abort());
  if (process.send && !process.connected) stop.abort(); // it was gone before this one could listen
  process.channel?.unref();
  return stop;
}
