import { join } from "node:path";
import { z } from "zod";
import { ChildSignal, type Clock, type Millis, seconds } from "../clock.js";
import { type ToolSet, toolsIn } from "../cycle/tool-runner.js";
import { DurableFile } from "../state/state-folder.js";
import { isBeginning } from "./conversation.js";
import { Talker } from "./decider/talk.js";
import { Decider, type DeciderOptions } from "./decider.js";
import type { Asked, Model, Reply } from "./model.js";
import { ModelError } from "./model-error.js";
import { tryTools } from "./trial.js";

/**
 * How a model works. `calls`: it calls tools. `decide`: it answers once in a cycle, and the client reads and acts for it.
 */
type Style = "calls" | "decide";
export const STYLES = ["auto", "calls", "decide"] as const;
/** `auto`: the style that the model can do, found out by a test. */
export type StyleAsked = (typeof STYLES)[number];

const found = z.strictObject({
  style: z.enum(["calls", "decide"]),
  why: z.string(),
  /** The weights that were tested, if the server tells: other weights of the same name are tested again. */
  identity: z.string().nullable(),
});
type Found = z.output<typeof found>;

export const stylesFile = z.strictObject({ version: z.literal(1), models: z.record(z.string(), found) });

interface StyleParts {
  /** See Model.identity. */
  readonly identity: NonNullable<Model["identity"]>;
  readonly file: DurableFile<z.output<typeof stylesFile>>;
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/** For the provider's model itself: a wrapper does not tell its weights. `folder` is the agent's state folder. */
export const stylePartsOf = (
  model: Model,
  folder: string,
  around: Pick<StyleParts, "clock" | "say">,
): StyleParts => ({
  ...around,
  identity: (signal) => model.identity?.(signal) ?? Promise.resolve(undefined),
  file: new DurableFile(join(folder, "styles.json"), stylesFile),
});

/**
 * The style of a model: from an earlier test, or from a test now, which is kept. Undefined if the model could not be asked.
 */
export async function styleOf(
  model: Model,
  parts: StyleParts,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const known = modelsIn(parts.file)[model.name];
  const identity = await identityOf(parts, signal);
  if (known && (identity === null || known.identity === identity)) return known;
  return tryStyle(model, parts, signal, identity);
}

/** Null if the server does not tell, or not within SOON. */
export async function identityOf(
  { identity, clock }: Pick<StyleParts, "identity" | "clock">,
  signal: AbortSignal,
): Promise<string | null> {
  const [asking, waiting] = [new ChildSignal(signal), new ChildSignal(signal)];
  try {
    const told = identity(asking.signal).then((text) => text ?? null, unlessAway);
    return await Promise.race([told, clock.sleep(SOON, waiting.signal).then(() => null)]);
  } finally {
    asking.abort();
    waiting.abort();
  }
}

const SOON: Millis = seconds(10);

/** Null for a server that cannot tell; rethrows for one that is away. */
function unlessAway(error: unknown): null {
  if (error instanceof ModelError && (error.kind === "person" || error.kind === "cycle")) return null;
  throw error;
}

/** Tests a model, even if it was tested before. */
export async function tryStyle(
  model: Model,
  { file, clock, say }: StyleParts,
  signal: AbortSignal,
  identity: string | null,
): Promise<Found | undefined> {
  say(
    `${model.name} is tried with a test plant, to see whether it can call tools; this may take some minutes`,
  );
  const { canCall, why, isSure } = await tryTools(model, clock, signal);
  const tried: Found = { style: canCall ? "calls" : "decide", why, identity };
  if (!isSure) return undefined;
  file.write({ version: 1, models: { ...modelsIn(file), [model.name]: tried } });
  return tried;
}

export const inWords = ({ style, why }: Found): string =>
  style === "calls"
    ? `style "calls": ${why}`
    : `style "decide", one answer a cycle: by calls of tools, ${why}; --style calls makes it call them all the same`;

const modelsIn = (file: StyleParts["file"]): Readonly<Record<string, Found>> => {
  const held = file.read();
  return held.is === "value" ? held.value.models : {};
};

/** A model in the style that a person has set, or that a test before its first cycle has found. */
export class StyledModel implements Model {
  readonly name: string;
  private readonly decider: Decider;
  private readonly talker: Talker;
  private chosen: Style | undefined;

  constructor(
    private readonly model: Model,
    private readonly parts: StyleParts &
      DeciderOptions & { readonly style: StyleAsked; readonly tools: ToolSet },
  ) {
    this.name = model.name;
    this.decider = new Decider(model, parts);
    this.talker = new Talker(model);
    this.chosen = parts.style === "auto" ? undefined : parts.style;
  }

  /** The tools for a model that calls tools; a decider needs all. */
  get toolSet(): ToolSet | undefined {
    return this.chosen === "calls" ? this.parts.tools : undefined;
  }

  async respond(...[conversation, tools, signal, options = {}]: Asked): Promise<Reply> {
    if (isBeginning(conversation)) this.chosen ??= await this.found(signal);
    if (options.turn !== undefined && this.chosen !== "calls")
      return this.talker.respond(conversation, tools, signal, options);
    if (options.turn !== undefined) return this.model.respond(conversation, tools, signal, options);
    // without a test result the decider asks the model, and reports why it fails; the next cycle tests again
    if (this.chosen !== "calls") return this.decider.respond(conversation, tools, signal);
    return this.model.respond(conversation, toolsIn(this.parts.tools, tools), signal);
  }

  private async found(signal: AbortSignal): Promise<Style | undefined> {
    const found = await styleOf(this.model, this.parts, signal);
    if (found) this.parts.say(`${this.name} works in the ${inWords(found)}`);
    return found?.style;
  }
}
