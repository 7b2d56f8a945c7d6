import { createHash } from "node:crypto";
import { switchedNothing } from "../../drivers/errors.js";
import type { Clock } from "../../drivers/ports.js";
import { invalidArgument, TendrilError } from "../errors.js";
import type { RecordLog } from "../store/record-log.js";
import { canonical } from "../wire/refusal.js";
import { isoNow } from "./iso-time.js";
import { Picture, ShownOnce, Untrusted, untrustedIf } from "./tool.js";

const LONGEST_KEY = 200;

/** The key of a call, if it has one. Throws INVALID_ARGUMENT for a bad key. */
export function validKey(key: unknown): string | undefined {
  if (key === undefined || (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY)) return key;
  throw invalidArgument(`the idempotency key is not a text of 1–${LONGEST_KEY} characters`);
}

/** Where a key counts. Two agents, tools or plants may use the same key. */
interface KeyScope {
  readonly key: string;
  readonly token: string;
  readonly tool: string;
  readonly plant: string;
}

interface CallEntry {
  readonly timestamp: string;
  /** The scope's digest. */
  readonly scope?: string;
  /** Digest of the arguments. */
  readonly args?: string;
  /** On the second entry of a call: the id of the first entry, and the outcome. */
  readonly of?: number;
  readonly result?: unknown;
  /** Where words of strangers in the result came from. */
  readonly untrusted?: readonly string[];
  readonly failed?: boolean;
  /** What is left of a line whose result had something that a person has erased. */
  readonly erased?: true;
}

interface CallRecord {
  readonly timestamp: string;
  readonly scope: string;
  readonly args: string;
  /** Erased: done, and a person has erased what it answered. */
  readonly state: "begun" | "done" | "failed" | "erased";
  readonly result?: unknown;
  readonly untrusted?: readonly string[];
}

export const CALL_LOG = {
  name: "calls",
  erasable: true,
  subject: (entry: CallEntry) => entry.scope,
  fold: (previous: CallRecord | undefined, entry: CallEntry): CallRecord =>
    previous
      ? entry.erased
        ? { ...previous, state: "erased" as const }
        : { ...previous, ...outcomeOf(entry) }
      : { timestamp: entry.timestamp, scope: entry.scope ?? "", args: entry.args ?? "", state: "begun" },
};

const outcomeOf = ({ failed, result, untrusted }: CallEntry) => ({
  state: failed ? ("failed" as const) : ("done" as const),
  result,
  ...(untrusted && { untrusted }),
});

interface OnceHooks {
  readonly admit?: (() => unknown) | undefined;
  readonly interrupted?: (() => unknown) | undefined;
}

/**
 * Makes a repeated call return the first result and do nothing. The key is on the disk before the handler runs: after a
 * crash a repeated call gets OUTCOME_UNKNOWN instead of acting a second time. A refused call has changed nothing, so
 * its key may be used again.
 */
export class IdempotentCalls {
  private readonly running = new Map<string, { args: string; result: Promise<unknown> }>();

  constructor(
    private readonly calls: RecordLog<CallEntry, CallRecord>,
    private readonly clock: Clock,
    /** Called if a result could not be kept; the call is answered nevertheless. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /**
   * `admit` runs before the key is used up: if it throws or gives an answer, and while it waits, the key stays free.
   * `interrupted` answers in place of OUTCOME_UNKNOWN.
   */
  async once(scope: KeyScope, args: unknown, handle: () => unknown, hooks: OnceHooks = {}): Promise<unknown> {
    const name = digest([scope.token, scope.tool, scope.plant, scope.key]);
    const ours = digest(args);
    const current = this.running.get(name);
    if (current) assertSame(current.args, ours, scope);
    if (current) return current.result;
    const result = this.run(name, ours, scope, { handle, ...hooks });
    this.running.set(name, { args: ours, result });
    return result.finally(() => this.running.delete(name));
  }

  private async run(
    name: string,
    args: string,
    scope: KeyScope,
    { admit, handle, interrupted }: OnceHooks & { readonly handle: () => unknown },
  ): Promise<unknown> {
    const earlier = await this.calls.newestOf(name);
    if (earlier && earlier.state !== "failed") return this.recall(earlier, args, scope, interrupted);
    const answer = admit && (await admit());
    if (answer !== undefined) return answer;
    const { id } = await this.calls.append({ timestamp: isoNow(this.clock), scope: name, args });
    try {
      const result = await handle();
      await this.note({ of: id, ...recorded(result) });
      return result;
    } catch (error) {
      if (changedNothing(error)) await this.note({ of: id, failed: true });
      throw error;
    }
  }

  /** Records the outcome. Without it, a repeated call gets OUTCOME_UNKNOWN and never acts a second time. */
  private async note(outcome: Pick<CallEntry, "of" | "result" | "untrusted" | "failed">): Promise<void> {
    await this.calls.append({ timestamp: isoNow(this.clock), ...outcome }).catch(this.onFailure);
  }

  private recall(
    earlier: CallRecord,
    args: string,
    scope: KeyScope,
    interrupted: OnceHooks["interrupted"],
  ): unknown {
    assertSame(earlier.args, args, scope);
    if (earlier.state === "done") return untrustedIf(earlier.untrusted ?? [], earlier.result);
    if (earlier.state === "erased") {
      const what = `the first ${scope.tool} with this idempotency key, at ${earlier.timestamp}, was done; what it answered was erased since`;
      throw new TendrilError("RESULT_ERASED", what);
    }
    if (interrupted) return interrupted();
    const what = `the first ${scope.tool} with this idempotency key was interrupted`;
    throw new TendrilError("OUTCOME_UNKNOWN", what);
  }
}

/** A picture is not kept, nor is a secret. */
function recorded(result: unknown): Pick<CallEntry, "result" | "untrusted"> {
  if (result instanceof Picture) return { result: result.value };
  if (result instanceof Untrusted) return { result: result.value, untrusted: result.sources };
  if (result instanceof ShownOnce) return { result: result.kept };
  return { result };
}

const changedNothing = (error: unknown): boolean =>
  error instanceof TendrilError ? error.kind.changed === "nothing" : switchedNothing(error);

function assertSame(first: string, second: string, { key, tool }: KeyScope): void {
  if (first === second) return;
  const what = `the key ${JSON.stringify(key.slice(0, 64))} was used for another ${tool}`;
  throw new TendrilError("IDEMPOTENCY_CONFLICT", what);
}

/** A digest that is the same for the same JSON, whatever the order of its keys. */
export const digest = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("base64url");
