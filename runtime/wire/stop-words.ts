const THINGS = "(?:everything|it all|all|all pumps|the pumps?|pumps?|the water|water|watering)";
const STOP = [
  `(?:stop|halt|off|abort|emergency(?: stop)?|stop (?:it|this|now|${THINGS})|${THINGS} off`,
  `|(?:turn|switch|shut) ${THINGS} off|(?:turn|switch|shut) off ${THINGS}|(?:turn|switch|shut) it off)`,
].join("");
const STOPS = new RegExp(`^(?:please )?${STOP}(?: (?:${STOP}|now|please|at once|immediately|right now))*$`);

/** "/off", whatever follows: "/off@bot", "/off!!! water on the floor". Not "/office". */
const COMMAND = /^[^\p{L}\p{N}/]*\/\s*(?:off|stop|halt|abort|emergency)(?![\p{L}\p{N}])/iu;

/** Whether a message says nothing but that everything shall stop: then everything is switched off before anybody thinks. */
export const isStopWord = (text: string): boolean =>
  STOPS.test(
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  );

/**
 * Whether what a person writes on a channel is a wish to switch off: the command, or a sentence that begins with stop words
 * and a comma or has no others. In doubt yes: a person can switch on again.
 */
export function wantsOff(written: string): boolean {
  // keyboards of Asia type a wide slash and wide letters
  const text = written.normalize("NFKC");
  const sentences = text.split(/[.!?;\n]+/);
  return (
    COMMAND.test(text) ||
    sentences.some((each) => isStopWord(each) || isStopWord(each.split(/[,:–—]/)[0] ?? ""))
  );
}
