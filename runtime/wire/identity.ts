/** human ⊃ agent ⊃ observer: a role may do all that a lesser role may. */
export const ROLES = ["observer", "agent", "human"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What a token without a role may do. `bridge` takes jobs, delivers notifications and brings answers; `metrics` reads the
 * metrics.
 */
export const SCOPES = ["bridge", "metrics"] as const;
export type Scope = (typeof SCOPES)[number];

/** A token's kind: the beginning of its file's name. */
export type Kind = Role | Scope;
export const KINDS: readonly Kind[] = [...ROLES, ...SCOPES];

/** A scope is no role, so it can act as none. */
export const mayActAs = (kind: Kind, needed: Role): boolean =>
  (ROLES as readonly Kind[]).indexOf(kind) >= ROLES.indexOf(needed);

/** Who may do something. */
export interface Allowed {
  /** The least role. */
  readonly role: Role;
  /** Scopes that may do it too. */
  readonly scopes?: readonly Scope[];
  /** Only the scopes may, and no role: it would take something away from the program with the scope. */
  readonly scopesOnly?: boolean;
}

export const isAllowed = (kind: Kind, { role, scopes = [], scopesOnly = false }: Allowed): boolean =>
  (!scopesOnly && mayActAs(kind, role)) || scopes.some((scope) => scope === kind);

/** "the role human, or the scope metrics" */
export const neededWords = ({ role, scopes = [], scopesOnly = false }: Allowed): string =>
  [...(scopesOnly ? [] : [`the role ${role}`]), ...scopes.map((scope) => `the scope ${scope}`)].join(", or ");

/** The token that the runtime makes for whoever owns the machine. */
export const OWNER = "human";

/** Who calls: the token, not the connection. `name` is the name of the token's file. */
export interface Identity {
  readonly name: string;
  readonly role: Kind;
}

/** What people call who has this token, where it is no token of a person's own: "a person", "the agent", "the agent kitchen". */
export function holderInWords(token: string): string {
  const [kind, name] = token.split(".");
  if (kind === "agent") return name === undefined ? "the agent" : `the agent ${name}`;
  return kind === OWNER ? (name ?? "a person") : token;
}
