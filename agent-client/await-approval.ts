import { approvalNeeded } from "../runtime/wire/people.js";
import type { Clock } from "./clock.js";
import type { ToolResult } from "./link/tools.js";
import { seconds } from "./units.js";

/** A call that waits for a person's yes. */
export interface Waiting {
  /** What the person answers to. */
  readonly id: number;
  /** Until when, as people read it. */
  readonly until: string;
}

export interface Patience {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly signal: AbortSignal;
  /** Told once of each request. */
  onWaiting(waiting: Waiting): void;
}

/** Where the runtime does not say: between two calls. */
const PAUSE_S = 5;
/** A runtime that ends its own requests too late is waited for no longer than this beyond their time. */
const GRACE_S = 60;

/**
 * Makes the call again until somebody has answered; each one waits a while by itself. Nobody but a person says yes: this
 * only asks what became of it. Rejects with the signal's reason.
 */
export async function untilAnswered(
  call: () => Promise<ToolResult>,
  { clock, signal, onWaiting }: Patience,
): Promise<ToolResult> {
  let told: number | undefined;
  let giveUpAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const result = await call();
    const waits = waitOf(result);
    if (!waits || clock.monotonic() > giveUpAt) return result;
    if (told === undefined) giveUpAt = clock.monotonic() + seconds(waits.left + GRACE_S);
    if (waits.id !== told) onWaiting(waits);
    told = waits.id;
    await clock.sleep(seconds(waits.pause), signal);
  }
}

function waitOf(
  result: ToolResult,
): (Waiting & { readonly left: number; readonly pause: number }) | undefined {
  if (result.ok || result.error.code !== "APPROVAL_NEEDED") return undefined;
  const { data } = approvalNeeded.safeParse(result.error.details);
  if (!data) return undefined;
  const pause = result.error.retry_after_s ?? PAUSE_S;
  return {
    id: data.id,
    until: data.until ?? `${data.expires_at.slice(11, 16)} UTC`,
    left: data.expires_in_s,
    pause,
  };
}
