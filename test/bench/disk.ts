import { readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { hours, minutes } from "../../drivers/units.js";
import { openStore, type Store } from "../../runtime/store/store.js";
import { type Figure, megabytes } from "./figures.js";
import { reading } from "./reading.js";

const DAYS = 3;
const MINUTES_A_DAY = 1440;
/** The runtime's own delay, `history.commit_within_minutes`. */
const MINUTES_A_COMMIT = 10;
const END = Date.parse("2026-06-30T12:34:56.789Z");

/** Days that lie before those that are counted: their index and roll-ups fill pages of their own for each series. */
const DAYS_BEFORE = 60;
/** A choice: so many flushes would take long, and what is counted comes after them. */
const ROWS_A_FLUSH = 10_000;

/** SQLite never syncs the index of its log, but the kernel writes it back like any file: some five pages a commit. */
const [LOG, ITS_INDEX] = ["tendril.sqlite-wal", "tendril.sqlite-shm"];
const AIM = { atMost: 10_000_000, of: "ours" } as const;

/** Bytes handed to the disk in a day of one reading a minute of each soil probe. */
export async function writeFigures(folder: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const series of [4, 16])
    for (const files of [[LOG], [LOG, ITS_INDEX]]) {
      const what = `written to disk a day, ${series} soil series${files.length > 1 ? ", with the log's index" : ""}`;
      const ours = await writtenADay(join(folder, `${series}-${files.length}`), series, files);
      figures.push({ what, ours, show: megabytes, ...(series === 4 && { aim: AIM }) });
    }
  return figures;
}

async function writtenADay(folder: string, series: number, names: readonly string[]): Promise<number> {
  const store = await openStore({ folder });
  await fillDaysBefore(store, series);
  const log = await Promise.all(names.map((name) => open(join(folder, name), "r+")));
  // the store would commit by itself after ten
  store.delayCommits({ clock: new SystemClock(), within: hours(1) });
  await writeBack(log, () => store.readings.flush());
  const before = bytesWritten();
  for (let n = 1; n <= DAYS * MINUTES_A_DAY; n += 1) {
    addEach(store, series, n);
    if (n % MINUTES_A_COMMIT === 0) await writeBack(log, () => store.readings.flush());
  }
  for (const file of log) await file.close();
  await store.close();
  return (bytesWritten() - before) / DAYS;
}

async function fillDaysBefore(store: Store, series: number): Promise<void> {
  for (let n = -DAYS_BEFORE * MINUTES_A_DAY, rows = 0; n <= 0; n += MINUTES_A_COMMIT, rows += series) {
    addEach(store, series, n);
    if (rows % ROWS_A_FLUSH < series) await store.readings.flush();
  }
  await store.readings.flush();
}

/** The nth minute of those that are counted. */
function addEach(store: Store, series: number, n: number): void {
  const at = END - (DAYS * MINUTES_A_DAY - n) * minutes(1);
  for (let plant = 1; plant <= series; plant += 1)
    store.readings.add({ ...reading(n, at), plant: `plant-${plant}` });
}

/** Ten minutes lie between two commits: the kernel has written the one back before the other dirties the same page. */
async function writeBack(log: readonly FileHandle[], commit: () => Promise<void>): Promise<void> {
  await commit();
  for (const file of log) await file.datasync();
}

/** proc_pid_io(5), write_bytes: what this process caused to be sent to the storage layer. */
export const bytesWritten = (): number =>
  Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
