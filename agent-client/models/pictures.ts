import type { Message, Picture, ToolMessage } from "./model.js";

/** A conversation as a provider sends it: pictures stand in a message of their own. */
export type Shown = Message | PicturesMessage;

interface PicturesMessage {
  readonly role: "pictures";
  readonly content: string;
  readonly images: readonly Picture[];
}

const UNSEEN = "A picture came with this result. You cannot see pictures: decide without it.";

export const hasPictures = (conversation: readonly Message[]): boolean =>
  conversation.some((message) => message.role === "tool" && message.images !== undefined);

/**
 * Puts what came with tool results after the last answer to a reply: chat completions take pictures from users alone,
 * and nothing may stand between a reply's answers. A model that does not see is told that there was one.
 */
export function showing(conversation: readonly Message[], sees: boolean): readonly Shown[] {
  return conversation.flatMap((message, index): readonly Shown[] => {
    if (message.role !== "tool") return [message];
    const here = sees || !message.images ? message : unseen(message);
    return conversation[index + 1]?.role === "tool"
      ? [here]
      : [here, ...(sees ? shown(conversation, index) : [])];
  });
}

const unseen = (message: ToolMessage): ToolMessage => ({
  ...message,
  content: `${message.content}\n${UNSEEN}`,
});

/** The pictures of the answers that end at `last`. */
function shown(conversation: readonly Message[], last: number): readonly PicturesMessage[] {
  const begin = conversation.findLastIndex(({ role }, index) => index <= last && role !== "tool") + 1;
  const seen = conversation
    .slice(begin, last + 1)
    .flatMap((each) => (each.role === "tool" && each.images ? [each] : []));
  if (seen.length === 0) return [];
  const content = `The picture of ${seen.map(({ name }) => name).join(", then of ")}:`;
  return [{ role: "pictures", content, images: seen.flatMap(({ images = [] }) => images) }];
}
