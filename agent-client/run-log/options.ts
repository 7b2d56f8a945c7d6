import { Option } from "commander";
import { UsageError } from "../errors.js";
import { checked } from "../options/values.js";

/** Where and how a run is written down. */
export interface LogOptions {
  readonly logDir: string;
  /** Bytes; a choice: a file that an editor still opens. A cycle of a language model takes some 50 kB. */
  readonly logSize: number;
  /** Bytes, of all runs; a choice: some months of cycles every half hour. */
  readonly logTotal: number;
  readonly logImages: boolean | undefined;
  /** A further file with the same lines, whole. */
  readonly record: string | undefined;
}

/** As the flags have it. */
export type GivenOfLog = Pick<LogOptions, "logSize" | "logTotal"> & Partial<LogOptions>;

const MEGABYTE = 1_000_000;

export const logOptions = (): Option[] => [
  new Option("--log-dir <dir>", "folder for the logs of runs; by default runs in --agent-state"),
  new Option("--log-size <MB>", "size at which a log goes on in another file")
    .argParser(checked(megabytes))
    .default(10 * MEGABYTE, "10"),
  new Option("--log-total <MB>", "of all logs; beyond it the oldest are deleted")
    .argParser(checked(megabytes))
    .default(200 * MEGABYTE, "200"),
  new Option("--log-images", "keep pictures whole in the log, and not by size and hash alone"),
  new Option("--record <file>", "write the run to this new file too, whole, such as for a bug report"),
  new Option("--playback <file>", "take the replies from a log or a record; the runtime acts on them"),
];

function megabytes(text: string): number {
  const size = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (size >= 0.1 && size <= 100_000) return size * MEGABYTE;
  throw new Error("must be a number of megabytes from 0.1 to 100000");
}

/** Throws a UsageError where not even one file would fit. */
export function assertRoom({ logSize, logTotal }: LogOptions): void {
  if (logTotal >= logSize) return;
  throw new UsageError(
    `--log-total ${logTotal / MEGABYTE} is less than one file of --log-size ${logSize / MEGABYTE}`,
  );
}
