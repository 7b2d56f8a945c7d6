import { fstatSync } from "node:fs";
import { DriverError } from "../../drivers/errors.js";
import { ConfigError, TendrilError } from "../errors.js";
import { asCalledHere, fitting, harmless } from "./print.js";

/** A mistake in how a command was called or in what it found: a line for the person, no stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    readonly exitCode = FAILED,
  ) {
    super(message);
  }
}

const FAILED = 1;
/** What was asked for can never work as it was asked. */
export const WRONG_USE = 2;
/** Ctrl-C as shells count it: 128 and the signal's number. */
export const INTERRUPTED = 130;

const isExpected = (error: unknown): error is Error =>
  error instanceof CommandError ||
  error instanceof ConfigError ||
  error instanceof TendrilError ||
  error instanceof DriverError;

/** In the journal an event is a line, with its level in front [sd-daemon(3)]. */
const headed = (text: string): string =>
  stderrIsJournal()
    ? `<3>tendril: ${text.replaceAll("\n", "\\n")}`
    : fitting(process.stderr, `tendril: ${asCalledHere(text)}`);

const stackOf = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? String(error);

/** Runs a command; a failure becomes one clear line on stderr and an exit code, 1 by default. */
export async function orExplain(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = error instanceof CommandError ? error.exitCode : FAILED;
    process.stderr.write(`${harmless(headed(isExpected(error) ? error.message : stackOf(error)))}\n`);
  }
}

const STDERR = 2;

/**
 * Whether what is written to stderr goes straight into systemd's journal. Its mark is inherited by whatever a service
 * starts, a desktop's terminals too: it counts for the very stream that it names [systemd.exec(5), $JOURNAL_STREAM].
 */
export function stderrIsJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  const { JOURNAL_STREAM: named } = env;
  if (named === undefined) return false;
  const { dev, ino } = fstatSync(STDERR);
  return named === `${dev}:${ino}`;
}
