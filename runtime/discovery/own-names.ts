import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { labelOf } from "./names.js";

/**
 * A name for this computer that is Tendril's alone, another at each start. Not `raspberrypi.local`: that one is avahi's, which
 * on a Pi with two interfaces would take our addresses for another computer's, and rename the Pi.
 */
export const freshTarget = (): string => `tendril-${randomBytes(4).toString("hex")}.local`;

/** How clients may call this computer that found the runtime announced as `target`: also by the name that avahi gives it. */
export const namesBeside = (target: string): string[] => [target, `${labelOf(hostname())}.local`];
