import { z } from "zod";
import type { Reply } from "./model.js";

const usage = z.object({ input: z.number(), output: z.number(), cached: z.number().optional() });
const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown().optional(),
  fresh: z.literal(true).optional(),
});

/** A model's reply as it is kept in a file, one JSON object. */
export const replyJson = z.object({
  text: z.string().optional(),
  thinking: z.string().optional(),
  usage: usage.optional(),
  toolCalls: z.array(toolCall),
});

/** What a file kept is a reply again: arguments that a model left out stay out. */
export const replyIn = (kept: z.output<typeof replyJson>): Reply => kept as Reply;
