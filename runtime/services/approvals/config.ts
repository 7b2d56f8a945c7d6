import { z } from "zod";
import type { Tool } from "../../tools/tool.js";

/** `once per cycle` is how people write it. */
const RULES = {
  always: "always",
  once_per_cycle: "once_per_cycle",
  "once per cycle": "once_per_cycle",
  never: "never",
} as const;

const rule = z
  .enum(Object.keys(RULES) as (keyof typeof RULES)[], {
    error: 'must be "always", "once_per_cycle" or "never"',
  })
  .transform((written) => RULES[written]);

/** Keys of the configuration that say which calls of agents wait for a person's yes. */
export const approvalConfig = {
  confirm: z
    .record(z.string(), rule, {
      error: ({ code }) =>
        code === "invalid_type" ? "must be a mapping: confirm: { dispense_water: always }" : undefined,
    })
    .default({})
    .describe("calls of agents that wait for a person's yes, by tool: always, once_per_cycle or never"),
  // a cycle lasts half an hour at most: later, a yes would come too late
  confirm_within_minutes: z
    .number()
    .min(0.1)
    .max(30)
    .default(5)
    .describe("how long a request waits, in real time; unanswered counts as no"),
  confirm_by: z
    .enum(["person", "client"])
    .default("person")
    .describe(
      "whose yes counts: a person's with a human token, or also that of the client that asks (a desktop app)",
    ),
};

type Declared = Pick<Tool, "name" | "role" | "facts" | "perPlant" | "switchesOff">;

/** Names each tool that cannot wait for a yes, with the reason. `off`: the module of each tool that is switched off. */
export function refuseUnconfirmable(tools: readonly Declared[], off: ReadonlyMap<string, string>) {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  return (
    { confirm }: { readonly confirm: Readonly<Record<string, string>> },
    ctx: z.core.$RefinementCtx,
  ): void => {
    for (const [name, given] of Object.entries(confirm)) {
      const module = off.get(name);
      const problem = module === undefined ? problemWith(known.get(name), given) : isOff(module);
      if (problem !== undefined)
        ctx.addIssue({ code: "custom", path: ["confirm", name], message: problem, input: given });
    }
  };
}

const isOff = (module: string): string =>
  `belongs to ${module}, which modules.${module} switches off: take this line out, or switch it on`;

function problemWith(tool: Declared | undefined, rule: string): string | undefined {
  if (!tool) return "there is no such tool: `tendril tools` lists them";
  if (tool.switchesOff) return "switches off: that is never refused and never waits";
  if (tool.facts.annotations.readOnlyHint) return "only reads: it waits for nobody";
  if (tool.role === "human") return "is a person's own tool: no agent may call it";
  if (rule === "once_per_cycle" && tool.perPlant !== true)
    return "is about no plant, so it is in no cycle: say always";
  return undefined;
}
