import { once } from "node:events";
import { createInterface } from "node:readline";
import { spawnNode } from "../../spawn-node.js";

/** Runs a module's text as a process of its own, and waits for its first line. What it does then is its own affair. */
export async function startChild(source: string): Promise<{ killNow(): Promise<void> }> {
  const child = spawnNode(["--input-type=module", "--eval", source]);
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit");
  const first = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
  if (!first) throw new Error("the child ended before its first line");
  return {
    /** SIGKILL: nothing of the child runs any more. */
    async killNow() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
