/** Letters of other alphabets that look like a Latin one: the small and capital ones of Cyrillic and Greek (Unicode, confusables). */
const ALIKE: ReadonlyMap<string, string> = new Map(
  [
    ["аеорсухіјѕԁһкАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdhkABEKMHOPCTYXIJS"],
    ["αειοκνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeiokvptuxABEZHIKMNOPTYX"],
  ].flatMap(([others = "", latin = ""]) =>
    [...others].map((letter, at) => [letter, [...latin][at] ?? letter]),
  ),
);

/** A word with Latin letters and others that look like them: nobody writes so but to hide it. */
const MIXED = /(?=\p{L}*\p{Script=Latin})(?=\p{L}*[\p{Script=Cyrillic}\p{Script=Greek}])\p{L}+/gu;

/**
 * The text as a reader sees it. What does not show would cut a name in two; letters of another alphabet or width, digits of another
 * script and signs by their numbers would hide one.
 */
export const readable = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|\p{Default_Ignorable_Code_Point}|\u2800/gu, "")
    .replaceAll(/\p{Cc}/gu, " ")
    .replaceAll(/&#(\d{2,3});/g, (whole, code: string) =>
      Number(code) > 32 ? String.fromCharCode(Number(code)) : whole,
    )
    .replaceAll(/(?<=[\p{L}\d])%(40|2e|2b)(?=[\p{L}\d])/giu, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/(?!\d)\p{Nd}/gu, plainDigit)
    .replaceAll(MIXED, (word) => [...word].map((letter) => ALIKE.get(letter) ?? letter).join(""));

/** Digits of a script stand in a row, from its zero on (Unicode, General Category Nd). */
function plainDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
