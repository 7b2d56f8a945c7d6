import { InvalidArgumentError } from "commander";
import { hours, type Millis, minutes, seconds } from "./units.js";

const UNITS: Readonly<Record<string, Millis>> = { s: seconds(1), m: minutes(1), h: hours(1) };

/** Throws for anything but 1m to 24h. */
export function duration(text: string): Millis {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const length = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (length >= minutes(1) && length <= hours(24)) return length;
  throw new Error("must be a time from 1m to 24h, such as 30m or 1.5h");
}

export const rounds = (text: string): number => wholeNumber(text, 1000);

/** A limit of a day. */
export const limit = (text: string): number => wholeNumber(text, 1_000_000_000);

function wholeNumber(text: string, most: number): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new Error(`must be a whole number from 1 to ${most}`);
}

/** Commander wants its own error to name the option. */
export const checked =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
