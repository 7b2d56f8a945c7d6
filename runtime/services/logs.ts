import type { Store } from "../store/store.js";
import { CALL_LOG } from "../tools/idempotency.js";
import { ACTION_LOG } from "./actions/table.js";
import { MEMORY_LOG, TASK_LOG } from "./agenda/table.js";
import { APPROVAL_LOG } from "./approvals/table.js";
import { LIGHT_LOG } from "./light/table.js";
import { CONTROL_LOG } from "./people/control.js";
import { MESSAGE_LOG } from "./people/messages.js";
import { STATUS_LOG } from "./plant-status/table.js";
import { THOUGHT_LOG } from "./thinking/table.js";
import { DOSE_LOG } from "./water/table.js";

/**
 * Opens every log before the first line is written to any of them: in a folder that is still new, a journal that
 * is not there was never lost.
 */
export async function openLogs(store: Store) {
  return {
    doses: await store.log(DOSE_LOG),
    light: await store.log(LIGHT_LOG),
    control: await store.log(CONTROL_LOG),
    statuses: await store.log(STATUS_LOG),
    messages: await store.log(MESSAGE_LOG),
    thoughts: await store.log(THOUGHT_LOG),
    actions: await store.log(ACTION_LOG),
    tasks: await store.log(TASK_LOG),
    memories: await store.log(MEMORY_LOG),
    approvals: await store.log(APPROVAL_LOG),
    calls: await store.log(CALL_LOG),
  };
}

export type Logs = Awaited<ReturnType<typeof openLogs>>;

interface Lossy {
  readonly openReport: { readonly lost: string | undefined };
  acknowledgeLoss(): Promise<void>;
}

/** What is lost of a ledger has a consequence; only once that is durable is the loss forgotten. */
export async function afterLoss(log: Lossy, consequence: (reason: string) => Promise<void>): Promise<void> {
  const { lost } = log.openReport;
  if (lost === undefined) return;
  await consequence(lost);
  await log.acknowledgeLoss();
}

/** Logs that nothing depends on: their loss is a warning and no more. Call it once the others' consequences are drawn. */
export async function forgiveLosses(logs: Logs): Promise<void> {
  for (const log of Object.values(logs)) await log.acknowledgeLoss();
}
