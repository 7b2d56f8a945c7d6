import { z } from "zod";
import type { Steps } from "./steps.js";

const found = z.object({
  answer: z.string().nullable(),
  passages: z.array(z.object({ content: z.string(), source: z.string() })),
});
type Passage = z.output<typeof found>["passages"][number];

/** A choice: more is no answer in a chat. */
const MAX_SHOWN = 3;
/** Characters of a passage. A choice: four lines of a telephone. */
const LONGEST = 240;

/** What the house knows about a topic, each statement with its source. */
export function* recall(topic: string): Steps {
  const { value } = yield { name: "search_knowledge_base", arguments: { query: topic } };
  const read = found.safeParse(value).data;
  // the search over all can be off
  if (!read) return yield* recallOfPerson(topic);
  const { answer, passages } = read;
  if (passages.length === 0) return `I know nothing about "${topic}".`;
  return answer === null ? passages.slice(0, MAX_SHOWN).map(shown).join("\n") : withSources(answer, passages);
}

const shown = ({ content, source }: Passage): string => {
  const characters = [...content.replaceAll(/\s+/g, " ").trim()];
  const text =
    characters.length <= LONGEST ? characters.join("") : `${characters.slice(0, LONGEST).join("")}…`;
  return `${text} (${source})`;
};

/** An answer names its passages by number: [1] is the first. */
function withSources(answer: string, passages: readonly Passage[]): string {
  const sources = passages
    .map(({ source }, index) => ({ mark: `[${index + 1}]`, source }))
    .filter(({ mark }) => answer.includes(mark))
    .map(({ mark, source }) => `${mark} ${source}`);
  return `${answer}\n${sources.join("\n")}`;
}

function* recallOfPerson(topic: string): Steps {
  const { error, value } = yield { name: "recall_user_context", arguments: { topic } };
  const message =
    typeof value === "object" && value !== null && "message" in value ? value.message : undefined;
  return error ? `I could not look: ${error.message}` : sentence(String(message));
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
