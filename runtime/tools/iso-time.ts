import { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { excerpt, invalidArgument } from "../errors.js";
import { WallZone } from "../time-words/wall-time.js";

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** ISO 8601 in UTC with milliseconds and Z: the only form of time in a result. */
export const isoUtc = (epochMs: number): string => new Date(epochMs).toISOString();

/** The clock's time now, in the same form. */
export const isoNow = (clock: Pick<Clock, "now">): string => isoUtc(clock.now());

/**
 * Epoch milliseconds of an ISO 8601 text, in UTC unless it has an offset. Undefined for anything else, such as 30
 * February.
 */
export function parseIso(text: string): number | undefined {
  const parts = ISO.exec(text.trim());
  if (!parts) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", offset = "Z"] = parts;
  const local = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`,
  );
  const real = !Number.isNaN(local) && new Date(local).getUTCDate() === Number(day);
  const shift = offsetMs(offset);
  return real && shift !== undefined ? local - shift : undefined;
}

/** +02:00 → 7,200,000. No offset beyond ±14:00 is in use. */
function offsetMs(offset: string): number | undefined {
  if (offset.toUpperCase() === "Z") return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (hours > 14 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Epoch milliseconds of an ISO 8601 text; without an offset it is a time of this zone. Throws INVALID_ARGUMENT, which names `key`. */
export function instantIn(key: string, text: string, zone: string): number {
  const at = parseIso(text);
  if (at === undefined) {
    const got = JSON.stringify(excerpt(text));
    throw invalidArgument(`${key} is not an ISO 8601 time such as 2026-06-01T08:00 (got ${got})`);
  }
  const isDay = !text.includes(":");
  if (!isDay && OFFSET.test(text.trim())) return at;
  return new WallZone(zone).instantOf(Math.floor(at / 1000)) * 1000 + (at % 1000);
}

/** A tool parameter that is a point in time; the handler gets epoch milliseconds. */
export const isoTime = (description: string) =>
  z
    .string()
    .describe(`${description} (ISO 8601, UTC)`)
    .transform((text, ctx) => {
      const at = parseIso(text);
      if (at !== undefined) return at;
      ctx.addIssue({
        code: "custom",
        message: `is not an ISO 8601 time such as 2026-06-01T08:00:00Z (got ${JSON.stringify(excerpt(text))})`,
      });
      return z.NEVER;
    });
