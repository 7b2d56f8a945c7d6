import { z } from "zod";

/** Sessions of browsers, and the tokens behind them. All times are UTC, ISO 8601. docs/page.md tells an owner of them. */

/** A person's request for a link, on the runtime's own machine. */
export const linkBody = z.strictObject({
  token: z.string().min(1).max(80).default("human").describe("the token whose rights the session gets"),
});

const openedLink = z.object({
  code: z.string(),
  expires_in_s: z.int(),
  token: z.string(),
  role: z.string(),
  tls_port: z.int().nullable().describe("the port with TLS, while it is open"),
});
export type OpenedLink = z.output<typeof openedLink>;

/** The browser's request to `/session`. */
export const codeBody = z.strictObject({ code: z.string().max(100) });

/** A session as its owner sees it. */
const sessionView = z.object({
  id: z.string(),
  token: z.string(),
  role: z.string(),
  device: z.string().describe("browser and system, as the browser named itself"),
  made: z.string(),
  used: z.string(),
  expires: z.string().describe("unless it is used before then"),
});
export type SessionView = z.output<typeof sessionView>;

export interface SessionList {
  readonly sessions: readonly SessionView[];
}

/** The answer of `/session` to the session's own browser. */
export type OwnSession = SessionView & {
  /** What a person types for `tendril` on the runtime's machine. */
  readonly called: string;
};

/** A token without its secret, for the owner's page. docs/security.md tells of tokens. */
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
