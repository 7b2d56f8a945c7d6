import type { Asker } from "./asker.js";
import { LineAsker } from "./line-asker.js";

export interface OpenAsker {
  readonly asker: Asker;
  readonly isTerminal: boolean;
  readonly close: () => void;
}

/** Menus where there is a terminal at both ends, and one that knows how to draw them; else, or if `plain`, lines. */
export async function openAsker(plain: boolean): Promise<OpenAsker> {
  const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  if (isTerminal && !plain && process.env.TERM !== "dumb")
    return { asker: (await import("./terminal-asker.js")).terminalAsker, isTerminal, close: () => undefined };
  const asker = new LineAsker(process.stdin, process.stdout);
  return { asker, isTerminal, close: () => asker.close() };
}
