import { z } from "zod";

/** A name that the owner's files give to a plant, a person, a calendar: safe in a topic, in a path, in an id of Home Assistant. */
export const shortId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/, { error: "must be 1–32 of a–z, 0–9, _ and -, starting with a letter" });
