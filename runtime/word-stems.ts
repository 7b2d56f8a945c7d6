/**
 * Words of a text for a search that ignores case, accents and common endings. The language of a text is not known, so each word has
 * its light stems in English, Spanish and German: two words are the same where they share one.
 */

/** Lower case, without accents: "Café" and "cafe" are one, "Straße" is "strasse". */
export const folded = (text: string): string =>
  text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");

/** The words of a text, folded, in their order. Everything but letters and digits separates them. */
export const wordsOf = (text: string): readonly string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** A stem shorter than this says too little: the word stays whole. */
const SHORTEST_STEM = 3;

/** An ending, and what stands there instead. The first that fits counts. */
type Ending = readonly [ending: RegExp, instead: string];

/** Plurals and verbs. A doubled consonant before -ing and -ed is one: running, run. */
const ENGLISH: readonly Ending[] = [
  [/ies$/, "y"],
  [/([bdgklmnprt])\1(?:ing|ed)$/, "$1"],
  [/(?:ing|ed|es|e)$/, ""],
  [/(?<![su])s$/, ""],
];

/** After J. Savoy, "Light stemming approaches for the French, Portuguese, German and Hungarian languages", and common verb endings. */
const SPANISH: readonly Ending[] = [
  [/ces$/, "z"],
  [/(?:iendo|ieron|ando|aron|aban|aba)$/, ""],
  [/[ai]d[oa]s?$/, ""],
  [/(?:[oae]s|[aei][rn]|[oae])$/, ""],
];

/** The endings of nouns, adjectives and verbs in the present. A short word keeps its t: mint is no min. */
const GERMAN: readonly Ending[] = [[/(?:ern|em|en|er|es|e|n|s|(?<=\p{L}{4})t)$/u, ""]];

const LANGUAGES = [ENGLISH, SPANISH, GERMAN];

function stem(word: string, endings: readonly Ending[]): string {
  const found = endings.find(([ending]) => ending.test(word));
  const stemmed = found ? word.replace(...found) : word;
  return stemmed.length >= SHORTEST_STEM ? stemmed : word;
}

/** The stems of a folded word, one at least. */
export const stemsOf = (word: string): readonly string[] => [
  ...new Set(LANGUAGES.map((endings) => stem(word, endings))),
];

/** Words that are in every text and say nothing about what it is about. English, Spanish, German; folded. */
const EMPTY = new Set(
  [
    "a about an and any are as at be by can did do does for from had has have he her his how i in is it its me my no not of on or",
    "our she should so that the their them they this to was we were what when where which who why will with would you your",
    "al como con cual cuando de del donde el ella ellos en era es esta este ha hay la las le les lo los me mi muy no nos o para",
    "pero por que quien se ser si sin sobre son su sus te tu un una uno y ya yo",
    "aber als am an auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer er es fur hat habe ich ihr im",
    "in ist ja kann man mein mit nach nicht noch nur oder sich sie sind so uber um und uns vom von war was wenn wer wie wir wo zu",
    "zum zur",
  ].flatMap((line) => line.split(" ")),
);

/** What a question asks for: its words without the empty ones, each once. All of them where there are no others. */
export function askedWords(question: string): readonly string[] {
  const all = [...new Set(wordsOf(question))];
  const meant = all.filter((word) => !EMPTY.has(word));
  return meant.length > 0 ? meant : all;
}
