/** human ⊃ agent ⊃ observer: a role may do whatever a lesser one may. */
export const ROLES = ["observer", "agent", "human"] as const;
export type Role = (typeof ROLES)[number];

export const mayActAs = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** Who may do something. */
export interface Allowed {
  /** The least role. */
  readonly role: Role;
}

/** Who is calling: the token, never the connection. `name` is the token's file name. */
export interface Identity {
  readonly name: string;
  readonly role: Role;
}
