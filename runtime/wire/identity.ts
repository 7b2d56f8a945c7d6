/** human ⊃ agent ⊃ observer: a role may do whatever a lesser one may. */
export const ROLES = ["observer", "agent", "human"] as const;
export type Role = (typeof ROLES)[number];

/**
 * What a token may be for that has no role. Each does one thing, which the tools and routes concerned name: `bridge` delivers
 * notifications and brings people's answers, `metrics` reads the metrics.
 */
export const SCOPES = ["bridge", "metrics"] as const;
export type Scope = (typeof SCOPES)[number];

/** A token's kind. Its file's name begins with it. */
export type Kind = Role | Scope;
export const KINDS: readonly Kind[] = [...ROLES, ...SCOPES];

/** A scope is no role: it may act as none. */
export const mayActAs = (kind: Kind, needed: Role): boolean =>
  (ROLES as readonly Kind[]).indexOf(kind) >= ROLES.indexOf(needed);

/** Who may do something. */
export interface Allowed {
  /** The least role. */
  readonly role: Role;
  /** Scopes that may, beside the roles. */
  readonly scopes?: readonly Scope[];
}

export const isAllowed = (kind: Kind, { role, scopes = [] }: Allowed): boolean =>
  mayActAs(kind, role) || scopes.some((scope) => scope === kind);

/** "the role human, or the scope metrics" */
export const neededWords = ({ role, scopes = [] }: Allowed): string =>
  [`the role ${role}`, ...scopes.map((scope) => `the scope ${scope}`)].join(", or ");

/** Who is calling: the token, never the connection. `name` is the token's file name. */
export interface Identity {
  readonly name: string;
  readonly role: Kind;
}
