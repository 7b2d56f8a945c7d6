import type { Clock } from "../drivers/ports.js";
import { minutes } from "../drivers/units.js";

export type Level = "debug" | "info" | "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;
export type Log = (level: Level, message: string, fields?: Fields) => void;

/** sd-daemon(3): journald reads the level from <N> at the start of a line. */
const SYSLOG_LEVEL: Record<Level, number> = { error: 3, warn: 4, info: 6, debug: 7 };

/** A choice: who does the same again and again (`POST /off` needs no token) does not fill the disk. */
const REPEATED_EVERY = minutes(1);

/** A choice: lines that all differ cost no more memory than this many. */
const MOST_WATCHED = 1_000;

/**
 * Writes a line for each event: time (the journal adds it under systemd), level, message, key=value fields. The same line is written
 * at once, and then once a minute with how often it came again.
 */
export function lineLog(clock: Clock, stream: NodeJS.WritableStream, underSystemd: boolean): Log {
  /** How often a line came again since it was written last. */
  const again = new Map<string, number>();
  const write = (level: Level, line: string) => {
    const head = underSystemd
      ? `<${SYSLOG_LEVEL[level]}>`
      : `${new Date(clock.now()).toISOString()} ${level.padEnd(5)} `;
    stream.write(`${head}${line}\n`);
  };
  return (level, message, fields = {}) => {
    const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${printable(value)}`);
    const line = inLine(message) + tail.join("");
    const key = level + line;
    const before = again.get(key);
    if (before !== undefined) return void again.set(key, before + 1);
    write(level, line);
    const watch = () => {
      again.set(key, 0);
      clock.after(REPEATED_EVERY, () => {
        const times = again.get(key);
        if (!times) return void again.delete(key);
        write(level, `${line} (${times} more within a minute)`);
        watch();
      });
    };
    if (again.size < MOST_WATCHED) watch();
  };
}

const printable = (value: unknown): string =>
  typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : harmless(String(JSON.stringify(value)));

/**
 * Characters of an agent's or a device's text that could control the person's terminal: control characters but for the
 * line feed (ECMA-48), and all that reorders text (Unicode, UAX #9), hides in a line or ends it: U+202E shows "20 ml"
 * as "lm 02". The joiner is allowed, because it makes one sign of several emoji.
 */
const STEERING = /(?![\n\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const harmless = (text: string): string => text.replaceAll(STEERING, "\u{fffd}");

/** A foreign text on one line, so that it cannot imitate a line of ours. */
export const inLine = (text: string): string => harmless(text.replaceAll("\n", "\\n"));
