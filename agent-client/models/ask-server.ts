import { parseJson } from "../../runtime/wire/refusal.js";
import { type Answer, assertToolsSeen, questionOf, replyTo } from "./conversation.js";
import type { Environment } from "./http.js";
import type { Asked, Question, Reply, Usage } from "./model.js";
import { attempt, cutOff, ModelError, UnfitAnswer, type Wording } from "./model-error.js";
import { assertNoError } from "./read-reply.js";

/** A model as a person chose it. */
export interface Chosen {
  /** PROVIDER:NAME. */
  readonly name: string;
  readonly provider: string;
  /** NAME alone. */
  readonly model: string;
  readonly env: Environment;
  /** What `--vision` says. Undefined: as the provider knows. */
  readonly sees: boolean | undefined;
  /** Most tokens of one reply. */
  readonly replyTokens: number;
}

export interface Server {
  readonly wording: Wording;
  /**
   * Whether it is the provider's own, whose models the provider knows. Another one may run any model: one that sees no
   * pictures, or whose template drops the tools.
   */
  readonly isOwn: boolean;
}

/** What differs between the APIs. */
interface Api {
  send(question: Question, signal: AbortSignal): Promise<unknown>;
  /** Undefined: the answer is not in the form of this API. */
  read(answer: unknown): Answer | undefined;
}

/** Asks a server once. Rejects with the signal's reason, or with a ModelError if the answer is no usable reply. */
export function askServer(
  [conversation, tools, signal, options = {}]: Asked,
  chosen: Chosen,
  server: Server,
  { send, read }: Api,
): Promise<Reply> {
  const question = questionOf(conversation, tools, options);
  return attempt(signal, server.wording, async (own) => {
    const sent = await send(question, own);
    const body = typeof sent === "string" ? parseJson(sent) : sent;
    assertNoError(body);
    const answer = read(body);
    if (!answer) throw OF_ANOTHER_API;
    return usable(answer, question, chosen, server);
  });
}

const OF_ANOTHER_API = new UnfitAnswer(
  "person",
  ({ server, toReach }) => `${server} does not answer with a reply in the form of its API: ${toReach}`,
);

function usable(answer: Answer, question: Question, chosen: Chosen, server: Server): Reply {
  const { conversation, tools } = question;
  const reply = replyTo(conversation, answer);
  if (!server.isOwn && answer.countsAll !== false)
    assertToolsSeen({ name: chosen.name, conversation, tools }, reply);
  if (answer.end) throw unusable(answer.end, reply.usage, chosen, server);
  return reply;
}

function unusable(
  end: NonNullable<Answer["end"]>,
  usage: Usage | undefined,
  { name, replyTokens: limit }: Chosen,
  { wording: { server } }: Server,
): ModelError {
  if (end === "cut") return cutOff({ server, name, limit }, usage);
  const words = `${server} ended ${name}'s reply ${end.words}: if it comes often, take another model`;
  return new ModelError(words, end.kind, { usage });
}
