import { readFileSync } from "node:fs";
import { harmlessExcerpt } from "./refusal.js";

/** From dist/runtime/wire up to the project's root. */
const PACKAGE = new URL("../../../package.json", import.meta.url);

export const VERSION = (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;

/** Name of the runtime in the handshake of MCP. */
export const RUNTIME = "tendril";

/** The numbers that tell forms of calls and answers apart: of 0.1.3 "0.1". */
const formOf = (version: string): string => version.split(".").slice(0, 2).join(".");

/** Characters. A choice: one of ours is shorter, and what answers may be none of ours. */
const LONGEST_VERSION = 40;

/** What a person does then. */
export const SAME_VERSION = "install the same version on both, and restart them";

/**
 * Why this program and a runtime do not fit together, by what it says in the handshake; undefined if they do. A server of another
 * name is no runtime of ours, and is not judged.
 */
export function otherVersion(server: { name: string; version: string } | undefined): string | undefined {
  if (server?.name !== RUNTIME || formOf(server.version) === formOf(VERSION)) return undefined;
  const theirs = harmlessExcerpt(server.version, LONGEST_VERSION);
  return `the runtime is Tendril ${theirs}, this program is Tendril ${VERSION}`;
}

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

/** Milliseconds. Choices: a person hardly notices the first; the longest does not burden a server that is recovering. */
const FIRST_WAIT = 200;
const LONGEST_WAIT = 30_000;

/**
 * Exponential backoff: waits in milliseconds that double from 0.2 s up to 30 s, each shortened at random by up to half, so
 * that many clients do not return at the same moment. `random` gives [0, 1).
 */
export function* exponentialBackoff(random: () => number): Generator<number, never> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(LONGEST_WAIT, wait * 2)) yield wait * (1 - random() / 2);
}
