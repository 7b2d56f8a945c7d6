import { fstatSync } from "node:fs";
import type { Command } from "commander";
import { DriverError } from "../../drivers/errors.js";
import { troubleIn } from "../../drivers/system-error.js";
import { ConfigError, TendrilError } from "../errors.js";
import { asCalledHere, fitting, harmless } from "./print.js";

/** An expected failure of a command: shown as one line, without a stack. */
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
export const WRONG_USE = 2;
/** This call can never work. */
export const wrongUse = (message: string): CommandError => new CommandError(message, WRONG_USE);
/** A mistake in the configuration: EX_CONFIG of sysexits.h. The unit does not restart after it (RestartPreventExitStatus=). */
export const MISCONFIGURED = 78;
/** Ctrl-C, as in shells: 128 plus the signal's number. */
export const INTERRUPTED = 130;

const isExpected = (error: unknown): error is Error =>
  error instanceof CommandError ||
  error instanceof ConfigError ||
  error instanceof TendrilError ||
  error instanceof DriverError;

/** In systemd's journal an event is one line, with its level in front [sd-daemon(3)]. */
const headed = (text: string): string =>
  stderrIsJournal()
    ? `<3>tendril: ${text.replaceAll("\n", "\\n")}`
    : fitting(process.stderr, `tendril: ${asCalledHere(text)}`);

const stackOf = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? String(error);

const explained = (error: unknown): string =>
  isExpected(error) ? error.message : (troubleIn(error) ?? stackOf(error));

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof ConfigError ? MISCONFIGURED : FAILED;
}

/** Runs a command; a failure becomes a line on stderr and an exit code. */
export async function orExplain(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    process.stderr.write(`${harmless(headed(explained(error)))}\n`);
  }
}

/** What commander hands to an action: the arguments, the options, and the command. */
export type Given = Parameters<Parameters<Command["action"]>[0]>;

/** The action of a command by a module that is loaded only now. A failure becomes a line on stderr and an exit code. */
export const action =
  <M>(load: () => Promise<M>, act: (own: M, ...given: Given) => Promise<void>) =>
  (...given: Given): Promise<void> =>
    orExplain(async () => act(await load(), ...given));

const STDERR = 2;

/**
 * Whether stderr is systemd's journal. All children of a service inherit the variable, also a desktop's terminals, so it counts
 * only for the stream that it names [systemd.exec(5), $JOURNAL_STREAM].
 */
export function stderrIsJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  const { JOURNAL_STREAM: named } = env;
  if (named === undefined) return false;
  const { dev, ino } = fstatSync(STDERR);
  return named === `${dev}:${ino}`;
}
