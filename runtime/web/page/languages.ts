import { EN, type Words } from "./words.js";

/** English is part of the page; another language is fetched where it is spoken. */
const tables = new Map<string, Words>([["en", EN]]);
const OTHERS: Readonly<Record<string, () => Promise<Words>>> = {
  de: async () => (await import("./words-de.js")).DE,
  es: async () => (await import("./words-es.js")).ES,
  pt: async () => (await import("./words-pt.js")).PT,
};

/** Each as its speakers write it. */
export const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["es", "Español"],
  ["pt", "Português"],
] as const;

type Languages = readonly (string | null | undefined)[];

/** The first of these languages that the page has ("de-AT" counts as German); else English. */
function languageOf(languages: Languages): string {
  const wanted = languages.map((language) => language?.slice(0, 2).toLowerCase() ?? "");
  return wanted.find((language) => language === "en" || Object.hasOwn(OTHERS, language)) ?? "en";
}

/** Fetches the words of the first of these languages. Rejects if they cannot be fetched: then the page speaks English. */
export async function fetchWords(languages: Languages): Promise<void> {
  const language = languageOf(languages);
  const words = tables.get(language) ?? (await OTHERS[language]?.());
  if (words) tables.set(language, words);
}

/** The words of the first of these languages, once they are there. */
export const wordsFor = (languages: Languages): Words => tables.get(languageOf(languages)) ?? EN;
