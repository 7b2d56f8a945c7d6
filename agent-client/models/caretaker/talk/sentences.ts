/** Ends of sentences, and lines. Not the points of "8 a.m." and "e.g.", and none without a blank after it. */
const SENTENCES = /(?<!\b[ap]\.m|\b\p{L})[.!?;]+\s+(?=\S)|\s*\n+\s*/iu;

export const sentencesIn = (text: string): readonly string[] =>
  text
    .replaceAll(/[‘’]/g, "'")
    .split(SENTENCES)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** Where a sentence may go on with another wish. */
export const JOINTS =
  /\s*,?\s+(?:and then|and also|and please|as well as|and|then|also|plus)\s+|\s*[,;]\s+/gi;

/** What people say around a wish. Removed as often as it stands there. */
const BEFORE = [
  /^(?:hi|hello|hey|hallo|hola|good (?:morning|evening|afternoon)|ok|okay|well|so|oh|and|also|then|now|please|pls|plz|kindly|just|maybe|tendril|caretaker|dear|agent)\b[\s,!:–-]+/i,
  /^(?:can|could|would|will) (?:you|u)(?: (?:please|kindly|maybe|also|just|quickly))*\s+/i,
  /^(?:i(?:'d| would) (?:like|love|want) (?:for )?you to|i (?:want|need) you to|you (?:should|must|could|can|may)|be so (?:kind|good) (?:as|and)(?: to)?|make sure (?:to|that you|you)|would you mind|do me a favou?r and|it would be (?:nice|great|good) if you (?:could|would)?)\s+/i,
  /^(?:(?:tell|show) me(?= (?:how|why|when|if|whether|what|which))|let me know|do you know|i(?:'d| would) like to know|i want to know|i wonder|may i ask)\s+(?:if |whether )?/i,
];
const AFTER =
  /[\s,]+(?:please|pls|plz|thanks(?: a lot)?|thank you(?: very much)?|thx|for me|if you can|if possible|will you|would you|ok|okay|too|as well|tendril)$/i;
const ENDS = /[\s.!?]+$/;

/** The wish without greetings, politeness and marks at its end. A greeting alone stays. */
export function politely(text: string): string {
  let rest = text.replaceAll(/[‘’]/g, "'").trim();
  for (let before = ""; before !== rest; ) {
    before = rest;
    const ended = rest.replace(ENDS, "");
    rest = ended.replace(AFTER, "");
    for (const each of BEFORE) rest = rest.replace(each, "");
    if (rest === "") return ended;
  }
  return rest;
}
