import { z } from "zod";
import { parseJson } from "../../../runtime/wire/refusal.js";
import type { JsonSchema } from "../../link/tools.js";
import type { Millilitres, Minutes } from "../../units.js";

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
