import type { AskOptions, Message, Model, Reply } from "../../../agent-client/models/model.js";

/** An answer as a model held to the schema would write it; `change` makes it another. */
export const answer = (change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  observation: "The soil is as the state says.",
  plant_state: "healthy",
  water_ml: 0,
  light_minutes: 0,
  message_to_person: "",
  memory: "",
  next_look: "as usual",
  ...change,
});

/** What the state's own words propose. */
export function obedient(state: string): Record<string, unknown> {
  const water = Number(/NEEDED, (\d+) ml/.exec(state)?.[1] ?? 0);
  const light = Number(/WANTED, (\d+) minutes/.exec(state)?.[1] ?? 0);
  return answer({ water_ml: water, light_minutes: light });
}

/** Stands in for a model behind a server that holds it to a schema: `decide` gives its answer to a state. */
export class DecidingModel implements Model {
  readonly name = "deciding";
  readonly states: string[] = [];
  readonly asked: { readonly conversation: readonly Message[]; readonly options: AskOptions | undefined }[] =
    [];

  constructor(
    private readonly decide: (state: string, question: number) => Record<string, unknown> | string,
  ) {}

  async respond(
    conversation: readonly Message[],
    _tools: unknown,
    _signal: AbortSignal,
    options?: AskOptions,
  ): Promise<Reply> {
    const state = conversation.find(({ role }) => role === "user")?.content ?? "";
    this.asked.push({ conversation: [...conversation], options });
    this.states.push(state);
    const decided = this.decide(state, this.asked.length);
    const text = typeof decided === "string" ? decided : JSON.stringify(decided);
    return { text, toolCalls: [], usage: { input: 400, output: 80, cached: 200 } };
  }
}
