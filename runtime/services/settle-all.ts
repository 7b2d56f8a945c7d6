/** Waits for all of them, then fails if one did: one step that fails keeps no other from being taken. */
export async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps))
    if (outcome.status === "rejected") throw outcome.reason;
}
