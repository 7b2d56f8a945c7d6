import type { Millis } from "../../../drivers/units.js";
import { excerpt } from "../../errors.js";
import type { Intent } from "../../tools/approval-gate.js";
import { digest } from "../../tools/digest.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Planned } from "../../tools/tool.js";
import type { Asked, ConfirmRule } from "./table.js";

/** A call that needs a person's yes. */
export interface Demand extends Omit<Asked, "expires_at" | "cycle"> {
  /** The agent's open, cleared cycle, and the plant's time that is left of it. */
  readonly cycle?: { readonly id: number; readonly left: Millis };
  /** Tells this call from any other of this token: tool, plant and arguments. */
  readonly key: string;
}

/** The plant that the call is about, if it is about one. */
export const plantOf = ({ tool, context }: Intent): string | undefined =>
  tool.perPlant === true ? context.plant : context.named;

export function demandOf(intent: Intent, rule: ConfirmRule, cycle: PlannedCycle | undefined): Demand {
  const { tool, args, context } = intent;
  const { identity, instance } = context.call;
  const plant = plantOf(intent);
  const words = tool.confirmation?.words(args) ?? `call ${tool.name} with ${excerpt(JSON.stringify(args))}`;
  return {
    tool: tool.name,
    ...(plant !== undefined && { plant }),
    arguments: args,
    words,
    agent: identity.name,
    ...(instance !== undefined && { instance }),
    rule,
    ...(cycle && { cycle: { id: cycle.id, left: cycle.left } }),
    ...(cycle && plant !== undefined && rule === "once_per_cycle" && { scope: scopeOf(tool, plant, cycle) }),
    key: keyOf({ agent: identity.name, tool: tool.name, plant, arguments: args }),
  };
}

/** An agent's open, cleared cycle. */
export type PlannedCycle = NonNullable<Demand["cycle"]> & { readonly planned: Planned };

const scopeOf = ({ name, confirmation }: Intent["tool"], plant: string, { planned }: PlannedCycle): string =>
  confirmation?.scope?.(plant, planned) ?? `every ${name} for ${plant} in this cycle`;

/** What is journalled and shown of it. */
export function askedOf({ key: _, cycle, ...demand }: Demand, expiresAt: number): Asked {
  return { ...demand, ...(cycle && { cycle: cycle.id }), expires_at: isoUtc(expiresAt) };
}

/** An agent's own name is left out: it could take another one to ask again. */
export const keyOf = ({ agent, tool, plant = "", arguments: args }: KeyParts): string =>
  digest([agent, tool, plant, args]);

type KeyParts = Pick<Asked, "agent" | "tool" | "arguments"> & { readonly plant?: string | undefined };

/** The sentence, and how far a yes goes where that is further than this call. */
export const question = (demand: Omit<Demand, "key">): string =>
  demand.scope === undefined ? sentence(demand) : `${sentence(demand)}; a yes holds for ${demand.scope}`;

/** "agent (pi) wants to pour 20 ml for basil". */
export function sentence({ agent, instance, words, plant }: Omit<Demand, "key"> | Asked): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return `${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`;
}
