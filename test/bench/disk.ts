import { readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { minutes } from "../../drivers/units.js";
import { openStore } from "../../runtime/store/store.js";
import { bytes, type Figure } from "./figures.js";
import { reading } from "./reading.js";

const READINGS = 14_400;
/** So many readings share a commit in the runtime, and come within as many minutes. */
const BATCH = 10;
const END = Date.parse("2026-06-30T12:34:56.789Z");

/** Bytes handed to the disk for ten days of one reading a minute. */
export async function writeFigures(folder: string): Promise<Figure[]> {
  const store = await openStore({ folder });
  const log = await open(join(folder, "tendril.sqlite-wal"), "r");
  const before = bytesWritten();
  for (let n = 1; n <= READINGS; n += 1) {
    store.readings.add(reading(n, END - (READINGS - n) * minutes(1)));
    if (n % BATCH === 0) await writeBack(log, () => store.readings.flush());
  }
  await log.close();
  await store.close();
  const each = (bytesWritten() - before) / READINGS;
  return [{ what: "written to disk per stored reading", ours: each, show: bytes }];
}

/** Ten minutes lie between two commits: the kernel has written the one back before the other dirties the same page. */
async function writeBack(log: FileHandle, commit: () => Promise<void>): Promise<void> {
  await commit();
  await log.datasync();
}

/** proc_pid_io(5), write_bytes: what this process caused to be sent to the storage layer. */
export const bytesWritten = (): number =>
  Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
