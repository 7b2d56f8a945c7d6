const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words that say off, in the four languages of the page: in small letters, without accents. */
const OFF = setOf(
  `off halt abort kill cut shut shutdown stpo sotp tsop aus ab anhalten aufhoren hor ausschalten abschalten notaus
  para pare parar alto basta deten detener corta cierra apaga apagar apague apagalo desliga desligar desligue`,
);
/** "STOOOP" too. */
const STOP = /^s+t+o+p+(?:en)?$/;

/** Words around them. None of these asks or says no, so "is it off" and "don't stop" are no wishes to switch off. */
const AROUND = setOf(
  `please pls plz now just hey hi ok okay wait help oh can could will would you u i said want need must have should to omg damn somebody someone already thing
  at once right away immediately quick quickly make emergency turn switch power down watering
  the everything everywhere all both it this that them water pump pumps
  bitte sofort jetzt mal schnell hilfe nein kannst du mach mache schalte schalt stell dreh auf an
  alles es das die wasser pumpe pumpen bewasserung
  ya ahora rapido ayuda por favor de regar riego todo eso esto el la las lo agua bomba bombas
  agora ja socorro voce pode tudo isso com a as rega`,
);

/** With these begins why it was said, what else is wanted, or what may stay on. */
const AFTER = setOf("s is its there because cause or before and but except und y e es weil sonst zu");

/** One plant, and no more said of it: "stop watering it so much" is advice. */
const WATERING =
  /^(?:stop|halt|cancel|end)(?: the)? watering(?: (?:the |my |our )?(?!remind|task|messag|alert|tomorrow)[a-z]+)?$|^deja de regar$/;

/** "/off", whatever follows: "/off@bot", "/off!!! water on the floor". Not "/office". */
const COMMAND = /^[^\p{L}\p{N}/]*\/\s*(?:off|stop|halt|abort|emergency)(?![\p{L}\p{N}])/u;

/**
 * Whether what a person writes is a wish to switch off: the command, or a sentence with a part between commas that says it.
 * In doubt yes: a person can switch on again. Then everything is switched off before anybody thinks.
 */
export function wantsOff(written: string): boolean {
  // keyboards of Asia type a wide slash and wide letters
  const text = written.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return COMMAND.test(text) || partsOf(text).some(saysOff);
}

/** "Monday: off" says it of Monday. */
const partsOf = (text: string): readonly string[] =>
  text.split(/[.!?;\n]/).flatMap((sentence) => (sentence.split(/[:–—]/)[0] ?? "").split(","));

/** Each word is read once, so that a stranger's long message holds nobody up. */
function saysOff(part: string): boolean {
  const words = part.replaceAll(/[🛑⛔]/gu, " stop ").match(/[\p{L}\p{N}]+/gu) ?? [];
  let isSaid = false;
  for (const [at, word] of words.entries()) {
    if (OFF.has(word) || STOP.test(word)) isSaid = true;
    else if (isSaid && AFTER.has(word)) return true;
    else if (!AROUND.has(word) && !isCry(word, words[at + 1])) return WATERING.test(words.join(" "));
  }
  return isSaid;
}

/** "No stop!", and the German "Not aus!". The Spanish and Portuguese "no pare" is "don't stop". */
const isCry = (word: string, next = ""): boolean =>
  (word === "no" && (next === "wait" || next === "turn" || STOP.test(next))) ||
  (word === "not" && (next === "aus" || next === "halt"));
