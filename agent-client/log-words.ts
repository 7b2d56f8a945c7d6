import type { z } from "zod";
import { dose, lightOn, lightStatus, reading, takenPhoto, waterUsage } from "../runtime/wire/plants.js";
import type { RefusalBody } from "../runtime/wire/refusal.js";
import type { Waiting } from "./await-approval.js";
import type { Arguments } from "./tool-runner.js";

const moisture = reading.pick({ percent: true, value: true });
const water = waterUsage.pick({ used_ml: true, remaining_ml: true });
const light = lightStatus.pick({ status: true });
const dispensed = dose.pick({ dispensed: true, remaining_24h: true });
const lit = lightOn.pick({ duration_minutes: true, off_at: true });
const photo = takenPhoto.pick({ timestamp: true });

/** The readings of a cycle in words, by tool: what a line can be made of. Undefined for any other tool or answer. */
export const READINGS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  read_moisture: (value) =>
    within(moisture, value, (m) => `moisture ${m.percent.toFixed(1)} % (raw ${grouped(m.value)})`),
  get_water_usage_24h: (value) =>
    within(water, value, (w) => `water ${short(w.used_ml)}/${short(w.used_ml + w.remaining_ml)} ml today`),
  get_light_status: (value) => within(light, value, (l) => `light ${l.status}`),
};

/** What to show where a reading failed. */
export const UNREAD: Readonly<Record<string, string>> = {
  read_moisture: "moisture unknown",
  get_water_usage_24h: "water unknown",
  get_light_status: "light unknown",
};

/** "12:30" of "2026-06-01T12:30:00.000Z". */
export type ClockTime = (timestamp: string) => string;

const DEEDS: Readonly<
  Record<string, (args: Arguments, value: unknown, clock: ClockTime) => string | undefined>
> = {
  dispense_water: (_, value) =>
    within(
      dispensed,
      value,
      (d) => `dispense_water ${short(d.dispensed)} ml → ${short(d.remaining_24h)} ml left`,
    ),
  turn_on_light: (_, value, clock) =>
    within(lit, value, (l) => `turn_on_light ${l.duration_minutes} min → off at ${clock(l.off_at)}`),
  // without its link: that opens the photo for anybody, and logs are sent on
  capture_photo: (_, value, clock) => within(photo, value, (p) => `capture_photo ${clock(p.timestamp)}`),
  send_message_to_human: ({ message }) => `send_message_to_human: ${unmarked(firstLine(String(message)))}`,
};

/** An action that succeeded. */
export const deedInWords = (tool: string, args: Arguments, value: unknown, clock: ClockTime): string =>
  DEEDS[tool]?.(args, value, clock) ?? `${tool} ${JSON.stringify(args)}`;

/** Without what Markdown marks text with: emphasis, a heading. */
export const unmarked = (text: string): string => text.replaceAll(/\*\*|__|^#+ /gm, "");

/** A call that only a person can let pass. */
export const waitInWords = (tool: string, { id, until }: Waiting): string =>
  `${tool} waits for your yes: tendril approve ${id} (until ${until})`;

/** A refusal: how long it lasts where the runtime says so, else its message. */
export function refusalInWords(tool: string, { code, message, retry_after_s: wait }: RefusalBody): string {
  if (wait === undefined) return `${tool}: ${code}, ${firstLine(message.replace(` (${code})`, ""))}`;
  return `${tool}: ${code}, ${wait < 60 ? `${wait} s` : `${Math.ceil(wait / 60)} min`} left`;
}

const within = <T>(schema: z.ZodType<T>, value: unknown, words: (read: T) => string): string | undefined => {
  const read = schema.safeParse(value);
  return read.success ? words(read.data) : undefined;
};

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
const short = (n: number): string => String(Math.round(n * 10) / 10);
const grouped = (n: number): string => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, " ");
