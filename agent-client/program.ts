import { CommanderError } from "commander";
import { messageOf } from "../drivers/system-error.js";
import { UsageError } from "./errors.js";

/** Exit code for wrong use: an unknown option, or a value that can never work. */
export const WRONG_USE = 2;

/**
 * Aborts on Ctrl-C and SIGTERM, and when the program that started this one is gone: it may be killed without a word, and then
 * nobody reads the output, while a model may cost money.
 */
export function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  process.once("disconnect", () => stop.abort());
  process.channel?.unref();
  return stop;
}

/**
 * Writes why a program failed to stderr; the exit code for it. commander has already written its own errors. Errors that are
 * not `isExpected` are shown with their stack.
 */
export function explainFailure(
  program: string,
  error: unknown,
  isExpected = (each: unknown): boolean => each instanceof UsageError,
): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USE;
  const stack = error instanceof Error && !isExpected(error) ? error.stack : undefined;
  process.stderr.write(`${program}: ${stack ?? messageOf(error)}\n`);
  return error instanceof UsageError ? WRONG_USE : 1;
}
