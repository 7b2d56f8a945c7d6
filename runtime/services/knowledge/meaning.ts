import { unlessAborted } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";
import { errorBody, TendrilError } from "../../errors.js";
import type { Log } from "../../log.js";
import type { PassageIndex } from "../../store/passage-index.js";
import { type BarePassage, likeness, type PassageVectors, type Vector } from "../../store/passage-vectors.js";
import { type EmbedAnswer, embedAnswer, MAX_TEXTS } from "../../wire/models.js";
import { BRIDGE_ERRORS, type JobKind } from "../bridge/job.js";
import type { Jobs, RunJob } from "../bridge/jobs.js";
import type { ModelConfig } from "./declarations.js";
import { ModelTries } from "./model-tries.js";

const EMBED: Omit<JobKind<EmbedAnswer>, "within"> = {
  adapter: "embedding",
  what: "embed",
  effects: false,
  // sixteen vectors of the longest kind in base64
  most: 100_000,
  answer: embedAnswer,
};
/** A choice: somebody waits, and a model that is not in memory yet takes some seconds. */
const FOR_A_QUESTION: Millis = seconds(10);
/** A choice: a Pi's processor makes vectors of sixteen passages in half of it. */
const FOR_PASSAGES: Millis = minutes(2);
/** A choice: how often the log tells how far it is. */
const PROGRESS_EVERY = 5000;

/** Questions, each with its answer. What a model says of them tells how alike texts are that have to do with each other. */
const PAIRS: readonly (readonly [string, string])[] = [
  [
    "How often does the ivy need water?",
    "Ivy is watered when the top of its soil is dry, about once a week.",
  ],
  ["Where are the batteries?", "Batteries are in the drawer below the telephone."],
  ["¿Cuándo llega el cartero?", "El correo pasa por la mañana, hacia las once."],
  ["¿Qué le gusta desayunar a Luis?", "Luis toma tostadas con tomate por la mañana."],
  ["Wie wird der Ofen gereinigt?", "Den Backofen mit Natron einreiben, eine Stunde warten und auswischen."],
  ["Wann hat Clara Geburtstag?", "Clara ist am dritten August geboren."],
  ["Who repairs the bicycle?", "The workshop at the station mends bikes until six."],
  ["What is wrong with the roses?", "There are black spots on the rose leaves: a fungus."],
];
/** How far between unrelated (0) and related (1) a passage has to be. A choice, tried on the questions of test/services/knowledge. */
const LEAST = 0.65;
/** A choice: a model whose related texts are no more alike than this beyond others cannot be used. */
const LEAST_DIFFERENCE = 0.05;

export interface MeaningState {
  /** Whether this answer was also searched by meaning. */
  readonly used: boolean;
  /** Passages that can only be found by words so far. */
  readonly waiting: number;
  /** Why it was not used. */
  readonly reason?: string;
}

/** Of this run, once the model has answered. */
interface Standard {
  readonly length: number;
  /** The cosine that a passage must have. */
  readonly least: number;
}

interface MeaningParts {
  readonly config: ModelConfig;
  readonly jobs: Jobs;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Vectors of questions and passages, from the model that the configuration names. Each failure leaves the search by words. */
export class Meaning {
  private readonly askForQuestion: RunJob<EmbedAnswer>;
  private readonly askForPassages: RunJob<EmbedAnswer>;
  private readonly closing = new AbortController();
  private readonly tries: ModelTries;
  private vectors: Promise<PassageVectors> | undefined;
  private standard: Promise<Standard> | undefined;
  private filling: Promise<void> | undefined;
  /** Passages in one job: fewer for a model that was too slow. */
  private batch = MAX_TEXTS;

  constructor(private readonly parts: MeaningParts) {
    this.askForQuestion = parts.jobs.open({ ...EMBED, within: FOR_A_QUESTION });
    this.askForPassages = parts.jobs.open({ ...EMBED, within: FOR_PASSAGES });
    this.tries = new ModelTries({
      ...{ jobs: parts.jobs, clock: parts.clock, log: parts.log, reasons: REASONS },
      without: "knowledge is searched by words alone",
      ...{ model: "the embedding model", server: "the embedding model's server", key: "embedding" },
    });
  }

  /** What the index needs to search by meaning; undefined, and a reason in `state`, if that cannot be now. Never rejects. */
  async near(index: PassageIndex, words: string): Promise<Parameters<PassageIndex["search"]>[1]["near"]> {
    return this.tries.tried(async () => {
      const standard = await this.standardOf(await this.open(index));
      const [vector] = await this.embed([words], this.askForQuestion, standard.length);
      return vector && { vector, least: standard.least };
    });
  }

  /** Makes the vectors that are missing, in the background. */
  fill(index: PassageIndex): void {
    if (this.closing.signal.aborted) return;
    this.filling ??= this.tries
      .tried(() => this.fillAll(index))
      .finally(() => {
        this.filling = undefined;
      });
  }

  async state(index: PassageIndex, used: boolean): Promise<MeaningState> {
    const waiting = await (await this.open(index)).waiting();
    const { reason = "there is no vector of the question" } = this.tries;
    return used ? { used, waiting } : { used, waiting, reason };
  }

  /** Waits for no answer of the bridge. */
  async close(): Promise<void> {
    this.tries.close();
    this.closing.abort();
    await this.filling;
    await this.vectors?.catch(() => undefined); // whoever asked was told
  }

  private open(index: PassageIndex): Promise<PassageVectors> {
    const { provider, model, private: isForPrivate } = this.parts.config;
    this.vectors ??= index.useVectors(`${provider} ${model}`, isForPrivate).catch((error: unknown) => {
      this.vectors = undefined;
      throw error;
    });
    return this.vectors;
  }

  private async fillAll(index: PassageIndex): Promise<void> {
    const vectors = await this.open(index);
    const all = await vectors.waiting();
    if (all === 0) return;
    const { length } = await this.standardOf(vectors);
    for (let made = 0; !this.closing.signal.aborted; ) {
      const bare = await vectors.bare(this.batch);
      if (bare.length === 0) return this.tell(made);
      const found = await this.vectorsFor(bare, length).catch((error: unknown) => {
        if (isTooSlow(error)) this.batch = Math.ceil(this.batch / 4);
        throw error;
      });
      await vectors.put(bare.map((each, at) => ({ ...each, vector: found[at] })));
      made += bare.length;
      if (made % PROGRESS_EVERY < MAX_TEXTS) this.tell(made, all);
    }
  }

  /** A few are no news: they come with what is written down. */
  private tell(made: number, of = made): void {
    if (made > MAX_TEXTS)
      this.parts.log("info", `knowledge: ${made} of ${of} passages have got their vectors`);
  }

  /** A text that the model refuses must not keep the others from theirs: then each is asked for alone. */
  private async vectorsFor(
    bare: readonly BarePassage[],
    length: number,
  ): Promise<readonly (Vector | undefined)[]> {
    const texts = bare.map(({ text }) => text);
    const ask = (some: readonly string[]) => this.embed(some, this.askForPassages, length);
    const all = await ask(texts).catch(ifRefused);
    if (all) return all;
    const found: (Vector | undefined)[] = [];
    for (const text of texts) found.push((await ask([text]).catch(ifRefused))?.[0]);
    // if it takes nothing, the model is at fault, and this rejects
    if (found.every((each) => each === undefined)) await ask([PAIRS[0]?.[0] ?? ""]);
    return found;
  }

  /** How alike related texts are for this model. Where the model gives another length than before, all vectors are made anew. */
  private standardOf(vectors: PassageVectors): Promise<Standard> {
    this.standard ??= this.measure(vectors).catch((error: unknown) => {
      this.standard = undefined;
      throw error;
    });
    return this.standard;
  }

  private async measure(vectors: PassageVectors): Promise<Standard> {
    const found = await this.embed(PAIRS.flat(), this.askForQuestion);
    const length = found[0]?.length ?? 0;
    const former = await vectors.length();
    if (former !== undefined && former !== length) await vectors.dropAll();
    const likenesses = PAIRS.flatMap((_, a) =>
      PAIRS.map((_, b) => ({ isPair: a === b, alike: likeness(at(found, 2 * a), at(found, 2 * b + 1)) })),
    );
    const mean = (isPair: boolean) => {
      const some = likenesses.filter((each) => each.isPair === isPair);
      return some.reduce((sum, { alike }) => sum + alike, 0) / some.length;
    };
    const [related, unrelated] = [mean(true), mean(false)];
    if (related - unrelated < LEAST_DIFFERENCE)
      throw failure("MODEL_USELESS", "the model does not tell which texts have to do with each other");
    return { length, least: unrelated + LEAST * (related - unrelated) };
  }

  /** Throws what a job throws, and JOB_FAILED where the answer does not fit. */
  private async embed(
    texts: readonly string[],
    ask: RunJob<EmbedAnswer>,
    length?: number,
  ): Promise<Vector[]> {
    const { provider, model } = this.parts.config;
    this.closing.signal.throwIfAborted();
    const asked = ask({ provider, model, texts }, "make vectors of texts");
    const { vectors } = await unlessAborted(asked, this.closing.signal);
    const read = vectors.map((each) => Int8Array.from(Buffer.from(each, "base64").map((byte) => byte)));
    const wanted = length ?? read[0]?.length;
    if (read.length !== texts.length || read.some((each) => each.length !== wanted))
      throw failure("OTHER_LENGTH", `the model gives not ${texts.length} vectors of ${wanted} numbers`);
    return read;
  }
}

const failure = (cause: string, what: string): TendrilError =>
  new TendrilError(BRIDGE_ERRORS.JOB_FAILED, what, { details: { cause } });

function at(vectors: readonly Vector[], number: number): Vector {
  const vector = vectors[number];
  if (!vector) throw new Error("a vector is missing");
  return vector;
}

/** What can be the text's own fault: too long for the model, say. */
const REFUSALS = ["ANSWER_CHANGED", "NOT_UNDERSTOOD", "HTTP_400", "HTTP_413", "HTTP_422", "HTTP_500"];

function ifRefused(error: unknown): undefined {
  if (!REFUSALS.includes(String(errorBody(error).details?.cause))) throw error;
}

function isTooSlow(error: unknown): boolean {
  const { code, details } = errorBody(error);
  return code === "JOB_UNANSWERED" || details?.cause === "TOO_SLOW";
}

const REASONS: Readonly<Record<string, string>> = {
  MODEL_USELESS: "the model does not tell which texts have to do with each other",
  OTHER_LENGTH: "the model gives vectors of another length than before",
};
