import { existsSync } from "node:fs";
import { VERSION } from "../../runtime/wire/version.js";
import type { Calendar, Clock } from "../clock.js";
import { UsageError } from "../errors.js";
import type { RunStart } from "./lines.js";
import { LogFile, RotatedLog, type Trouble } from "./log-file.js";
import { runName } from "./log-folder.js";
import type { LogOptions } from "./options.js";
import { lostLines, RunLog, runStart } from "./run-log.js";
import { withoutSecrets } from "./secrets.js";

export interface Beginning {
  readonly start: Pick<RunStart, "model" | "url" | "options">;
  readonly clock: Clock & Calendar;
  /** What must never be written. */
  readonly secrets: readonly (string | undefined)[];
  readonly onTrouble: Trouble;
}

/** Begins the log of a run, and its record where one is asked for. Throws a UsageError for a record that is there already. */
export function openRunLog(options: LogOptions, { start, clock, secrets, onTrouble }: Beginning): RunLog {
  const clean = withoutSecrets(secrets);
  const first = clean(runStart({ ...start, version: VERSION, url: bare(start.url) }, clock));
  const { logDir, logSize, logTotal, logImages = false, record } = options;
  const lost = (lines: number) => lostLines(lines, clock);
  const name = runName(clock.now(), start.model);
  const limits = { file: logSize, total: logTotal };
  const sinks = [
    ...(record === undefined ? [] : [recordAt(record, first, lost, onTrouble)]),
    new RotatedLog(logDir, name, limits, first, lost, onTrouble),
  ];
  return new RunLog({ sinks, clock, clean, images: logImages });
}

function recordAt(path: string, first: string, lost: (lines: number) => string, onTrouble: Trouble): LogFile {
  if (existsSync(path)) throw new UsageError(`--record ${path}: the file is there already, name another`);
  const file = new LogFile(path, lost, onTrouble);
  file.write(first);
  return file;
}

/** Without a user, a password or a query, which may hold a token. */
function bare(url: string): string {
  if (!URL.canParse(url)) return "";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
