import { createHash } from "node:crypto";

/** Words that mean the same, by their beginnings. The first are those of the runtime's own pairs (meaning.ts). */
const CONCEPTS: readonly (readonly string[])[] = [
  ["ivy"],
  ["batter"],
  ["cartero", "correo"],
  ["luis"],
  ["ofen", "backofen"],
  ["clara"],
  ["bicycle", "bike"],
  ["rose"],
  ["holiday", "away", "urlaub"],
  ["water", "irrigat", "giess", "agua"],
  ["tooth", "dentist", "zahn"],
  ["lamp", "light"],
  ["key", "schluessel", "llave"],
  ["cat", "pet"],
];

/** A made-up embedding: each concept is a direction, and each text has a small direction of its own. */
export function conceptsOf(text: string): readonly number[] {
  const words = text.toLowerCase().split(/[^\p{L}]+/u);
  const has = (starts: readonly string[]) =>
    words.some((word) => starts.some((start) => word.startsWith(start)));
  const own = [...createHash("sha512").update(text).digest()];
  return [
    ...CONCEPTS.map((starts) => (has(starts) ? 1 : 0)),
    ...own.map((byte) => (byte > 127 ? 0.07 : -0.07)),
  ];
}
