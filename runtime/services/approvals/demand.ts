import type { Millis } from "../../../drivers/units.js";
import { excerpt } from "../../errors.js";
import { digest } from "../digest.js";
import type { Call } from "../tool.js";
import type { Asked, ConfirmRule } from "./table.js";

/** A call that needs a person's yes. */
export interface Demand extends Omit<Asked, "expires_at" | "cycle"> {
  /** The agent's open, cleared cycle, and the plant's time that is left of it. */
  readonly cycle?: { readonly id: number; readonly left: Millis };
  /** Tells this call from any other of this token: tool, plant and arguments. */
  readonly key: string;
}

export interface DemandParts {
  readonly tool: string;
  readonly plant: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
  readonly words: string | undefined;
  readonly rule: ConfirmRule;
  readonly call: Call;
  readonly cycle: Demand["cycle"];
}

export function demandOf({ tool, plant, args, words, rule, call, cycle }: DemandParts): Demand {
  const { name: agent } = call.identity;
  return {
    tool,
    ...(plant !== undefined && { plant }),
    arguments: args,
    words: words ?? `call ${tool} with ${excerpt(JSON.stringify(args))}`,
    agent,
    ...(call.instance !== undefined && { instance: call.instance }),
    rule,
    ...(cycle && { cycle }),
    key: keyOf({ agent, tool, plant, arguments: args }),
  };
}

/** An agent's own name is left out: it could take another one to ask again. */
export const keyOf = ({ agent, tool, plant = "", arguments: args }: KeyParts): string =>
  digest([agent, tool, plant, args]);

type KeyParts = Pick<Asked, "agent" | "tool" | "arguments"> & { readonly plant?: string | undefined };

/** "agent (pi) wants to pour 20 ml for basil". */
export function sentence({ agent, instance, words, plant }: Omit<Demand, "key"> | Asked): string {
  const who = instance === undefined ? agent : `${agent} (${instance})`;
  return `${who} wants to ${words}${plant === undefined ? "" : ` for ${plant}`}`;
}
