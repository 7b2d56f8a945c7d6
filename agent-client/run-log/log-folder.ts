import { readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { EpochMillis } from "../units.js";

/** The name of a run's first file, such as 2026-06-01T12-30-00.000Z-ollama-llama3-2.jsonl: names sort by time. */
export const runName = (started: EpochMillis, model: string): string =>
  `${new Date(started).toISOString().replaceAll(":", "-")}-${model.replace(/[^\w-]+/g, "-").slice(0, 80)}.jsonl`;

/** A run that outgrows a file goes on in NAME.2.jsonl, then NAME.3.jsonl. */
export const partName = (first: string, part: number): string =>
  part === 1 ? first : first.replace(/\.jsonl$/, `.${part}.jsonl`);

const RUN = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[\w-]*)(?:\.(\d+))?\.jsonl$/;

export interface RunFile {
  readonly path: string;
  /** What all files of a run have in common. */
  readonly run: string;
  readonly part: number;
}

/** The run files of a folder, oldest first; other files are none of ours. Empty for a folder that is not there. */
export function runFiles(folder: string): readonly RunFile[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, run, part = "1"] = RUN.exec(name) ?? [];
      return run === undefined ? [] : [{ path: join(folder, name), run, part: Number(part) }];
    })
    .sort((a, b) => (a.run === b.run ? a.part - b.part : a.run < b.run ? -1 : 1));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Deletes the oldest run files until all together have at most `most` bytes; never the one at `writing`. */
export function prune(folder: string, most: number, writing: string): void {
  const files = runFiles(folder).map(({ path }) => ({ path, bytes: statSync(path).size }));
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes } of files) {
    if (total <= most) return;
    if (path === writing) continue;
    unlinkSync(path);
    total -= bytes;
  }
}
