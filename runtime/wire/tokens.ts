import { z } from "zod";

/** Tokens without their secrets, for the owner's page. All times are UTC, ISO 8601. docs/security.md tells of tokens. */

const tokenView = z.object({
  name: z.string().describe("of its file"),
  role: z.string().describe("a role or a scope"),
  made: z.string(),
  used: z
    .string()
    .nullable()
    .describe("to the day, once the runtime was restarted; null: not since uses are noted"),
});
export type TokenView = z.output<typeof tokenView>;

const tokenList = z.object({ tokens: z.array(tokenView) });
export type TokenList = z.output<typeof tokenList>;
