import { DriverError } from "../errors.js";

export type Closer = () => Promise<void>;

/** In reverse order; what fails keeps nothing else open. Rejects with what failed first. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Closes after `error`, and gives the error to throw: that one, with what failed in closing at its end. */
export async function closedAfter(error: unknown, closers: Closer[]): Promise<unknown> {
  try {
    await closeAll(closers);
    return error;
  } catch (second) {
    return withSecond(error, second);
  }
}

function withSecond(error: unknown, second: unknown): Error {
  const told = `and closing what was open failed too: ${messageOf(second)}`;
  if (error instanceof DriverError)
    return new DriverError(error.code, `${error.what}, ${told}`, { cause: error });
  return new AggregateError([error, second], `${messageOf(error)}, ${told}`);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
