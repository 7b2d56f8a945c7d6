import { SPECIES_WORDS } from "../../drivers/bench/species.js";
import { nearlyNamed } from "../wire/schema-keys.js";
import type { CoreConfig } from "./schema.js";

/** What is permitted, and easily not meant: each in a sentence. */

/** The plants of a real board that can get no water. */
export const withoutPump = ({ board, plants }: CoreConfig): string[] =>
  plants.flatMap(({ id, pump }) =>
    board === "pi" && !pump.output ? [`${id} has no pump (pump.output): it gets no water`] : [],
  );

/** A species may have any name; one of the known words, nearly written, is probably that word. */
export const misspeltSpecies = ({ plants }: CoreConfig): string[] =>
  plants.flatMap(({ id, species = "" }) => {
    const words = species.toLowerCase().split(/[^\p{L}]+/u);
    if (words.some((word) => SPECIES_WORDS.includes(word))) return [];
    const [near] = words.flatMap((word) => (word.length > 2 && nearlyNamed(word, SPECIES_WORDS)) || []);
    return near === undefined ? [] : [`species of ${id}: ${species}: did you mean ${near}?`];
  });
