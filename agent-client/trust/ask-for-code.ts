import { createInterface } from "node:readline";
import { pairingCode } from "../../runtime/wire/pairing.js";
import { UsageError } from "../usage-error.js";

/** Reads a code from standard input: one on the command line is in the shell's history. Throws a UsageError. */
export async function askForCode(signal: AbortSignal): Promise<string> {
  process.stderr.write("Code that `tendril pair` shows: ");
  const lines = createInterface({ input: process.stdin, signal });
  for await (const line of lines) return checked(line);
  signal.throwIfAborted();
  throw new UsageError("--pair: no code was given");
}

function checked(line: string): string {
  try {
    return pairingCode(line);
  } catch (error) {
    throw new UsageError(`--pair: ${error instanceof Error ? error.message : String(error)}`);
  }
}
