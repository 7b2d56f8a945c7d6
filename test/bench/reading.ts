import type { StoredReading } from "../../runtime/store/measurements.js";

/** A reading as a probe gives it; no two in a row are alike. `at`: epoch milliseconds. */
export function reading(n: number, at: number): StoredReading {
  const value = 12_000 + ((n * 7919) % 3000);
  return { plant: "plant-1", at, value, percent: value / 317, noise: 12, level: value / 8000 };
}
