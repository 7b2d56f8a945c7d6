import { EN, type Words } from "./words.js";

/** English is part of the page; the others are fetched where one of them is spoken. */
let tables: Readonly<Record<string, Words>> = { en: EN };
const OTHERS = ["de", "es", "pt"];

type Languages = readonly (string | null | undefined)[];

/** The first of these languages that the page has ("de-AT" counts as German); else English. */
function languageOf(languages: Languages): string {
  const wanted = languages.map((language) => language?.slice(0, 2).toLowerCase() ?? "");
  return wanted.find((language) => language === "en" || OTHERS.includes(language)) ?? "en";
}

/** Fetches the words of the first of these languages. Rejects if they cannot be fetched: then the page speaks English. */
export async function fetchWords(languages: Languages): Promise<void> {
  if (!(languageOf(languages) in tables)) tables = { ...tables, ...(await import("./words-others.js")) };
}

/** The words of the first of these languages, once they are there. */
export const wordsFor = (languages: Languages): Words => tables[languageOf(languages)] ?? EN;
