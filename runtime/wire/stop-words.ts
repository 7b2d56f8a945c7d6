const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words that say off, in the four languages of the page, French and Italian: in small letters, without accents. */
const OFF = setOf(
  `off halt abort kill cut shut shutdown stpo sotp tsop aus ab anhalten aufhoren hor ausschalten abschalten abstellen notaus stoppe
  para pare parem parar alto basta deten detener corta cierra apaga apagar apague apagalo chega desliga desligar desligue
  arrete arretez eteins eteignez coupe coupez stoppez ferma fermate fermati spegni spegnete smettila`,
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
  agora ja socorro voce pode tudo isso com a as rega
  maintenant vite aide s il te vous plait tout toute suite ca l eau pompe pompes arrosage
  subito adesso aiuto per favore tutto le acqua pompa irrigazione`,
);

/** With these begins why it was said, what else is wanted, or what may stay on. */
const AFTER = setOf("s is its there because cause or before and but except und y e es weil sonst zu");

/** Around a sentence: they change nothing of what it says. */
const POLITE = setOf(
  `please pls plz now just hey hi ok okay wait help oh can could will would you right away immediately at once today already
  bitte sofort jetzt mal schnell hilfe kannst du heute doch
  ya ahora rapido ayuda por favor hoy que agora ja hoje voce pode
  maintenant vite tout de suite s il te vous plait aujourd hui subito adesso ora oggi per favore`,
);

/** Before a plant or a thing. */
const ARTICLE = setOf(
  `the my our this that these all both any der die das den dem mein meine meinen alle el la los las mi mis o a os as meu minha
  le les l un mon ma mes il lo i gli mio mia`,
);
/** Between a thing and its place. */
const PLACE = setOf(
  "to of on in for from at vom von am im auf bei de del do da dos das en no na du des d dans sur au di della dei delle dell sul nel",
);
/** How words begin that are no plant, and nothing with water. */
const OTHER = new RegExp(
  `^(?:${[
    "remind|messag|notif|alert|alarm|timer|task|mail|list|search|summar|report|update|question|photo|pictur|camera|music|radio|tv|video",
    "light|lamp|heat|vacuum|machine|licht|heiz|nachricht|meldung|erinner|aufgab|frag|musik|foto|luz|luces|record|mensaj|pregunt|tarea",
    "lembr|mensag|pergunt|tarefa|aviso|lumi|rappel|tache|luce|luci|promemoria|compit|domand|ricord|winter|summer|tomorrow|tonight",
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen",
    "sommer|manana|lunes|martes|miercoles|jueves|viernes|sabado|domingo|invierno|verano|amanha|segunda|terca|quarta|quinta|sexta|inverno",
    "verao|demain|hiver|domani",
  ].join("|")})`,
);
/** With one of these it is advice, a question, or the contrary. */
const LITTLE = setOf(
  `when if by until till after before so too much many often less more only every once next with without while not no never
  t it its me us you and or but off is are nicht kein wenn bis um zu mich mir uns weniger immer ist aus ab cuando si hasta menos tanto
  mas me nos quando se ate mais nao nunca quand jusqu moins pas ne n plus trop non fino meno piu troppo ci`,
);
/** It has to do with water: a home has other things that are turned off. */
const WATER =
  /^(?:water(?:ing)?|irrigation|taps?|valves?|hose|sprinklers?|everything|bewasserung|alles|bombas?|agua|riego|grifo|todo|rega|torneira|tudo|eau|arrosage|robinet|tout|acqua|irrigazione|rubinetto|tutto|[a-z]*wasser|[a-z]*hahn|[a-z]*pump(?:s|en?)?|pompes?|pompa)$/;

/**
 * Sentences that switch off and name a plant or a thing, one a line. `a|b`: one of them. `?`: perhaps. `THING`: a plant or a thing, with
 * or without its place. `NAMED`: one with an article, or one word. `TAP`: one that has to do with water.
 */
const SENTENCES = `
stop|halt|cancel|end the? watering|pumping|irrigating it|them|THING?
stop|halt|stopp|stoppe|stoppt|deten|detenga|arrete|arretez|stoppez|ferma|fermate|blocca NAMED
turn|switch|shut|power off|down TAP
turn|switch|shut|power TAP off|down
turn|switch|shut|power everything|all off|down in|on|at THING
kill|close|cut|shut TAP
dont water|pump it|them|THING? anymore|again
dont water|pump anything
dont give|put|pour it|them|THING? any|anymore water
make it|TAP stop
TAP must|should|needs|has to? stop
that? s? enough water|watering? for?
no more water|watering
no more water to|for|in|on THING
hort|hor auf mit? dem? THING? zu? gießen|giessen|bewassern|wassern|pumpen
schalt|schalte|stell|stelle|mach|mache|dreh|drehe TAP aus|ab|zu
gieß|gieße|giess|giesse|wassere|bewassere sie|es|ihn|THING? nicht mehr
THING? nicht mehr gießen|giessen|bewassern|wassern
kein|genug wasser mehr?
genug
es|das reicht
TAP soll|muss aufhoren|stoppen|aus
gib|gebt ihm|ihr|ihnen|THING? kein wasser mehr
schluss mit dem? gießen|giessen|wasser
para|pare|parad|parem|deja|deje|dejad|deixa|deixe de regar|bombear|molhar THING?
para|pare|parem|apaga|apague|detener|corta|corte|cierra|cierre|desliga|desligue|fecha|feche TAP
no la|lo|las|los? riegues|riegue|rieguen THING? mas
nao o|a|os|as? regues|regue|reguem THING? mais
no mas agua|riego
no le|les? eches|eche|pongas|ponga|des|de mas agua
TAP tiene que parar
basta|suficiente|chega de agua|riego|regar|rega
mais agua nao
nao lhe|lhes? ponhas|ponha|deites|deite|des|de|coloque mais agua
TAP tem de|que parar
ya? basta
es suficiente
arrete|arretez|cessez|cesse d arroser|irriguer|pomper THING?
eteins|eteignez|coupe|coupez|ferme|fermez tout? de? suite? TAP
n arrose|arrosez plus THING?
ne l|les arrose|arrosez plus
plus|assez d eau|arrosage
ca suffit
assez
il? faut arreter|couper|eteindre|fermer TAP
ne? n? lui|leur|y|en? donne|donnez|mets|mettez|verse|versez plus d eau
smetti|smettete|smettila|basta di? annaffiare|innaffiare|irrigare|bagnare|pompare THING?
spegni|spegnete|chiudi|chiudete|stacca TAP
non annaffiare|innaffiare|bagnare|irrigare THING? piu
basta con? l? acqua
non gli|le? dare|mettere|versare|dargli|darle piu acqua
smetti|smettila|basta di? dare|versare|mettere acqua
bisogna fermare|spegnere|chiudere TAP
`;

type Match = (words: readonly string[], at: number) => boolean;

/** Words of the longest thing, and of the longest sentence. Longer ones are none, so a long message is soon read. */
const MOST_OF_THING = 8;
const MOST_WORDS = 20;

const isPlace = (word = ""): boolean => PLACE.has(word) && !ARTICLE.has(word);

const isThing = (words: readonly string[]): boolean => {
  const named = words.filter((word) => !ARTICLE.has(word) && !PLACE.has(word));
  if (named.length === 0 || isPlace(words[0]) || isPlace(words.at(-1)) || words.filter(isPlace).length > 1)
    return false;
  return named.every((word) => !OTHER.test(word) && !LITTLE.has(word));
};
const THINGS: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  THING: isThing,
  NAMED: (words) =>
    isThing(words) && (ARTICLE.has(words[0] ?? "") || (words.length === 1 && !/ing$/.test(words[0] ?? ""))),
  TAP: (words) => isThing(words) && words.some((word) => WATER.test(word)),
};

const END: Match = (words, at) => at === words.length;

/** Matches what the sign says, then `rest`. */
function sign(text: string, rest: Match): Match {
  const choices = text.replace("?", "").split("|");
  const words = new Set(choices);
  const isWord: Match = (given, at) => words.has(given[at] ?? "") && rest(given, at + 1);
  const things = choices.flatMap((choice) => THINGS[choice] ?? []);
  const isOne: Match = (given, at) => {
    for (let end = at + 1; end <= Math.min(given.length, at + MOST_OF_THING); end += 1)
      if (things.some((isIt) => isIt(given.slice(at, end))) && rest(given, end)) return true;
    return isWord(given, at);
  };
  const matches = things.length === 0 ? isWord : isOne;
  return text.endsWith("?") ? (given, at) => rest(given, at) || matches(given, at) : matches;
}

const MATCHES = SENTENCES.trim()
  .split("\n")
  .map((line) => line.split(" ").reduceRight((rest, text) => sign(text, rest), END));

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
    else if (!AROUND.has(word) && !isCry(word, words[at + 1])) return isSentence(words);
  }
  return isSaid;
}

/** Whether it is one of the sentences above, with or without a please. */
function isSentence(words: readonly string[]): boolean {
  if (words.length > MOST_WORDS) return false;
  const first = words.findIndex((word) => !POLITE.has(word));
  const last = words.findLastIndex((word) => !POLITE.has(word));
  const text = words
    .slice(first, last + 1)
    .join(" ")
    .replaceAll(/\b(?:don t|do not)\b/g, "dont")
    .replaceAll("any more", "anymore");
  const said = text.split(" ");
  return MATCHES.some((matches) => matches(said, 0));
}

/** "No stop!", and the German "Not aus!". The Spanish and Portuguese "no pare" is "don't stop". */
const isCry = (word: string, next = ""): boolean =>
  (word === "no" && (next === "wait" || next === "turn" || STOP.test(next))) ||
  (word === "not" && (next === "aus" || next === "halt"));
