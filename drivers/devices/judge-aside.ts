import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Frame } from "../ports.js";
import type { Judgement } from "./luminance.js";

const WORKER = new URL("./luminance-worker.js", import.meta.url);
/** Nothing of how this process was started: a loader or profiler named in its environment is not meant for this thread. */
const PLAIN = { execArgv: [], env: {} };

/**
 * {@link judge} in a thread of its own, made for this one frame: pictures are rare, and the event loop also serves
 * whoever says stop. Rejects with the signal's reason.
 */
export async function judgeAside(frame: Frame, signal?: AbortSignal): Promise<Judgement> {
  signal?.throwIfAborted();
  const worker = new Worker(WORKER, { ...PLAIN, workerData: frame });
  try {
    const [judgement] = await once(worker, "message", signal && { signal });
    return judgement;
  } catch (error) {
    signal?.throwIfAborted();
    return { fault: `a picture that could not be looked at (${error})` };
  } finally {
    void worker.terminate();
  }
}
