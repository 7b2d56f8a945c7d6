/** What one boot leaves for the next, outside of what the package may touch. */

/** What the system was before the package came, a line each. */
export const BEFORE = "/root/before";
/** What the ledger charged before the machine went down, in millilitres. */
export const CHARGED = "/root/charged";
