import { access, constants, statfs } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "./durable-file.js";
import { storeFailed } from "./store-failed.js";

/** A choice: some journal lines, and SQLite's own file beside its database. */
const LEAST_BYTES = 262_144;
/** Written only while a failed write has not been made good: a card wears out by writes. */
const TRIAL_FILE = "trial";

/** Whether a folder can be written to, without writing to it for as long as nothing has failed. */
export class DiskWatch {
  private doubted = false;

  constructor(private readonly folder: string) {}

  /** To be called when a write has failed. */
  doubt(): void {
    this.doubted = true;
  }

  /** Rejects with STORE_FAILED: read-only, full, or still refusing what it has refused before. */
  async assertWritable(): Promise<void> {
    try {
      await access(this.folder, constants.W_OK);
      const { bavail, bsize } = await statfs(this.folder);
      if (bavail * bsize < LEAST_BYTES) throw new Error(`${bavail * bsize} bytes are left on the disk`);
    } catch (cause) {
      throw storeFailed(`the state folder ${this.folder}`, cause);
    }
    if (this.doubted) await writeDurably(join(this.folder, TRIAL_FILE), "");
    this.doubted = false;
  }
}
