import type { Board } from "../../drivers/open-board.js";
import type { Store } from "../store/store.js";
import type { RoundWatch } from "./round-watch.js";

export interface HealthParts {
  readonly board: Pick<Board, "isGuarded">;
  readonly store: Pick<Store, "assertHealthy">;
  readonly sampling: Pick<RoundWatch, "isLate">;
}

/** What keeps a running runtime from caring for plants safely, a clause each. None: it is well. */
export async function troublesOf({ board, store, sampling }: HealthParts): Promise<string[]> {
  return [
    ...(board.isGuarded() ? [] : ["no guard has the relays"]),
    ...(sampling.isLate() ? ["no round of the probes has ended in time"] : []),
    ...(await storeTrouble(store)),
  ];
}

async function storeTrouble(store: HealthParts["store"]): Promise<string[]> {
  try {
    await store.assertHealthy();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
