import type { Clock } from "../drivers/ports.js";
import { harmless, inLine } from "./harmless.js";

export type Level = "debug" | "info" | "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;
export type Log = (level: Level, message: string, fields?: Fields) => void;

/** sd-daemon(3): journald reads the level from <N> at the start of a line. */
const SYSLOG_LEVEL: Record<Level, number> = { error: 3, warn: 4, info: 6, debug: 7 };

/** Writes a line for each event: time (the journal adds it under systemd), level, message, key=value fields. */
export function lineLog(clock: Clock, stream: NodeJS.WritableStream, underSystemd: boolean): Log {
  return (level, message, fields = {}) => {
    const head = underSystemd
      ? `<${SYSLOG_LEVEL[level]}>`
      : `${new Date(clock.now()).toISOString()} ${level.padEnd(5)} `;
    const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${printable(value)}`);
    stream.write(`${head}${inLine(message)}${tail.join("")}\n`);
  };
}

const printable = (value: unknown): string =>
  typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : harmless(String(JSON.stringify(value)));
