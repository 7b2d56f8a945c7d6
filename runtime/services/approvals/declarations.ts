import { z } from "zod";
import { errorTable, final } from "../../errors.js";
import type { Tool } from "../../tools/tool.js";
import type { Approval } from "../../wire/people.js";
import { nearlyNamed } from "../../wire/schema-keys.js";

/** People write `once per cycle`. */
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

/** Configuration: which calls of agents wait for a person's yes. */
export const approvalConfig = {
  confirm: z
    .record(z.string(), rule, {
      error: ({ code }) =>
        code === "invalid_type" ? "must be a mapping: confirm: { dispense_water: always }" : undefined,
    })
    .default({})
    .describe("calls of agents that wait for a person's yes, by tool: always, once_per_cycle or never"),
  // a cycle lasts half an hour at most, so a later yes would come too late
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

type Declared = Pick<Tool, "name" | "role" | "facts" | "perPlant" | "switchesOff" | "admission">;

/** Names each tool that cannot wait for a yes, and why. `off`: why each tool of a module that is off is missing. */
export function refuseUnconfirmable(
  tools: readonly Declared[],
  off: ReadonlyMap<string, { readonly why: string }>,
) {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  return (
    { confirm }: { readonly confirm: Readonly<Record<string, string>> },
    ctx: z.core.$RefinementCtx,
  ): void => {
    for (const [name, given] of Object.entries(confirm)) {
      const why = off.get(name)?.why;
      const tool = known.get(name);
      const unknown = tool
        ? undefined
        : `there is no such tool${meant(name, tools)} docs/tools.md lists them`;
      const problem =
        why === undefined ? (unknown ?? problemWith(tool, given)) : `${why}; take this line out`;
      if (problem !== undefined)
        ctx.addIssue({ code: "custom", path: ["confirm", name], message: problem, input: given });
    }
  };
}

/** The tool that was misspelt, or the one that acts on what was named. */
function meant(name: string, tools: readonly Declared[]): string {
  const names = tools.filter((tool) => problemWith(tool, "always") === undefined).map((tool) => tool.name);
  const acting = names.find((each) => each.split("_").includes(name));
  const found = nearlyNamed(name, names) ?? acting;
  return found === undefined ? ":" : `; did you mean ${found}?`;
}

function problemWith(tool: Declared | undefined, rule: string): string | undefined {
  if (!tool) return undefined;
  if (tool.switchesOff) return "switches off: that is never refused and never waits";
  if (tool.facts.annotations.readOnlyHint) return "only reads: it waits for nobody";
  if (tool.role === "human") return "is a person's own tool: no agent may call it";
  if (tool.admission) return "asks by itself for what needs a yes: docs/home.md";
  if (rule === "once_per_cycle" && tool.perPlant !== true)
    return "is about no plant, so it is in no cycle: say always";
  return undefined;
}

export const APPROVAL_ERRORS = errorTable({
  APPROVAL_DENIED: final("do not ask again in this cycle; go on without it"),
  APPROVAL_EXPIRED: final("that counts as a no: go on without it in this cycle"),
  UNKNOWN_APPROVAL: final("list the approvals and answer one that waits"),
});

/** How often a tool needs a yes; without a rule (`never`) it needs none. */
export type ConfirmRule = "always" | "once_per_cycle";

/** What a person is asked for: exactly this and nothing else. */
export interface Asked {
  readonly tool: string;
  /** Absent for a tool that is about no plant. */
  readonly plant?: string;
  /** Validated. The call is carried out with exactly these. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The same in words, as they follow "wants to". */
  readonly words: string;
  /** The token's name. */
  readonly agent: string;
  /** Whose request it is: a person, or the household. Absent in records before 2026-11-24. */
  readonly user_id?: string;
  /** Names one of the agents that share the token, if its client says so. */
  readonly instance?: string;
  readonly rule: ConfirmRule;
  /** Where words of strangers came from that the agent had read before: why a yes is needed that no rule asks for. */
  readonly after_reading?: string[];
  /** How far a yes goes, as it follows "holds for"; absent for this call only. */
  readonly scope?: string;
  /** The plant status that opened the agent's cycle; absent if none is open. */
  readonly cycle?: number;
  /** Real time, ISO 8601. */
  readonly expires_at: string;
}

export type ApprovalState = Approval["state"];

/** A line of journal/approvals.jsonl: a request, or what became of it. */
export type ApprovalEntry = { readonly timestamp: string } & (
  | ({ readonly kind: "asked" } & Asked)
  | FollowUp
  // what an erasure has left of any of these
  | { readonly erased: true; readonly kind?: never }
);

export interface FollowUp {
  readonly kind: Exclude<ApprovalState, "pending">;
  readonly of: number;
  readonly by: string;
  readonly reason?: string;
}

/** `reason`: why it was denied or has expired, if known. */
export type ApprovalRecord = Asked &
  Readonly<Pick<Approval, "timestamp" | "state" | "answered_at" | "answered_by" | "reason" | "used_at">>;

export const APPROVAL_LOG = {
  name: "approvals",
  erasable: true,
  fold: (previous: ApprovalRecord | undefined, entry: ApprovalEntry): ApprovalRecord => {
    if ("erased" in entry) return erased(entry.timestamp);
    if ("of" in entry) return followUp(previous, entry);
    const { kind: _, ...asked } = entry;
    return { ...asked, ...UNANSWERED, state: "pending" };
  },
};

/** A request whose words were erased counts as a no. */
const erased = (timestamp: string): ApprovalRecord => ({
  ...{ timestamp, tool: "", arguments: {}, words: "", agent: "", rule: "always", expires_at: timestamp },
  ...{ ...UNANSWERED, state: "expired", reason: "erased" },
});

const UNANSWERED = { answered_at: null, answered_by: null, reason: null, used_at: null };

function followUp(
  previous: ApprovalRecord | undefined,
  { kind, of, by, reason, timestamp }: FollowUp & { readonly timestamp: string },
): ApprovalRecord {
  if (!previous) throw new Error(`approvals.jsonl: request ${of} was answered before it was asked`);
  if (kind === "used") return { ...previous, state: kind, used_at: timestamp };
  if (kind === "expired") return { ...previous, state: kind, reason: reason ?? null };
  return { ...previous, state: kind, answered_at: timestamp, answered_by: by, reason: reason ?? null };
}
