import { z } from "zod";
import { statusResult } from "../../../runtime/wire/plants.js";
import type { Objections } from "./plan.js";
import { allOf, type Exchange } from "./transcript.js";

const step = z.object({ action: z.enum(["water", "light"]), value: z.number() });
const sequence = z.array(step);

export type Step = z.output<typeof step>;

/** One status and two corrections: what the runtime still refuses then, a person has to look at. */
const MOST_ATTEMPTS = 3;

/** How the plant status of this cycle fared. */
export interface Gate {
  /** What the cleared status announced; undefined while none was cleared. */
  readonly plan: readonly Step[] | undefined;
  /** Why statuses were refused, in order. */
  readonly refusals: readonly string[];
  readonly mayTryAgain: boolean;
}

/** The plan acted on is the one that was cleared: it is read back from that very call. */
export function gateOf(exchanges: readonly Exchange[]): Gate {
  const writes = allOf(exchanges, "write_plant_status");
  const last = writes.at(-1);
  const cleared = statusResult.safeParse(last?.value).data?.proceed === true;
  return {
    plan: cleared ? (sequence.safeParse(last?.args.next_action_sequence).data ?? []) : undefined,
    refusals: writes.flatMap(refusal),
    mayTryAgain: !cleared && writes.length < MOST_ATTEMPTS,
  };
}

function refusal({ value, error }: Exchange): string[] {
  const { proceed, reason } = statusResult.safeParse(value).data ?? {};
  if (proceed === false && reason !== undefined) return [reason];
  return error ? [error.message] : [];
}

/** What to leave out of the next status: first what the last reason asks for, in the end everything. */
export function objectionsIn({ refusals }: Gate): Objections {
  const reason = refusals.at(-1) ?? "";
  const everything = refusals.length >= MOST_ATTEMPTS - 1;
  return {
    water: everything || /\bwithout water\b/i.test(reason),
    light: everything || /\bwithout (?:water and )?light\b/i.test(reason),
  };
}
