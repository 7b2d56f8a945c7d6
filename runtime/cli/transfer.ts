import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Format } from "../transfer/formats.js";
import { counted } from "../wire/phrases.js";
import { wrongUse } from "./failure.js";
import { print } from "./print.js";

interface ExportOptions {
  readonly state: string;
  readonly format: Format;
  readonly from?: number;
  readonly until?: number;
  readonly plant: readonly string[];
  readonly quantity: readonly string[];
  readonly to?: string;
}

/** Writes what was measured to a file, which appears when it is complete, or to standard output. */
export async function exportHistory(options: ExportOptions): Promise<void> {
  const { exportLines } = await import("../transfer/export.js");
  const { state, format, from, until, plant: places, quantity: quantities, to } = options;
  const range = { ...(from !== undefined && { from }), ...(until !== undefined && { to: until }) };
  const onProgress = to === undefined && process.stdout.isTTY ? noProgress : showProgress;
  const lines = exportLines({ state, format, ...range, places, quantities, onProgress });
  if (to === undefined)
    return pipeline(Readable.from(lines), process.stdout, { end: false }).finally(endProgress);
  const part = `${resolve(to)}.part`;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600, flush: true }));
    await rename(part, resolve(to));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    endProgress();
  }
}

interface ImportOptions {
  readonly state: string;
  readonly format?: Format;
}

export async function importHistory(file: string, { state, format }: ImportOptions): Promise<void> {
  const { importRows } = await import("../transfer/import.js");
  const order = { file: resolve(file), format: format ?? formatOf(file), state, onProgress: showProgress };
  const count = await importRows(order).finally(endProgress);
  print(`${counted(count, "row")} are in ${state}`);
}

function formatOf(file: string): Format {
  if (file.endsWith(".csv")) return "csv";
  if (file.endsWith(".jsonl")) return "jsonl";
  throw wrongUse(`the name of ${file} does not tell its format: name it with --format`);
}

const WIDTH = 30;

/** On a terminal alone: standard error of a script gets no bars. */
function showProgress(done: number): void {
  if (!process.stderr.isTTY) return;
  const filled = Math.round(done * WIDTH);
  process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.round(done * 100)} %`);
}

/** Rows on the terminal are progress enough, and a bar would run into them. */
const noProgress = (): void => undefined;

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K"); // ECMA-48, EL
}
