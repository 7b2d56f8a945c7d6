import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import type { Message, Model, Reply } from "../models/model.js";

const usage = z.object({ input: z.number(), output: z.number(), cached: z.number().optional() });
const toolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown().optional(),
  fresh: z.literal(true).optional(),
});
const reply = z.object({
  text: z.string().optional(),
  thinking: z.string().optional(),
  usage: usage.optional(),
  toolCalls: z.array(toolCall),
});

/** The result of a request to a model, as a file keeps it: a reply, or why there is none. */
export const recordedReply = z.object({ reply: reply.optional(), failed: z.string().optional() });
type RecordedReply = z.output<typeof recordedReply>;

export type Asked = Parameters<Model["respond"]>;

/** Asks the model, and gives `keep` the result, unless the request was aborted. Rejects as the model, or with the signal's reason. */
export async function recorded(
  model: Model,
  asked: Asked,
  keep: (came: RecordedReply) => void,
): Promise<Reply> {
  const [, , signal] = asked;
  try {
    const given = await model.respond(...asked);
    keep({ reply: given as RecordedReply["reply"] });
    return given;
  } catch (error) {
    signal.throwIfAborted();
    keep({ failed: messageOf(error) });
    throw error;
  }
}

/** Returns the recorded reply, or throws the recorded failure. */
export function playedBack({ reply, failed }: RecordedReply): Reply {
  if (reply) return reply as Reply; // arguments may be missing, as in the model's reply
  throw new Error(failed ?? "no reply came");
}

/** The messages after the model's last reply. */
export const sinceLastReply = (conversation: readonly Message[]): readonly Message[] =>
  conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant") + 1);
