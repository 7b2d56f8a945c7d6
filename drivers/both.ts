import type { Cancel } from "./ports.js";

/** Cancels what there is of two. */
export const both =
  (first: Cancel, second: Cancel | undefined): Cancel =>
  () => {
    first();
    second?.();
  };
