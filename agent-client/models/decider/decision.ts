import { z } from "zod";
import { parseJson } from "../../../runtime/wire/refusal.js";
import { type Millilitres, type Minutes, minutes, type Percent } from "../../clock.js";
import type { JsonSchema } from "../../link/tools.js";
import type { DurableFile } from "../../state/state-folder.js";
import { type Care, plantName } from "../caretaker/care.js";
import type { Message } from "../model.js";

export interface Offer {
  /** Always includes 0, like `light`. */
  readonly water: readonly Millilitres[];
  readonly light: readonly Minutes[];
  /**
   * Texts for the person and for later cycles; asked for only if a message of the person waits. Asked in every cycle, Qwen
   * 1.5B told the person to water a wet basil, and saved the memory that its soil was dry. Rules report faults.
   */
  readonly words: readonly ("message_to_person" | "memory")[];
  /** When to look again; not asked for with a single choice. SmolLM2 wanted to look again each hour, for ever. */
  readonly looks: readonly (keyof typeof LOOKS)[];
}

const STATES = ["healthy", "stressed", "concerning", "critical", "unknown"] as const;
/** Hours until the next look; 0: by the schedule. */
export const LOOKS = { "as usual": 0, "in 1 hour": 1, "in 3 hours": 3 } as const;

/** Characters. Choices: a Pi writes some three tokens a second, of four characters each, so answers must be short. */
const SHORT = { observation: 120, message_to_person: 300, memory: 160 };
/** Characters. A server may not enforce the schema's limits; up to this length the answer is accepted. */
const LONGEST = 1000;

const decision = z.strictObject({
  observation: z.string().max(LONGEST),
  plant_state: z.enum(STATES),
  water_ml: z.number(),
  light_minutes: z.number(),
  message_to_person: z.string().max(LONGEST).default(""),
  memory: z.string().max(LONGEST).default(""),
  next_look: z.enum(Object.keys(LOOKS) as [keyof typeof LOOKS]).default("as usual"),
});

export type Decision = z.output<typeof decision>;

/** JSON schema of the answer: all keys required, no others (for OpenAI's strict mode), amounts as enumerations. */
export function schemaFor({ water, light, words, looks }: Offer): JsonSchema {
  const properties = {
    observation: { type: "string", maxLength: SHORT.observation },
    plant_state: { type: "string", enum: STATES },
    water_ml: { type: "integer", enum: water },
    light_minutes: { type: "integer", enum: light },
    ...Object.fromEntries(words.map((name) => [name, { type: "string", maxLength: SHORT[name] }])),
    ...(looks.length > 1 && { next_look: { type: "string", enum: looks } }),
  };
  return { type: "object", additionalProperties: false, required: Object.keys(properties), properties };
}

/** Reads a decision, or says for the model what is wrong. Texts that were not asked for are dropped. */
export function readDecision(text: string, offer: Offer): Decision | { readonly problem: string } {
  const value = jsonIn(text);
  if (value === undefined) return { problem: "this is not JSON" };
  const read = decision.safeParse(value);
  if (!read.success) return { problem: z.prettifyError(read.error).replace(/\s+/g, " ") };
  const { water_ml, light_minutes } = read.data;
  const problem =
    outside("water_ml", water_ml, offer.water) ?? outside("light_minutes", light_minutes, offer.light);
  if (problem !== undefined) return { problem };
  const next_look = offer.looks.length > 1 ? read.data.next_look : "as usual";
  const silent = offer.words.length > 0 ? {} : { message_to_person: "", memory: "" };
  return { ...read.data, ...silent, next_look };
}

/** The JSON object of an answer, also with words or a fence around it; undefined for none, or for several. */
export const jsonIn = (text: string): unknown =>
  parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));

const outside = (name: string, value: number, offered: readonly number[]): string | undefined =>
  offered.includes(value) ? undefined : `${name} must be one of ${offered.join(", ")}`;

/** The facts behind a decision. */
const seen = z.strictObject({
  percent: z.number().nullable(),
  fault: z.string().nullable(),
  used_ml: z.number().nullable(),
  lamp: z.string(),
  message: z.string().nullable(),
});
type Seen = z.output<typeof seen>;

const decided = z.strictObject({
  /** Prefix of the idempotency keys: the same after a crash, so that nothing is done twice. */
  key: z.string().regex(/^[\w-]{1,64}$/),
  decision,
  seen,
});
export type Decided = z.output<typeof decided>;

/** The decision in progress, kept in the agent's folder until its cycle ends. */
export const decisionFile = z.strictObject({
  version: z.literal(1),
  plant: z.string(),
  /** Time by the runtime's clock. */
  at: z.iso.datetime(),
  decided,
});

/** Change of a reading by noise and temperature. A choice: a dose of 10 ml moves a small pot by 5. */
const NOISE: Percent = 2;
/** How long a decision is valid after a crash: as long as the runtime accepts a reading in a status. */
const GOOD_FOR = minutes(10);

export function seenIn({ facts }: Pick<Care, "facts">): Seen {
  const { soil, water, light, messages } = facts;
  return {
    percent: soil.reading?.percent ?? null,
    fault: soil.fault ?? null,
    used_ml: water?.used_ml ?? null,
    lamp: `${light?.status} ${light?.can_activate}`,
    message: messages[0]?.message_id ?? null,
  };
}

export function isChanged(then: Seen, now: Seen): boolean {
  const moved = Math.abs((then.percent ?? 0) - (now.percent ?? 0)) > NOISE;
  return (
    moved ||
    (then.fault === null) !== (now.fault === null) ||
    then.used_ml !== now.used_ml ||
    then.lamp !== now.lamp ||
    then.message !== now.message
  );
}

export const textOf = (made: Decided): string => JSON.stringify(made);

/** Whether a reply's text is a decision, which only the program reads. */
export const isDecision = (text: string): boolean => decided.safeParse(parseJson(text)).success;

export const decisionsIn = (conversation: readonly Message[]): readonly Decided[] =>
  conversation.flatMap((message) => {
    const read = message.role === "assistant" ? decided.safeParse(parseJson(message.content)) : undefined;
    return read?.success ? [read.data] : [];
  });

/** Keeps the decision of a cycle in case the client crashes. */
export class DecisionStore {
  /** `say` reports a failed write: the cycle goes on, but a crash in it would lose the decision. */
  constructor(
    private readonly file: DurableFile<z.output<typeof decisionFile>>,
    private readonly say: (text: string) => void,
  ) {}

  /** The unfinished decision for this plant from before a crash, if its facts have not changed. */
  undone(care: Care): Decided | undefined {
    const held = this.file.read();
    if (held.is !== "value" || held.value.plant !== plantName(care)) return undefined;
    const { at, decided: made } = held.value;
    const age = (care.facts.now ?? 0) - Date.parse(at);
    return age >= 0 && age <= GOOD_FOR && !isChanged(made.seen, seenIn(care)) ? made : undefined;
  }

  begin(care: Care, made: Decided): void {
    const { timestamp: at = "" } = care.facts;
    this.attempt(() => this.file.write({ version: 1, plant: plantName(care), at, decided: made }));
  }

  end(): void {
    this.attempt(() => this.file.remove());
  }

  private attempt(what: () => void): void {
    try {
      what();
    } catch (error) {
      this.say(
        `${this.file.path} cannot be written (${String(error)}): a crash in this cycle would lose its decision`,
      );
    }
  }
}
