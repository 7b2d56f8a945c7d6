import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../drivers/durable-file.js";
import { readIfThere, writeDurably } from "./durable-file.js";

/**
 * Remembers beside a journal that part of it is lost, until somebody has drawn the consequence: a crash
 * between finding the loss and acting on it must not hide it.
 */
export class LossMark {
  private constructor(
    private readonly file: string,
    private text: string | undefined,
  ) {}

  static async open(journal: string): Promise<LossMark> {
    const file = `${journal}.lost`;
    return new LossMark(file, await readIfThere(file));
  }

  /** What is lost, in words; undefined if nothing is. */
  get reason(): string | undefined {
    return this.text;
  }

  async set(reason: string): Promise<void> {
    if (this.text !== undefined) return;
    await writeDurably(this.file, reason);
    this.text = reason;
  }

  async clear(): Promise<void> {
    await rm(this.file, { force: true });
    await syncFolder(dirname(this.file));
    this.text = undefined;
  }
}
