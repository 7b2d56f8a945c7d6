import { statfs } from "node:fs/promises";
import { TendrilError } from "../errors.js";

/** A choice: what a runtime on the same disk needs for some days, and far more than the 256 kB without which it gives up. */
const LEFT_OVER = 16_777_216;

/** Throws NO_ROOM, before anything is written, where a folder's disk has not that much room and some to spare. */
export async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, wanted] = [bavail * bsize, bytes + LEFT_OVER];
  if (free >= wanted) return;
  const what = `${folder} has ${megabytes(free)} free, up to ${megabytes(wanted)} are needed`;
  throw new TendrilError("NO_ROOM", what, { details: { free, wanted } });
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
