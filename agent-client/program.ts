import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { messageOf } from "../drivers/system-error.js";
import { quoted } from "../runtime/wire/phrases.js";
import { UsageError } from "./errors.js";

/** What a person types for `tendril` here, as the command line has said to this program, or its plain name. */
const CALLED = process.env.TENDRIL_CALLED ?? "tendril";

/** Commands that a person types on this computer. `tendril pair` and `tendril tls` are for the runtime's computer. */
const TYPED_HERE =
  /(?<![\w./-])tendril (agent|approve|clear|deny|discover|hold|log|models|off|release|resume|serve|simulate|status|tasks|water)(?![\w-])/g;
/** Those of them that are not about one runtime. */
const ANYWHERE = new Set(["discover", "models", "simulate"]);

/** The option that hints repeat. The demo says it to its agent; empty: none. */
let repeated = process.env.TENDRIL_HINTED;

/** From now on hints name the runtime as the person named it to this program. */
export function repeatInHints(flag: "--state" | "--url", value: string): void {
  repeated ??= `${flag} ${quoted(value)}`;
}

export const asCalledHere = (text: string): string =>
  text.replaceAll(TYPED_HERE, (_, name: string) =>
    [CALLED, name, ...(repeated && !ANYWHERE.has(name) ? [repeated] : [])].join(" "),
  );

/** Readies a command, and those below it, for parsing: errors are thrown, empty options refused, hints name its own help. */
export function readied(command: Command, name = asCalledHere(command.name())): Command {
  if (!command.parent) command.name(name);
  command.exitOverride().showHelpAfterError(`(see "${name} --help")`);
  for (const option of command.options) if (option.required && !option.parseArg) option.argParser(filled);
  for (const each of command.commands) readied(each, `${name} ${each.name()}`);
  return command;
}

/** An unset shell variable gives an empty text, which is never a valid value. */
function filled(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("must not be empty.");
  return text;
}

/** Exit code for wrong use: an unknown option, or a value that can never work. */
export const WRONG_USE = 2;

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
  process.stderr.write(`${program}: ${stack ?? asCalledHere(messageOf(error))}\n`);
  return error instanceof UsageError ? WRONG_USE : 1;
}
