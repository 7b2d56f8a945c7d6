import { folded } from "../../word-stems.js";
import { type Found, isPlain } from "./house-words.js";

/**
 * Names that stand behind, or before, words that only persons have: "my daughter X", "mrs X", "X's room", "call X about". People who
 * type a search write names in lower case, so here case counts for nothing. What stands there is a name unless it is a word of the
 * language: that list is short, because few words can stand there.
 */

/** The words of a text, as alternatives of a pattern. */
const list = (text: string): string => text.trim().split(/\s+/).join("|");

const RELATIVES = list(`
  wife husband partner son daughter child toddler mother father mum mom dad brother sister grandmother grandfather grandma
  grandpa granny aunt uncle cousin nephew niece stepson stepdaughter grandson granddaughter neighbour neighbor friend girlfriend
  boyfriend fiance fiancee boss colleague flatmate roommate housemate landlord landlady tenant nanny teacher
  frau mann sohn tochter mutter vater mama papa bruder schwester oma opa tante onkel cousine neffe nichte enkel enkelin nachbar
  nachbarin freund freundin chef chefin kollege kollegin mitbewohner mitbewohnerin vermieter vermieterin
  esposa esposo marido hijo hija madre padre mama papa hermano hermana abuelo abuela tio tia primo prima sobrino sobrina nieto nieta
  vecino vecina amigo amiga novio novia jefe jefa companero companera
  mulher filho filha mae pai irmao irma avo tio tia neto neta vizinho vizinha namorado namorada chefe colega`);

const RELATIVE_WORDS: ReadonlySet<string> = new Set(RELATIVES.split("|"));

/** Who has them. Spanish and Portuguese can say "the neighbour X" too. */
const OWNERS =
  list(`my our his her your mein meine meiner meinem meinen unser unsere unserer unserem unseren mi mis nuestro nuestra
  tu su minha meu nossa nosso sua seu`);
const ARTICLES = list("el la o a");
const NEIGHBOURS = list("vecino vecina vizinho vizinha jefe jefa");

/** Before a name alone. Not "miss", "ms" and "don", which are words of other things. */
const TITLES = list(
  `mr mrs dr prof herr herrn frau senor senora senhor senhora dona sr sra oma opa tante onkel madame monsieur mme`,
);

/** Professions and persons that somebody "called X" can be. */
const CALLED_PERSONS = `${RELATIVES}|${list("gardener florist plumber doctor dentist cleaner man woman boy girl person gartner gartnerin florista jardinero jardineiro")}`;
const CALLED = list("named called namens genannt llamado llamada chamado chamada");

/** What belongs to one person: behind "X's". */
const OWNED = list(
  "room bedroom bed desk flat apartment office birthday phone address funeral wedding graduation grave zimmer schlafzimmer geburtstag",
);
const ROOM_OF = `(?:cuarto|habitacion|dormitorio) de|quarto d[aeo]|zimmer von`;

/** What is given to persons: "a gift for X". */
const GIFTS =
  list(`gift present birthday bouquet geschenk geburtstag geburtstagsgeschenk geburtstagsstrauß strauß blumenstrauß
  regalo cumpleanos ramo presente aniversario buque`);

/** What only persons have or get: "the birthday of X", "a letter to X". */
const DAYS_OF = `(?:birthday|funeral|wedding|grave|obituary) of|(?:geburtstag|beerdigung|hochzeit|grab) von|(?:cumpleanos|funeral|boda|tumba) de|(?:aniversario|casamento|enterro) d[aeo]`;
const LETTERS = list(
  "letter postcard card note message invitation speech poem brief karte postkarte einladung carta tarjeta mensaje invitacion cartao convite",
);

/** What persons and places get: "flowers for X", where X can be a purpose too. So X must stand alone, and be none of these words. */
const FLOWERS = list(`
  flowers roses bunch wreath cake blumen rosen kranz torte flores rosas corona tarta pastel coroa bolo`);
const ALONE =
  "(?=$|[,.;:?!]| (?:and|or|on|at|in|from|who|with|because|but|when|as|to|und|oder|am|zum|zur|im|mit|weil|y|o|en|con|que|porque|e|ou|em|no|na|com) )";
const PURPOSES: ReadonlySet<string> = new Set(
  list(`
  shade sun sunlight sunshine light privacy scent fragrance smell colour color drought frost winter summer spring autumn fall rain heat cold
  balcony border bed beds container basket pot vase window windowsill patio terrace pergola arch trellis fence hedge wall
  rockery path pond lawn greenhouse allotment cemetery church table centrepiece centerpiece hospital restaurant shop sale
  bee butterfly bird hummingbird pollinator insect rabbit cat tortoise chicken
  clay sand chalk soil drying cutting pressing tea salad cake confetti soap perfume decoration display dye food medicine
  bride groom bridesmaid ceremony proposal prom graduation anniversary housewarming birthday valentine valentines mothers fathers
  mother's father's valentine's easter halloween thanksgiving ramadan diwali sympathy apology self santa editor council company
  bank school university customer client beginner gardener hayfever allergy zone full partial half deep dry wet hot cold hanging
  schatten halbschatten sonne licht sichtschutz duft farbe trockenheit sommer winter fruhling fruhjahr herbst balkon beet kasten
  kubel topf vase fenster terrasse garten grab friedhof kirche tisch wiese hecke zaun spalier rankgitter bogen steingarten teich
  draussen drinnen biene schmetterling insekt vogel hummel lehmboden sandboden schnitt salat tee hochzeit geburtstag muttertag
  valentinstag ostern weihnachten trauerfeier beerdigung taufe einschulung konfirmation kommunion jubilaum vermieter hausverwaltung
  sombra sol luz privacidad aroma color sequia heladas invierno verano primavera otono balcon maceta maceton jardinera jarron
  jardin terraza interior exterior seto valla muro pergola cementerio iglesia mesa estanque abeja mariposa pajaro colibri arcilla
  secar cortar te ensalada boda cumpleanos navidad pascua funeral bautizo comunion regalar decorar plantar sembrar casero
  sombra vaso jardim varanda janela terraco exterior cerca muro cemiterio igreja lago abelha borboleta beija-flor inverno verao
  primavera outono seca geada cha salada casamento aniversario natal pascoa velorio batizado formatura presente presentear dia
  decoracao plantar sol pleno iluminacao
  january february march april may june july august september october november december monday sunday weekend night
  rooftop roof gravel slope bank edge edging ground groundcover corner driveway porch deck garage barn cottage house apartment flat
  entrance entry door desk shelf bathroom kitchen bedroom nursery classroom hotel cafe market exhibition competition show picnic
  party dinner lunch brunch breakfast tray bucket tub planter box crate wheelbarrow bottle jar bouquet arrangement wreath garland
  crown hair skin photography painting drawing tattoo health sleep energy luck love peace memory remembrance mourning soldier veteran
  landscape meadow woodland forest prairie beach coast mountain desert city town village street park roundabout
  beginner newbie senior adult toddler patient doctor vegan
  januar februar marz mai juni juli oktober dezember montag sonntag wochenende nacht
  zimmer seite schale platz haus raum wand rand hang eimer korb ecke keller dach treppe stelle flache boden erde fuss rahmen matte
  allergiker anfanger senior hotel markt ausstellung fest feier essen fruhstuck kita schule buro arzt krankenhaus pflegeheim
  strauss gesteck deko haar haut foto bild tattoo liebe gluck trauer andenken wald strand stadt dorf strasse
  enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes domingo semana noche
  macetero arco enrejado rincon entrada puerta cocina bano sala salon dormitorio oficina escuela clase fiesta cena comida desayuno
  apartamento piso casa finca campo huerto parque calle playa ciudad pueblo bosque montana foto tatuaje pelo piel amor suerte luto
  canteiro sacada floreira jardineira porta entrada cozinha quarto escritorio escola festa jantar almoco mes semana noite
  junho julho setembro outubro novembro dezembro janeiro fevereiro maio praia cidade sitio horta rua foto tatuagem cabelo pele luto`).split(
    "|",
  ),
);
/** Endings of what is no person, in the same languages. */
const ABSTRACT =
  /(?:ness|ment|tion|sion|ship|hood|ture|ity|ung|heit|keit|schaft|cion|dad|eza|cao|dade|agem)$/;

/** Behind "call X", before what it is about. */
const ABOUT = list("about for if whether to at on regarding wegen an ob sobre para se que");
const ASKED =
  "(?:call|ask|text|email|phone|remind|frag|frage|ruf|llama a|pregunta a|avisa a|ligue para|pergunte a|liga para)";

/** Words that can stand where a name does, in the same languages, folded. */
const WORDS: ReadonlySet<string> = new Set(
  list(`
  a an the this that these those it its he she they them him her his their my our your me us you we i is are was were be been has
  have had do does did can could will would shall should may might must not no yes and or but so as if when while because
  about at for from in into of off on onto out over to up with without by than then too also very just really always never often
  who whom which what why how where here there now today yesterday soon again still already only
  wants want likes like loves love hates needs need keeps kept puts put gives gave got gets took takes said says thinks thought
  broke ate left let bought brought made found grew knew lost saw sold sent set spilled stood told threw used went wrote fell hurt
  dug forgot began came drank read cut hit grows goes eats asks tries killed knocked moved
  everyone everybody someone somebody anyone nobody people person children kids kid baby babies guests guest parents family
  beginners gardeners gardener lovers lover friends women men man woman boy girl boys girls mum mom dad mother father grandma
  teacher teachers wedding christmas easter birthday party school home work new old little big small young older younger best
  help advice information more less all both each some any one two three plumber florist doctor store shop customer support
  der die das den dem des ein eine einer einem einen eines mein meine dein sein seine ihr ihre unser und oder aber nicht kein
  keine ist sind war hat haben hatte will mag mochte muss soll kann darf wird wurde geht gibt giesst pflegt sagt meint findet
  vergisst kauft liebt braucht immer nie oft sehr auch nur schon noch wieder bei mit ohne von vom zu zum zur fur auf aus an am im
  in um uber unter nach vor wenn weil dass ob wie was wer wo warum so es er sie wir ich du man kinder kind kindern eltern gast
  gaste gasten freunde freundin mutter vater mama oma opa tante garten hund katze anfanger oben unten innen aussen hinten vorne
  natur nun eigentlich
  el la los las lo un una unos unas mi mis tu su sus y o pero no ni que es son era esta estan tiene tienen tenia quiere quieren
  dice dijo riega rego pone puso hace hizo compra compro come comio corto rompio olvida olvido cree necesita gusta puede debe va
  fue ha han se le les me te nos de del al a en con sin por para sobre como cuando donde porque muy mas menos siempre nunca ya
  aqui alli hoy ayer todos todas ninos ninas nino nina hijo hija hijos bebe invitados invitado padres madre padre mama papa abuela
  abuelo bano estar hora lavado juegos cultivo hotel matrimonio dos tres huespedes cumpleanos boda navidad amigo amiga
  o os as um uma uns umas meu minha seu sua e mas nao nem sao esta tem tinha quer querem diz disse rega regou poe pos faz fez
  compra come cortou quebrou esqueceu acha precisa gosta pode deve vai foi se lhe da do das dos na no nas nos em com sem por
  pelo pela quando onde muito mais menos sempre nunca ja aqui hoje ontem crianca criancas filho filha bebe casal solteiro hospedes
  visitas mae pai avo casamento natal frente fundos
  poda podo planta planto plantou podou cultiva trasplanta fertiliza abona aduba cuida mata mato
  amante amantes jardinero jardinera hobbygartner gartner enthusiast enthusiasts
  law dog cat plant plants tree garden office nurse boss new year wegen bezuglich regarding acerca`).split(
    "|",
  ),
);

/** "wants", "planted", "watering": a verb, where "James" and "Thaddeus" are names. */
const VERBS = /(?:[^aious]s|[^aeiou](?<!fr|ldr)ed|ing|ando|endo|indo)$/;
/** German verbs of the third person. */
const GERMAN_VERBS = /(?:[^aeiouy]t|[^aeiou]et|[lrgt]te)$/;

const NAME = "(?<own>\\p{L}[\\p{L}'’-]+)";
const AT = "(?<![\\p{L}\\p{N}'’-])";
const rx = (source: string): RegExp => new RegExp(`${AT}${source}`, "giu");

const CUES: readonly RegExp[] = [
  rx(`(?:${OWNERS}) (?:\\p{L}+ )?(?:${RELATIVES}),?(?: (?:${CALLED}))? ${NAME}`),
  rx(`(?:${ARTICLES}) (?:${NEIGHBOURS}) ${NAME}`),
  rx(`(?:${TITLES})\\.? ${NAME}`),
  rx(`(?:${CALLED_PERSONS}) (?:${CALLED}) ${NAME}`),
  rx(`(?:${ROOM_OF}) ${NAME}`),
  rx(`(?:${GIFTS})(?: \\p{L}+){0,3} (?:for|fur|para|an) ${NAME}`),
  rx(`(?<own>(?<owner>\\p{L}[\\p{L}-]+)['’]s) (?:${OWNED})(?!\\p{L})`),
  rx(`(?<own>(?<owner>\\p{L}{2,}[a-df-rt-z])s) (?:zimmer|schlafzimmer|geburtstag)(?!\\p{L})`),
  rx(`${ASKED} ${NAME}(?= (?:${ABOUT})(?!\\p{L}))`),
  rx(`(?:${DAYS_OF}) ${NAME}`),
];

/** Behind these stands a person, or what the thing is for. */
const LETTER_CUE = rx(`(?:${LETTERS}) (?:to|for|an|fur|a|para) (?:(?:${RELATIVES}) )?${NAME}`);
/** Cues behind which a purpose stands more often than a person. */
const OPEN_CUE = rx(`(?:${FLOWERS}) (?:for|fur|para) ${NAME}${ALONE}`);

/** Plurals count too, and what a compound ends with: "Balkonkasten". */
const isPurpose = (word: string): boolean => {
  const plain = folded(word);
  const forms = [plain, ...PLURALS.map((ending) => plain.replace(ending, ""))];
  return (
    ABSTRACT.test(plain) ||
    forms.some((form) => PURPOSES.has(form) || LONG_PURPOSES.some((purpose) => form.endsWith(purpose)))
  );
};
const PLURALS = [/s$/, /es$/, /n$/, /en$/];
const LONG_PURPOSES = [...PURPOSES].filter(({ length }) => length >= 5);

/** Whether a name can be spelled so: any word that is none of the language's, and no kind of plant. */
export function canBeName(word: string, isGivenName: (name: string) => boolean): boolean {
  const plain = folded(word);
  if (isGivenName(plain)) return true;
  if (WORDS.has(plain) || RELATIVE_WORDS.has(plain) || isPlain(plain) || plain.length < 2) return false;
  return !VERBS.test(plain) && !GERMAN_VERBS.test(plain);
}

/** Words of these languages, folded: what a name is told from. */
export const LANGUAGE_WORDS: readonly string[] = [...WORDS, ...RELATIVE_WORDS, ...PURPOSES];

/** What a word's spelling says: above 0 a name, below a word (name-shape.ts). */
type Shape = (word: string) => number;

/** Choices: at 1 two of three rare names are found, and one of eight purposes that are in no list is taken for one. */
const LOOKS_LIKE_NAME = 1;
/** A capital within a text counts for much, but not in German, where every noun has one. */
const CAPITAL_NAME = -6;

/** Each name that a cue tells of. `text` is searched without accents, so it has the same length folded; else nothing is found. */
export function foundByCue(
  text: string,
  isGivenName: (name: string) => boolean,
  shape: Shape,
): readonly Found[] {
  const plain = withoutAccents(text);
  const find = (cue: RegExp, isOne: (word: string) => boolean): readonly Found[] =>
    [...plain.matchAll(cue)].flatMap(({ index, 0: whole, groups }): Found[] => {
      const own = groups?.own ?? "";
      const from = index + whole.lastIndexOf(own);
      const first = groups?.owner ?? own.split(/['’]/)[0] ?? "";
      if (!canBeName(first, isGivenName) || !isOne(first)) return [];
      const end = from + own.replace(/['’]s$/, "").length;
      return [{ kind: "person", from, to: end + restOfName(text.slice(end)) }];
    });
  const hasCapital = (word: string) => /^\p{Lu}\p{Ll}/u.test(word) && !/ f[uü]r /i.test(text);
  const isAlone = (word: string) =>
    !isPurpose(word) && shape(word) > (hasCapital(word) ? CAPITAL_NAME : LOOKS_LIKE_NAME);
  return [
    ...CUES.flatMap((cue) => find(cue, () => true)),
    ...find(LETTER_CUE, (word) => !isPurpose(word)),
    ...find(OPEN_CUE, isAlone),
  ];
}

/** Whatever stands behind it with a capital, and is no usual word, belongs to the name. */
function restOfName(text: string): number {
  let length = 0;
  for (const { 0: match } of text.matchAll(/(?<=^|\p{L})[ -](\p{Lu}[\p{L}'’-]*)/gu)) {
    const word = folded(match.slice(1));
    if (!text.startsWith(match, length) || isPlain(word) || WORDS.has(word)) break;
    length += match.length;
  }
  return length;
}

/** Each letter for itself, so that places stay the same. */
const withoutAccents = (text: string): string =>
  text.replaceAll(/[\u00c0-\u024f]/g, (letter) => {
    const plain = letter.normalize("NFD").replaceAll(/\p{M}/gu, "");
    return plain.length === 1 ? plain : letter;
  });
