import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { asPin } from "../../runtime/wire/proof.js";
import { minutes } from "../clock.js";
import { TOOL_SETS } from "../cycle/tool-runner.js";
import { STYLES } from "../models/style.js";
import { PROMPT_TOKENS, REPLY_TOKENS } from "../prompts/prompt.js";
import { priceSchema } from "../spending/limits.js";
import { cronProblem } from "../time/schedule.js";
import { cycleTime, duration, replyTime, rounds } from "./values.js";

/** A text for `read`, whose error becomes the issue. Also numbers: YAML reads some mistakes as such, for example `every: 0`. */
const text = <T>(read: (given: string) => T) =>
  z.union([z.string(), z.number()]).transform((given, context): T => {
    try {
      return read(String(given));
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
      return z.NEVER;
    }
  });

const count = z.int().min(1);

const limits = z
  .strictObject({
    calls: count.optional(),
    tokens: count.optional(),
    minutes: z.number().positive().optional(),
    money: z.number().positive().optional(),
  })
  .transform(({ minutes: time, ...rest }) => ({
    ...rest,
    ...(time !== undefined && { time: minutes(time) }),
  }));

/** The agent's own configuration file. Flags win over it. */
export const agentConfig = z.strictObject({
  url: z.string().optional(),
  discover: z.union([z.boolean(), z.string().min(1)]).optional(),
  token_file: z.string().optional(),
  pin: text(asPin).optional(),
  agent_state: z.string().optional(),
  model: z.string().optional(),
  fallback: z.literal("caretaker").optional(),
  every: text(duration).optional(),
  cron: text(cronPattern).optional(),
  max_rounds: text(rounds).optional(),
  reply_within: text(replyTime).optional(),
  cycle_within: text(cycleTime).optional(),
  /** Failed cycles in a row until the model is out of service. A choice: with one, a restart of its server would alarm. */
  failed_cycles: count.max(100).default(3),
  style: z.enum(STYLES).optional(),
  tools: z.enum(TOOL_SETS).optional(),
  prompt_tokens: z.int().min(500).max(1_000_000).default(PROMPT_TOKENS),
  /** Most tokens of one reply: a call with a thought must fit. */
  reply_tokens: z.int().min(200).max(1_000_000).default(REPLY_TOKENS),
  limits: limits.default({}),
  prices: z.record(z.string(), priceSchema).default({}),
});

export type AgentConfig = z.output<typeof agentConfig>;

/** Throws for anything but a pattern of five fields. */
export function cronPattern(given: string): string {
  const problem = cronProblem(given);
  if (problem === undefined) return given;
  throw new Error(`is not a cron pattern of five fields (${problem}), such as "0 7,19 * * *"`);
}
