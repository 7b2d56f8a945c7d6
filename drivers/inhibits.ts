import type { InputKind } from "./board.js";

/** What a plant has that can be switched on. */
export type Load = "pump" | "light";

/** A button stops everything; a leak or an empty tank stops what moves water. */
const STOPS: Readonly<Record<InputKind, readonly Load[]>> = {
  stop: ["pump", "light"],
  leak: ["pump"],
  tank: ["pump"],
};

/** Whether an active input of this kind keeps such a load off. */
export const inhibits = (kind: InputKind, load: Load): boolean => STOPS[kind].includes(load);
