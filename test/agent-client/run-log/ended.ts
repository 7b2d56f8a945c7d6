import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { spawnNode } from "../../spawn-node.js";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What a program said, and how it ended. */
export async function endOf(child: ReturnType<typeof spawnNode>): Promise<Ended> {
  const [[code], out, err] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code: Number(code), out, err };
}
