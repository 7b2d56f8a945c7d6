import { readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { hours, minutes } from "../../drivers/units.js";
import { openStore } from "../../runtime/store/store.js";
import { type Figure, megabytes } from "./figures.js";
import { reading } from "./reading.js";

const DAYS = 3;
const MINUTES_A_DAY = 1440;
/** The runtime's own delay, `history.commit_within_minutes`. */
const MINUTES_A_COMMIT = 10;
const END = Date.parse("2026-06-30T12:34:56.789Z");

/** Bytes handed to the disk in a day of one reading a minute of each soil probe. */
export async function writeFigures(folder: string): Promise<Figure[]> {
  const four = await writtenADay(join(folder, "four"), 4);
  const sixteen = await writtenADay(join(folder, "sixteen"), 16);
  return [
    {
      what: "written to disk a day, 4 soil series",
      ours: four,
      aim: { atMost: 10_000_000, of: "ours" },
      show: megabytes,
    },
    { what: "written to disk a day, 16 soil series", ours: sixteen, show: megabytes },
  ];
}

async function writtenADay(folder: string, series: number): Promise<number> {
  const store = await openStore({ folder });
  const log = await open(join(folder, "tendril.sqlite-wal"), "r");
  const before = bytesWritten();
  // the store would commit by itself after ten
  store.delayCommits({ clock: new SystemClock(), within: hours(1) });
  for (let n = 1; n <= DAYS * MINUTES_A_DAY; n += 1) {
    const at = END - (DAYS * MINUTES_A_DAY - n) * minutes(1);
    for (let plant = 1; plant <= series; plant += 1)
      store.readings.add({ ...reading(n, at), plant: `plant-${plant}` });
    if (n % MINUTES_A_COMMIT === 0) await writeBack(log, () => store.readings.flush());
  }
  await log.close();
  await store.close();
  return (bytesWritten() - before) / DAYS;
}

/** Ten minutes lie between two commits: the kernel has written the one back before the other dirties the same page. */
async function writeBack(log: FileHandle, commit: () => Promise<void>): Promise<void> {
  await commit();
  await log.datasync();
}

/** proc_pid_io(5), write_bytes: what this process caused to be sent to the storage layer. */
export const bytesWritten = (): number =>
  Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
