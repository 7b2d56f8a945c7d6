import { z } from "zod";
import { parseJson } from "../../../runtime/wire/refusal.js";
import type { DurableFile } from "../../state/durable-file.js";
import { minutes, type Percent } from "../../units.js";
import { type Care, plantName } from "../caretaker/care.js";
import type { Message } from "../model.js";
import { decision } from "./decision.js";

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
