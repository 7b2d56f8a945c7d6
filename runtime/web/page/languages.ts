import { EN, type Words } from "./words.js";
import { DE } from "./words-de.js";
import { ES } from "./words-es.js";
import { PT } from "./words-pt.js";

const TABLES: Readonly<Record<string, Words>> = { en: EN, de: DE, es: ES, pt: PT };

/** The first of these languages that the page has ("de-AT" counts as German); else English. */
export function wordsFor(languages: readonly (string | null | undefined)[]): Words {
  for (const language of languages) {
    const found = TABLES[language?.slice(0, 2).toLowerCase() ?? ""];
    if (found) return found;
  }
  return EN;
}
