import { ENTITY_DOMAINS } from "../../wire/home.js";
import type { PrivateKind } from "../../wire/web-search.js";
import type { Found } from "./house-words.js";

/** What is private by its form, whoever's it is. */
interface Pattern {
  readonly kind: PrivateKind;
  /** If it has a group `own`, that alone is removed. */
  readonly pattern: RegExp;
  /** Whether what fits is one: a check sum, or what it is not. */
  is?(text: string): boolean;
}

const digitsIn = (text: string): string => text.replaceAll(/\D/g, "");

/** Luhn's check sum (ISO/IEC 7812-1, annex B). */
function isCard(text: string): boolean {
  const digits = [...digitsIn(text)].reverse().map(Number);
  const sum = digits.reduce((all, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return all + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  // Maestro's may be as short as 12 (ISO/IEC 7812-1 has 19 at most)
  const shortest = /^(?:5[06-8]|6)/.test(digitsIn(text)) ? 12 : 13;
  return digits.length >= shortest && digits.length <= 19 && sum % 10 === 0 && new Set(digits).size > 1;
}

/** Spain's DNI and NIE: the letter is the number's remainder by 23 (Ministerio del Interior, "Cálculo del dígito de control"). */
function isSpanishId(text: string): boolean {
  const bare = text.replace("-", "").toUpperCase();
  const number = bare.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(number) % 23] === bare.at(-1);
}

/** The remainder by 97 is 1 (ISO 13616-1, 6.2). */
function isIban(text: string): boolean {
  const bare = text.replaceAll(/[ -]/g, "").toUpperCase();
  const moved = bare.slice(4) + bare.slice(0, 4);
  const remainder = [...moved].reduce((rest, each) => Number(`${rest}${Number.parseInt(each, 36)}`) % 97, 0);
  return bare.length >= 15 && bare.length <= 34 && remainder === 1;
}

const DATE = /\b(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})\b/;

/** Octets up to 255 (RFC 791), and not one of the name servers that everybody asks. */
const isAddressOfNet = (text: string): boolean =>
  text.split(".").every((octet) => Number(octet) <= 255) &&
  !/^(?:8\.8\.[48]\.[48]|1\.[01]\.[01]\.1|9\.9\.9\.9|127\.|0\.)/.test(text);

/** Text that was encoded (RFC 4648): hardly any other word of this length decodes to letters and signs alone. */
function isEncoded(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 8 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** 8 to 15 digits (ITU-T E.164, 6), not a date. */
function isPhone(text: string): boolean {
  const { length } = digitsIn(text);
  return length >= 8 && length <= 15 && !DATE.test(text);
}

/** A choice: a run of so many letters and digits, of several kinds, is no word. */
const isRandom = (text: string): boolean =>
  /\d/.test(text) &&
  /[a-z]/i.test(text) &&
  (/^[0-9a-f]+$/i.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text)));

const FILES = /\.(?:com|de|html?|ino|io|jpe?g|js|json|log|md|net|org|pdf|php|png|py|sh|ts|txt|yaml|yml)$/;

const DAYS =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|segunda|terça|quarta|quinta|sexta";
const MONTHS =
  "jan(?:uary|uar)?|feb(?:ruary|ruar)?|march|märz|april|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|oktober|nov(?:ember)?|dec(?:ember)?|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|octubre|noviembre|diciembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro";
const CLOCK = "(?:\\d{1,2}:\\d{2}|\\d{1,2} ?(?:am|pm|uhr|h)\\b)";

const rx = (source: string, flags = "giu"): RegExp => new RegExp(source, flags);

const KEYS: readonly RegExp[] = [
  // with all behind it: a key that was pasted has its end somewhere
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g,
  // as their issuers document them: AWS, GitHub, GitLab, OpenAI and Stripe, Slack, Google, npm, Hugging Face, Telegram; RFC 7519
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g,
  // one that a blank has cut in two
  /\b(?:sk|pk|rk|glpat|xox[abeprs])[-_](?=[\w -]*\d)[\w-]{6,} [\w-]{12,}/g,
  /\b(?:xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,})/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g,
];

/** "the password is hunter2": the value has a digit or a sign, else "the password is wrong" would have one. */
const SAID_KEY = rx(
  "(?:password|passwort|passwd|contraseña|senha|passphrase|secret|token|api[ _-]?key|pin|code)(?: is| ist| es| é|:| ?=) ?(?<own>(?=\\S*[\\d!@#$%&*])[^\\s,;]{4,})",
);

/** "wifi password Sunflower77", "PIN 4711": without a verb only what looks like one. "pin 17" is one of a board. */
const SHOWN_KEY = rx(
  "\\b(?:(?:password|passwort|passwd|contraseña|senha|passphrase) (?<own>(?=\\S*\\d)[^\\s,;]{4,})|pin(?:[ -]?code)? \\d{4,8}\\b)",
);

/** Kinds of streets that stand before, behind, or at the end of a street's own name. */
const STREETS = {
  before:
    "rue|calle|avenida|avda\\.?|av\\.?|alameda|camino|trav\\.|estrada|rodovia|rua|piazza|piazzale|plaza|plaça|praça|place|travessa|carrera|paseo|viale|corso|strada|largo|quai|chemin|impasse|boulevard|bd\\.|ulica|ul\\.|aleja|al\\.|rruga|via",
  behind:
    "street|road|avenue|lane|boulevard|blvd|parkway|highway|alley|straße|strasse|utca|tér|cesta|ulica|trg",
  /** Words of other things too: they count at the end of a part of a sentence. */
  perhaps:
    "drive|court|way|close|crescent|terrace|squares?|place|trail|grove|mews|circle|st|rd|ave|ln|dr|ct|út",
  end: "straße|strasse|(?<!ichtungs|ummi|chlauch|lemm)ring|damm|ufer|chaussee|stieg|straat|gasse|allee|platz|laan|weg|plein|kade|gracht|singel|dreef|gatan|gata|vägen|heden|gade|vej|stræde|veien|vegen|gate|katu|kuja|polku|tie|utca",
};
/** A word of a street's or a town's name, with what may stand between two of them. */
const NAME = "\\p{Lu}[\\p{L}'’.-]+";
const LINK =
  "(?:de|du|des|del|della|da|do|dos|das|di|la|le|las|los|van|von|der|den|het|ten|y|e|i|na|pod) |[dl]['’]";
/** What may follow a street. */
const STREET_ENDS = "(?=[,.;:?!\\n]|$| \\d| (?:Apt|Suite))";
/** "Apt. 12", then what is left of the address: a town, a state, a postcode. */
const FLAT =
  "(?:[,\\s]+(?:[Aa]pt|[Aa]partment|Suite|Ste|(?<=, ?)Unit|(?<=, ?)Flat)\\.? ?\\d+[a-z]?(?!\\p{L}))";
const TOWN = `(?:[,\\s]+${NAME}){1,4}`;
const POSTCODE = "(?:[,\\s]+(?:\\p{Lu}{2}[,\\s]+)?\\d{4,5}(?:-\\d{4})?(?!\\d))";
const HOUSE = "\\d{1,5} ?[a-z]?(?![\\p{L}\\d])";

/** A street with its number, alone or followed by flat, town and postcode. `i` would take every word for a name. */
const street = (source: string): RegExp =>
  rx(`(?<![\\p{L}\\d])(?:${source})${FLAT}?(?:(?:${TOWN})?${POSTCODE})?`, "gu");
const anyCase = (words: string): string =>
  words.replaceAll(/(?<=^|\|)\p{L}/gu, (first) => `[${first}${first.toUpperCase()}]`);

const ADDRESSES: readonly RegExp[] = [
  rx("\\b\\d{1,5}[a-z]?,? (?:[\\p{L}'’.-]+ ){1,3}(?:street|road|avenue|lane|boulevard|blvd)\\b"),
  street(`${HOUSE},? (?:\\d{1,5} )?(?:${NAME} ){1,3}(?:${anyCase(STREETS.behind)})\\b(?: ${HOUSE})?`),
  street(`${HOUSE},? (?:\\d{1,5} )?(?:${NAME} ){1,3}(?:${anyCase(STREETS.perhaps)})\\b\\.?${STREET_ENDS}`),
  street(`(?:\\d{1,5} )?(?:${NAME} ){1,2}(?:${anyCase(STREETS.behind)}),? ${HOUSE}`),
  street(`(?:\\d{1,5} )?[\\p{L}-]+(?:${STREETS.end}|str\\.)\\s+${HOUSE}`),
  street(
    `(?:\\d{1,5} )?\\d{1,5},? (?:${anyCase(STREETS.before)}) (?:${LINK}){0,3}${NAME}(?: ${NAME}){0,3}(?: \\d{1,4})?`,
  ),
  street(
    `(?:${anyCase(STREETS.before)})\\s+(?:[\\p{L}'’.-]+\\s+){0,4}[\\p{L}'’.-]+,?\\s+(?:n[º°.o]\\.?\\s*)?${HOUSE}`,
  ),
  // a flat makes an address of whatever street stands before it
  rx(
    `(?<![\\p{L}\\d])\\d{1,5},? (?:\\d{1,5} )?(?:[\\p{L}'’./-]+ ){0,4}(?:\\p{Lu}[\\p{L}'’./-]+|\\d{1,5}\\.?)${FLAT}(?:(?:${TOWN})?${POSTCODE})?`,
    "gu",
  ),
  // in lower case, with a flat
  rx(
    `(?<![\\p{L}\\d])\\d{1,5}[a-z]? (?:[\\p{L}'’-]+ ){1,3}(?:${STREETS.behind}|${STREETS.perhaps})\\.?,? (?:flat|apt|apartment|unit|suite) ?\\d+[a-z]?(?!\\p{L})`,
  ),
  // where somebody says so
  rx(
    `\\b(?:my|our|his|her|home|billing|postal|mailing|shipping|delivery|meine?|unsere?|mi|nuestra|meu)(?: (?!i2c|ip|mac|e-?mail|bus|web)\\w+){0,2} (?:address|adresse|anschrift|dirección|endereço|domicilio)(?: is| ist| es| é| to)?(?::| the same:)? (?<own>(?!0x)(?=[^?!]*\\d)[\\p{L}\\d][^?!;]{6,90})`,
  ),
  /\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/g, // a British postcode
  /\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]) \d{5}(?:-\d{4})?\b/g, // a state and its postcode
];

const SCHEDULES: readonly RegExp[] = [
  rx(`\\b(?:${DAYS})\\b.{0,20}?${CLOCK}`),
  rx(`${CLOCK}.{0,12}?\\b(?:${DAYS})\\b`),
  rx(`\\b(?:every|each|daily|weekdays|jeden|täglich|todos los|cada|todo dia)\\b.{0,20}?${CLOCK}`),
  rx(`${CLOCK} ?(?:-|–|to|and|until|bis|und|hasta|a|à|às|até) ?${CLOCK}`),
  /(?<![\d*])(?:(?:\*|\d{1,2})(?:[/,-]\d{1,2})* ){2}(?:\*|\d)(?:[/,-]\d{1,2})* (?:\*|\d)(?:[/,-]\d{1,2})* (?:\*|\d)(?:[/,-]\d)*(?![\d*])/g,
  rx(
    `\\b(?:away|holidays?|vacation|out of town|not (?:at )?home|(?:nobody|no one)(?: is)?(?: at)? home|niemand(?: ist)? (?:zu ?hause|daheim)|nadie en casa|ninguém em casa|verreist|urlaub|vacaciones|férias)\\b.{0,30}?(?:\\b(?:${DAYS}|${MONTHS})\\b|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}\\b|\\d{1,2} ?(?:-|–|to|until|bis|a|às) ?\\d{1,2}\\b)`,
  ),
  /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g,
];

const DEVICES: readonly RegExp[] = [
  /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi,
  /(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,5}(?![\w:])/gi,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b[a-z0-9-]+\.(?:local|lan|internal|fritz\.box)\b/gi,
];

/** Who is named with a title or as a relative: "Dr. Weber", "my son Tom". */
const RELATIVES =
  "wife|husband|partner|son|daughter|child|mother|father|mum|mom|dad|brother|sister|grandmother|grandfather|neighbou?r|friend|boss|colleague|flatmate|frau|mann|sohn|tochter|mutter|vater|bruder|schwester|nachbarin?|freundin?|chefin?|esposa|marido|hij[oa]|madre|padre|herman[oa]|vecin[oa]|amig[oa]|filh[oa]|mãe|pai|irmão|irmã|vizinh[oa]";
/** The names of persons behind them begin with a capital, so the whole pattern cannot ignore case. */
const EITHER_CASE = RELATIVES.replaceAll(/(?<=^|\|)\p{L}/gu, (first) => `[${first}${first.toUpperCase()}]`);
const PERSONS: readonly RegExp[] = [
  /\b(?:Mrs?|Ms|Miss|Dr|Prof|Herrn?|Frau|Sra?|Señora?|Senhora?|Dona|Mme|Monsieur|Madame)\.? (?<own>\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)/gu,
  new RegExp(
    `\\b(?:[Mm]y|[Oo]ur|[Mm]eine?[rmn]?|[Uu]nsere?[rmn]?|[Mm]is?|[Mm]inha|[Mm]eu)(?: (?:${EITHER_CASE}))(?:,| named| called| namens)? (?<own>\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+)?)`,
    "gu",
  ),
  /\b(?:[Mm]y name is|I am called|[Ii]ch hei(?:ß|ss)e|[Mm]e llamo|[Mm]eu nome é|[Mm]e chamo) (?<own>\p{L}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)/gu,
  // a name with an initial in it
  /(?<![\p{L}\d.])(?<!\. )\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)? \p{Lu}\. \p{Lu}[\p{L}'’-]+/gu,
  // at the end of a letter, and at its beginning
  /\b(?:Dear|Hi|Hello|Hallo|Liebe[rs]?|Querid[oa]|Best regards|Kind regards|Regards|Sincerely|Yours|Grüße|Saludos|Signed),? (?<own>\p{Lu}\p{Ll}[\p{L}'’-]+(?: (?:\p{Lu}\. )?\p{Lu}[\p{L}'’-]+)?)(?=[,.!?\n]|$)/gu,
];

/** Without the domains that stand before a full stop in questions about programs: text.length, event.target. */
const TELLING_DOMAINS = ENTITY_DOMAINS.filter(
  (domain) => !["event", "image", "schedule", "text", "timer"].includes(domain),
);
const ENTITY = rx(`\\b(?:${TELLING_DOMAINS.join("|")})\\.[a-z0-9]+(?:_[a-z0-9]+)*\\b`, "g");

const each = (kind: PrivateKind, patterns: readonly RegExp[], is?: Pattern["is"]): readonly Pattern[] =>
  patterns.map((pattern) => ({ kind, pattern, ...(is && { is }) }));

const PATTERNS: readonly Pattern[] = [
  ...each("key", [...KEYS, SAID_KEY, SHOWN_KEY]),
  ...each("key", [/(?<![\w/+=-])[A-Za-z0-9_+/=-]{24,}(?![\w/+=-])/g], isRandom),
  ...each("key", [/(?<![\w/+=-])[A-Za-z0-9_+/-]{11,}={0,2}(?![\w/+=-])/g], isEncoded),
  ...each("e-mail", [
    /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/gu,
    /[\p{L}\d_%+-]+(?:(?: \. |\.)[\p{L}\d_%+-]+)* ?@ ?[\p{L}\d-]+(?: ?\. ?[\p{L}\d-]+)* ?\. ?[\p{L}]{2,}/gu,
    /\b[\w.+-]+ ?[([{<]? ?(?:at|ät|arroba|klammeraffe|@) ?[)\]}>]? ?[\w-]+(?: ?[([{<]? ?(?:dot|punkt|punto|ponto) ?[)\]}>]? ?[\w-]+)*(?: ?[([{<]? ?(?:dot|punkt|punto|ponto) ?[)\]}>]? ?)[a-z]{2,}\b/gi,
    /\b[\w.+-]+ ?[([{<] ?(?:at|ät|arroba|a|ä|@) ?[)\]}>] ?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi,
  ]),
  ...each(
    "account",
    [
      /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b/gi,
      /\b[A-Z] ?[A-Z](?:[ -]{0,2}\d){13,32}(?!\d)/gi,
    ],
    isIban,
  ),
  ...each("account", [/(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g]), // of the United States' social security
  ...each("account", [/(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])/g]), // Brazil's CPF
  ...each("account", [/(?<![\w-])(?:\d{8}|[XYZ]\d{7})-?[A-Z](?![\w-])/gi], isSpanishId),
  ...each(
    "card",
    [/(?<![\d.])\d{4}(?:\.\d{4}){3}(?![\d.]*\d)/g, /(?<!\d|\d\.)(?:\d[ _-]{0,3}){11,18}\d(?!\d|\.\d)/g],
    isCard,
  ),
  ...each(
    "phone",
    [
      /(?<![\w.+])(?:\+|00)[1-9][\d ()./_-]{6,}\d(?!\w)/g,
      /(?<![\w.])\(?0[1-9][\d ()./_-]{6,}\d(?!\w)/g,
      /(?<![\w.-])\(?[2-9]\d{2}[) .-]{1,2}\d{3}[ .-]\d{4}(?!\w)/g,
      // pairs, as in France
      /(?<![\w.-])\d{2}(?:-\d{2}){3,4}(?![\w-])/g,
      // an area's code in brackets
      /(?<![\w.])\(\d{2,5}\)[ -]?\d[\d -]{4,}\d(?!\w)/g,
      // where somebody says so
      rx(
        "\\b(?:tel|telephone|telefon|telefono|teléfono|telefone|phone|mobile|handy|cell|fax|whatsapp|sms|number|nummer|\\p{L}+nummer|número|móvil|movil|celular|telemóvel|call(?: me)?|text me|ll[aá]mame|ruf|ligue|liga)\\b[^\\d\\n+(]{0,14}(?<own>[+(]?\\d[\\d ()./-]{5,}\\d)(?!\\w)",
      ),
      // as people in Spain, Brazil and India write them without a country
      /(?<![\w.,-])[6-9]\d{2} (?:(?!\d00 \d00)\d{3} \d{3}|\d{2} \d{2} \d{2})(?![\w,-]|\.\d| ?(?:mm|cm|m|ppm|lux|ml|l|g|kg|w|k)\b)/g,
      /(?<![\w.,-])(?:\d{2} 9?|9)\d{4}-\d{4}(?![\w-]|\.\d)/g,
      /(?<![\w.,-])[6-9]\d{4} \d{5}(?![\w-]|\.\d)/g,
      /(?<![\w.+])\+?\(?\d[\d ()./-]{5,}\d(?= ?-?(?:office|fax|mobile|cell|phone|work)\b)/gi,
    ],
    isPhone,
  ),
  ...each("address", ADDRESSES),
  ...each("place", [
    // degrees, minutes and seconds
    /\d{1,3} ?° ?\d{1,2}(?:\.\d+)? ?['’′](?: ?\d{1,2}(?:\.\d+)? ?(?:["”″]|''))? ?[NSEWO]\b/g,
    /-?\b\d{1,3}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}/g,
  ]),
  ...each("schedule", SCHEDULES),
  ...each("entity", [ENTITY], (text) => !FILES.test(text)),
  ...each("device", DEVICES),
  // four numbers may be a version, where it is said
  ...each(
    "device",
    [/(?<![\w.])(?<!(?:version|firmware|release|v)\.? ?)\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/gi],
    isAddressOfNet,
  ),
  ...each("person", PERSONS),
];

/** Everything in the text that is private by its form. Spans may overlap. */
export const foundByForm = (text: string): readonly Found[] =>
  PATTERNS.flatMap(({ kind, pattern, is }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: whole, groups }) => {
      const own = groups?.own ?? whole;
      const from = index + whole.lastIndexOf(own);
      return is && !is(own) ? [] : [{ kind, from, to: from + own.length }];
    }),
  );
