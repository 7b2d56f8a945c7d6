import { createReadStream, existsSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { closedAfter, syncFolder } from "../../drivers/durable-file.js";
import { notFound, TendrilError } from "../errors.js";
import { openStore, type Store } from "../store/store.js";
import { CSV_HEADER, type Format, invalidLine, isOpenQuote, parseLine, SOIL } from "./formats.js";

interface ImportOrder {
  readonly file: string;
  readonly format: Format;
  /** The state folder: it must not be there, or be empty. */
  readonly state: string;
  /** Told now and then of the share of the file that is read, from 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/** So many rows share a commit. A choice: a few hundred kilobytes in memory. */
const COMMIT = 2000;

/** Where an import works until it is complete: a kill leaves a folder of that name, and no state folder. */
const unfinished = (state: string): string => `${state}.importing`;

/**
 * Makes a state folder with the rows of an export, and gives their number. It appears under its name when it is complete. Throws
 * IMPORT_REFUSED where the folder is in use or an import was cut off, NOT_FOUND, IMPORT_INVALID: then nothing is there.
 */
export async function importRows(order: ImportOrder): Promise<number> {
  const { file, state } = order;
  const { size } = await stat(file).catch(() => {
    throw notFound(`there is no file ${file}`);
  });
  await assertEmpty(state);
  const stage = unfinished(state);
  try {
    const count = await fill(order, stage, size);
    await rename(stage, state);
    await syncFolder(dirname(state));
    return count;
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
}

async function assertEmpty(state: string): Promise<void> {
  const stage = unfinished(state);
  if (existsSync(stage))
    throw new TendrilError(
      "IMPORT_REFUSED",
      `an import into ${state} was cut off or still runs: ${stage} is there, and may be removed if no import runs`,
    );
  if (existsSync(state) && (await readdir(state)).length > 0)
    throw new TendrilError("IMPORT_REFUSED", `${state} is not empty, and nothing of it was changed`);
}

async function fill({ file, format, onProgress }: ImportOrder, stage: string, size: number): Promise<number> {
  return closedAfter(await openStore({ folder: stage }), async (store) => {
    const input = createReadStream(file);
    let count = 0;
    for await (const { line, number } of linesOf(input, format)) {
      add(store, parseLine(line, format, number));
      count += 1;
      if (count % COMMIT > 0) continue;
      await flush(store);
      onProgress(input.bytesRead / size);
    }
    await flush(store);
    return count;
  });
}

/** Without the header; a quoted field of CSV may have line breaks. */
async function* linesOf(input: NodeJS.ReadableStream, format: Format) {
  let [number, open] = [0, ""];
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (isHeader(line, number, format)) continue;
    const whole = open + line;
    const goesOn = format === "csv" && isOpenQuote(whole);
    open = goesOn ? `${whole}\n` : "";
    if (!goesOn) yield { line: whole, number };
  }
  if (number === 0) throw invalidLine(1, "the file is empty");
  if (open !== "") throw invalidLine(number, "the file ends within quotes");
}

function isHeader(line: string, number: number, format: Format): boolean {
  if (format !== "csv" || number > 1) return false;
  if (line !== CSV_HEADER) throw invalidLine(1, `the header must be ${CSV_HEADER}`);
  return true;
}

function add(store: Store, row: ReturnType<typeof parseLine>): void {
  const at = Date.parse(row.time_utc);
  if (row.quantity === SOIL) {
    const { place: plant, value: percent, raw: value, noise, level } = row;
    store.readings.add({ plant, at, value, percent, noise, level });
    return;
  }
  const { place, quantity, value, quality } = row;
  store.measurements.add({ place, quantity, at, value, quality });
}

const flush = (store: Store) => Promise.all([store.readings.flush(), store.measurements.flush()]);
