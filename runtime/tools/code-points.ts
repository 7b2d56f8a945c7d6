import { z } from "zod";

/** Unicode code points, not UTF-16 units: an emoji is one. */
export function codePoints(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** A text of 1 to `longest` code points that is not all white space; without the white space around it. */
export const shortText = (longest: number, description: string) =>
  z
    .string()
    .trim()
    .min(1, { error: "is empty" })
    .refine((text) => codePoints(text) <= longest, { error: `is longer than ${longest} characters` })
    .describe(`${description}; up to ${longest} characters`);
