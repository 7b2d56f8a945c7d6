import { z } from "zod";
import { parseJson } from "../../../runtime/wire/refusal.js";
import type { JsonSchema } from "../../link/tools.js";
import type { DurableFile } from "../../state/durable-file.js";
import type { Millilitres, Minutes } from "../../units.js";
import { minutes, type Percent } from "../../units.js";
import { type Care, plantName } from "../caretaker/care.js";
import type { Message } from "../model.js";

/** What may be answered in this cycle. */
export interface Offer {
  /** 0 is always among it, here as in `light`. */
  readonly water: readonly Millilitres[];
  readonly light: readonly Minutes[];
  /**
   * Words for the person, and for later cycles: asked for only where a message of the person waits. Qwen 1.5B, asked in every
   * cycle, told the person to water a wet basil, and had itself remember that its soil was dry. Faults are told by rules.
   */
  readonly words: readonly ("message_to_person" | "memory")[];
  /** When to look again; one choice is none, and is not asked for. SmolLM2 wanted to look again each hour, for ever. */
  readonly looks: readonly (keyof typeof LOOKS)[];
}

const STATES = ["healthy", "stressed", "concerning", "critical", "unknown"] as const;
/** Hours until the next look, by the word for it; 0: the next one comes by the schedule. */
export const LOOKS = { "as usual": 0, "in 1 hour": 1, "in 3 hours": 3 } as const;

/** Characters. Short answers come fast: a Pi writes some three tokens a second, of four characters each. Choices. */
const SHORT = { observation: 120, message_to_person: 300, memory: 160 };
/** Characters. A server that does not hold a model to the schema may let it write more; this much is still an answer. */
const LONGEST = 1000;

export const decision = z.strictObject({
  observation: z.string().max(LONGEST),
  plant_state: z.enum(STATES),
  water_ml: z.number(),
  light_minutes: z.number(),
  message_to_person: z.string().max(LONGEST).default(""),
  memory: z.string().max(LONGEST).default(""),
  next_look: z.enum(Object.keys(LOOKS) as [keyof typeof LOOKS]).default("as usual"),
});

/** A model's one answer in a cycle. */
export type Decision = z.output<typeof decision>;

/** JSON schema of the answer: all keys required, no others (what OpenAI's strict mode wants), amounts by enumeration. */
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

/** The decision in a model's words, or what is wrong with them, for the model to read. Words nobody asked for are left out. */
export function readDecision(text: string, offer: Offer): Decision | { readonly problem: string } {
  const value = parseJson(text.trim());
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

const outside = (name: string, value: number, offered: readonly number[]): string | undefined =>
  offered.includes(value) ? undefined : `${name} must be one of ${offered.join(", ")}`;

/** What a decision rests on. */
const seen = z.strictObject({
  percent: z.number().nullable(),
  fault: z.string().nullable(),
  used_ml: z.number().nullable(),
  lamp: z.string(),
  /** The person's newest message. */
  message: z.string().nullable(),
});
type Seen = z.output<typeof seen>;

const decided = z.strictObject({
  /** The beginning of the idempotency keys of what it does: the same after a crash, so that nothing is done twice. */
  key: z.string().regex(/^[\w-]{1,64}$/),
  decision,
  seen,
});
export type Decided = z.output<typeof decided>;

/** The decision that is being carried out, as it lies in the agent's folder until its cycle ends. */
export const decisionFile = z.strictObject({
  version: z.literal(1),
  plant: z.string(),
  /** By the runtime's clock. */
  at: z.iso.datetime(),
  decided,
});

/** A reading moves by noise and by the room's warmth; more than this is news. A choice: a dose of 10 ml moves a small pot by 5. */
const NOISE: Percent = 2;
/** How long a decision outlives the crash of the client: the runtime believes a reading for so long (CONTRACT.md). */
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

/** Whether what was seen then is no longer so. */
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

/** The text of the reply that holds a decision. */
export const textOf = (made: Decided): string => JSON.stringify(made);

/** Whether a reply's text is a decision, which is for the program to read. */
export const isDecision = (text: string): boolean => decided.safeParse(parseJson(text)).success;

/** The decisions of this cycle, oldest first. */
export const decisionsIn = (conversation: readonly Message[]): readonly Decided[] =>
  conversation.flatMap((message) => {
    const read = message.role === "assistant" ? decided.safeParse(parseJson(message.content)) : undefined;
    return read?.success ? [read.data] : [];
  });

/** Keeps the decision of a cycle through a crash of the client. */
export class DecisionStore {
  /** `say` is told where the disk refuses: the cycle goes on, and only a crash in it would be forgotten. */
  constructor(
    private readonly file: DurableFile<z.output<typeof decisionFile>>,
    private readonly say: (text: string) => void,
  ) {}

  /** The decision for this plant that a crash left undone, if all that it rests on is still so. */
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
        `${this.file.path} cannot be written (${String(error)}): a crash in this cycle would be forgotten`,
      );
    }
  }
}
