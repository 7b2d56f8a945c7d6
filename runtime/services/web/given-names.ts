import { folded } from "../../word-stems.js";
import { canBeName } from "./cues.js";
import { type Found, isPlain } from "./house-words.js";

/**
 * A choice: given names that are common where people speak English, Spanish, Portuguese, German, French, Italian, Dutch, Nordic and
 * Slavic languages. Without those that are plants, places or words: Rose, Iris, Vera, Florence, Grace, Will.
 */
export const GIVEN_NAMES: ReadonlySet<string> = new Set(
  `aaron abigail adam adele adrian adriana agata agnes agnieszka ahmed alan albert alberto aleksander aleksandra alessandra
  alessandro alex alexander alexandra alexandre alexis alfred alfredo alice alicia alina alison allison alvaro amanda amelia amelie
  amy ana anders andre andrea andreas andreia andrej andres andrew andrzej angela anita anja anke ann anna anne anneke annette
  annika antje anthony antoine anton antonia antonio arne arthur arturo asha astrid barbara bart beata beate beatrice beatriz
  belinda ben benedikt benjamin bernard bernd bernhard bert betty bettina bianca bill bjorn bob bogdan boris bram brandon brenda
  brian brigitte bruno bryan caio camila camille carina carl carla carlos carmen carol carolina caroline caterina catherine cecilia
  celia charles charlie charlotte chiara chloe chris christian christiane christina christine christoph christopher cindy claire
  clara claude claudia claudio claus colin conrad corinna craig cristian cristina cynthia dagmar daniel daniela danielle dave david
  deborah denis denise dennis derek diana diane diego dieter dietmar dimitri dirk dmitri dominik don donald donna doris dorota
  dorothy douglas duarte dylan eduardo edward edwin eileen elena eleanor elias elisa elisabeth elise elizabeth ella ellen elsa
  emily emma emanuele enrico enrique eric erich erik erika ernst esther ethan eugene eva evelyn fabian fabio fatima federico felicia
  felipe felix ferdinand fernanda fernando filip filipe finn fiona flavia francesca francesco francisca francisco francois frank
  franz fred frederik friedrich fritz gabriel gabriela gabriele gareth gary geert geoffrey georg george gerald gerard gerd gerhard
  gertrud gianni gilbert gina giorgio giovanni giulia giuseppe gloria gonzalo gordon graham greg gregor gregory greta guido
  guillermo gunter gustav gustavo hanna hannah hans harald harold harry heidi heike heinrich heinz helen helena helene helga helmut
  henri henrik henrique henry herbert hermann hilda holger horst hubert hugo ian ignacio igor ilse ines inga inge ingrid ioana irena
  irene irina isaac isabel isabella isabelle ivan ivana jacek jack jackie jacob jacqueline jacques jakob jakub james jamie jan jana
  jane janet janine jasmin jason javier jean jeff jeffrey jennifer jenny jens jeremy jerome jerry jesper jesse jessica jesus jim
  jimmy joachim joan joana joanna joao joaquin jochen joel joerg joern johan johann johanna johannes john johnny jolanta jonas
  jonathan jorge jose josef joseph josephine joshua juan juanita judith judy julia julian juliana julie julien julio jurgen justin
  justyna kamil karen karin karina karl karla karolina katarina katarzyna kate katharina katherine kathleen kathrin kathryn katia
  katja katrin keith kelly ken kenneth kerstin kevin kim kimberly klaus konrad kristian kristin kristina kristof krzysztof kurt kyle
  lara larry lars laszlo laura laurent lauren lea leandro leila lena leo leon leonard leonardo leonor leticia liam linda lisa logan
  lorena lorenzo lothar lotte louis louise luca lucas lucia luciana lucie lucy ludwig luis luisa luiz lukas luke lutz lydia maciej
  madeleine magda magdalena magnus maja malgorzata manfred manuel manuela mara marc marcel marcelo marcia marcin marco marcos marcus
  margaret margarita margot maria mariana marianne marie mariel marina mario marion marisa marius mark markus marlene marta martha
  martin martina mary mateo mateusz mathias mathieu matilda matteo matthew matthias maureen maurice mauricio max maximilian megan
  melanie melissa mercedes mia michael michaela michal michel michele michelle miguel mikael mikhail mikkel milan milena mirela miriam
  mohamed mohammed moira monika monica monique moritz nadia nadine nancy natalia natalie natasha nathan nathalie nicholas nick nico
  nicola nicolas nicole niels nikolai nils nina noah nora norbert norman nuno oksana olaf ole oleg olga oliver olivia olivier oscar
  oskar otto pablo pamela paola paolo pascal patricia patrick patrik paul paula paulo pavel pawel pedro peggy per peter petra
  philip philipp philippe phillip phyllis pierre pieter pilar piotr rachel rafael rafal rainer ralf ralph ramon raphael raquel rasmus
  raul raymond rebecca regina reinhard renata renate rene ricardo richard rita robert roberta roberto robin rodrigo roger roland
  rolf roman ronald rosa rosemarie roy rui rudolf ruth ryan sabine sabrina salvador salvatore sam samantha samuel sandra sara sarah
  sascha scott sean sebastian sergei sergio sharon shirley sigrid silke silvia simon simona simone sofia sonja sophia sophie stanislav
  stefan stefanie steffen stella stephan stephanie stephen steve steven stuart susan susana susanne suzanne sven svetlana sylvia
  sylvie tamara tania tanja tatiana teresa thea theo theodor theresa thiago thomas thorsten tiago tim tina tobias todd tom tomas
  tomasz tony torben torsten tracy udo ulf uli ulrich ulrike ursula ute uwe valentina valerie vanessa veronica veronika vicente
  victor viktor vincent vincenzo vitor vladimir volker walter waltraud wanda wayne wendy werner wiebke wilhelm willem william
  winfried wojciech wolfgang xavier yolanda yves yvonne zoe zofia`.split(/\s+/),
);

/** Plants that are called after people. */
const PLANTS =
  /st\.? john['’]?s|sweet william|jack frost|black-eyed susan|good king henry|joe pye|jacob['’]s ladder|queen anne['’]s lace|creeping (?:jenny|charlie)|swedish charlie|herb robert|joshua trees?|aaron['’]s (?:beard|rod)|adam['’]s needle|jack[- ]in[- ]the[- ]\w+|johnny jump|stella d['’]oro|ficus benjamin\w*|max frei|robert['’]s geranium/giu;

/** Those that are words, plants or months in one of these languages: in lower case they are no names. */
const USUAL: ReadonlySet<string> = new Set(
  `adam alba angela bert bill bob bruno carol celia christian clara claus claude colin dagmar dirk don donna ella elsa erika ernst
  esther finn frank gloria greg hans harry henri horst inge jack jan jasmin jean jens jerry jesus julio kim kurt lara lea leo lotte
  lutz mara marc marco margarita marina mario mark mary max melissa mercedes mia milan nick nina norman ole olivier per pilar ray
  regina robin roger roland roman rosa rosemarie rui sam scott stella susan tina todd tom tony ute valerie veronica veronika victor
  wanda wayne`.split(/\s+/),
);

export const isGivenName = (plain: string): boolean => GIVEN_NAMES.has(plain);

/** Between the parts of a surname. */
const PARTICLES: ReadonlySet<string> = new Set(
  "von van de der den ten ter da do dos das del della di la le du el bin al zu zum".split(" "),
);
/** A choice: a given name, a second one, a particle of two words and a double surname. */
const MAX_WORDS = 6;

const WORD = /\p{L}[\p{L}'’-]*\.?/gu;
/** "Anna" and "B.", not "ANNA": of a text in capitals every word would be one. */
const isCapital = (word: string): boolean => /^\p{Lu}(?:\p{Ll}|\.|['’]\p{Lu}|$)/u.test(word);
/** "Anna's" and "Anna-Lena" count by their first part. */
const firstPart = (word: string): string => folded(word.replace(/['’]s$|\.$/u, "").split("-")[0] ?? "");

/** "anna", as people type it. */
const isLowerName = (word: string): boolean =>
  /^\p{Ll}+(?:['’]s)?$/u.test(word) && GIVEN_NAMES.has(firstPart(word)) && !USUAL.has(firstPart(word));

/** Given names in any case but capitals throughout, and what of the name stands behind them. */
export function foundByGivenName(text: string): readonly Found[] {
  const plants = [...text.matchAll(PLANTS)].map(({ index, 0: { length } }) => ({
    from: index,
    to: index + length,
  }));
  const words = [...text.matchAll(WORD)].map(({ index, 0: word }) => ({
    word,
    from: index,
    to: index + word.length,
  }));
  const found: Found[] = [];
  let at = 0;
  while (at < words.length) {
    const first = words[at];
    const isName =
      first && ((isCapital(first.word) && GIVEN_NAMES.has(firstPart(first.word))) || isLowerName(first.word));
    const isPlant = first && plants.some(({ from, to }) => first.from >= from && first.to <= to);
    if (!first || !isName || isPlant || isInside(text, first.from)) {
      at += 1;
      continue;
    }
    const last = at + lengthOfName(text, words.slice(at, at + MAX_WORDS)) - 1;
    const end = words[last]?.to ?? first.to;
    found.push({ kind: "person", from: first.from, to: /\.$/.test(text.slice(0, end)) ? end - 1 : end });
    at = last + 1;
  }
  return found;
}

/** Part of an address, a file or an id. */
const isInside = (text: string, from: number): boolean => /[\w@/.-]/.test(text[from - 1] ?? " ");

/** How many words belong to it: initials, particles, and capitals that are no usual words. */
function lengthOfName(text: string, words: readonly { word: string; from: number; to: number }[]): number {
  let length = 1;
  for (let at = 1; at < words.length; at += 1) {
    const [former, each] = [words[at - 1], words[at]];
    if (
      !former ||
      !each ||
      !/^ $/.test(text.slice(former.to, each.from)) ||
      /[’']s$|[^.]{2}\.$/u.test(former.word)
    )
      break;
    if (PARTICLES.has(each.word)) continue;
    // "joshua parker": of a name in lower case one more word
    if (at === 1 && isLowerName(former.word) && canBeName(each.word, isGivenName)) {
      length = 2;
      continue;
    }
    if (!isCapital(each.word) || isPlain(firstPart(each.word))) break;
    length = at + 1;
  }
  return length;
}
