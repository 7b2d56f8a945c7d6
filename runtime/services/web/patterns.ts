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
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0 && new Set(digits).size > 1;
}

/** The remainder by 97 is 1 (ISO 13616-1, 6.2). */
function isIban(text: string): boolean {
  const bare = text.replaceAll(" ", "").toUpperCase();
  const moved = bare.slice(4) + bare.slice(0, 4);
  const remainder = [...moved].reduce((rest, each) => Number(`${rest}${Number.parseInt(each, 36)}`) % 97, 0);
  return bare.length >= 15 && bare.length <= 34 && remainder === 1;
}

const DATE = /\b(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})\b/;

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
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
  // as their issuers document them: AWS, GitHub, GitLab, OpenAI and Stripe, Slack, Google, npm, Hugging Face, Telegram; RFC 7519
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}/g,
  /\b(?:xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,})/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g,
];

/** "the password is hunter2": the value has a digit or a sign, else "the password is wrong" would have one. */
const SAID_KEY = rx(
  "(?:password|passwort|passwd|contraseña|senha|passphrase|secret|token|api[ _-]?key|pin|code)(?: is| ist| es| é|:| ?=) ?(?<own>(?=\\S*[\\d!@#$%&*])[^\\s,;]{4,})",
);

const ADDRESSES: readonly RegExp[] = [
  rx("\\b\\d{1,5}[a-z]?,? (?:[\\p{L}'’.-]+ ){1,3}(?:street|road|avenue|lane|boulevard|blvd)\\b"),
  /\b\d{1,5}[a-z]?,? (?:\p{Lu}[\p{L}'’.-]+ ){1,3}(?:St|Rd|Ave|Ln|Dr|Drive|Court|Ct|Way|Close|Crescent|Terrace|Square|Place)\b/gu,
  rx("(?<!\\p{L})[\\p{L}-]+(?:straße|strasse|str\\.|gasse|allee|platz)\\s+\\d{1,4}\\s?[a-z]?(?![\\p{L}\\d])"),
  /(?<!\p{L})\p{Lu}[\p{L}-]+weg\s+\d{1,4}\s?[a-z]?(?![\p{L}\d])/gu,
  rx(
    "\\b(?:calle|avenida|av\\.|rua|rue|piazza|plaza|praça|travessa|carrera|paseo)\\s+(?:[\\p{L}'’.-]+\\s+){0,4}[\\p{L}'’.-]+,?\\s+(?:n[º°.o]\\.?\\s*)?\\d{1,5}\\b",
  ),
  /\bVia(?:le)? (?:\p{Lu}[\p{L}'’.-]+ ){1,3}\d{1,4}\b/gu,
  /\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/g, // a British postcode
];

const SCHEDULES: readonly RegExp[] = [
  rx(`\\b(?:${DAYS})\\b.{0,20}?${CLOCK}`),
  rx(`${CLOCK}.{0,12}?\\b(?:${DAYS})\\b`),
  rx(`\\b(?:every|each|daily|weekdays|jeden|täglich|todos los|cada|todo dia)\\b.{0,20}?${CLOCK}`),
  rx(`${CLOCK} ?(?:-|–|to|and|until|bis|und|hasta|a|à|às|até) ?${CLOCK}`),
  /(?<![\d*])(?:(?:\*|\d{1,2})(?:[/,-]\d{1,2})* ){2}(?:\*|\d)(?:[/,-]\d{1,2})* (?:\*|\d)(?:[/,-]\d{1,2})* (?:\*|\d)(?:[/,-]\d)*(?![\d*])/g,
  rx(
    `\\b(?:away|holidays?|vacation|out of town|not (?:at )?home|verreist|urlaub|vacaciones|férias)\\b.{0,30}?(?:\\b(?:${DAYS}|${MONTHS})\\b|\\d{4}-\\d{2}-\\d{2})`,
  ),
  /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g,
];

const DEVICES: readonly RegExp[] = [
  /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi,
  /\b(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})\b/g,
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
];

/** Without the domains that stand before a full stop in questions about programs: text.length, event.target. */
const TELLING_DOMAINS = ENTITY_DOMAINS.filter(
  (domain) => !["event", "image", "schedule", "text", "timer"].includes(domain),
);
const ENTITY = rx(`\\b(?:${TELLING_DOMAINS.join("|")})\\.[a-z0-9]+(?:_[a-z0-9]+)*\\b`, "g");

const each = (kind: PrivateKind, patterns: readonly RegExp[], is?: Pattern["is"]): readonly Pattern[] =>
  patterns.map((pattern) => ({ kind, pattern, ...(is && { is }) }));

const PATTERNS: readonly Pattern[] = [
  ...each("key", [...KEYS, SAID_KEY]),
  ...each("key", [/(?<![\w/+=-])[A-Za-z0-9_+/=-]{24,}(?![\w/+=-])/g], isRandom),
  ...each("e-mail", [
    /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/gu,
    /\b[\w.-]+ ?[([]at[)\]] ?[\w-]+(?: ?[([]dot[)\]] ?|\.)\w{2,}/gi,
  ]),
  ...each("account", [/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/gi], isIban),
  ...each("card", [/(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])/g], isCard),
  ...each(
    "phone",
    [
      /(?<![\w.+])(?:\+|00)[1-9][\d ()./-]{6,}\d(?!\w)/g,
      /(?<![\w.])\(?0[1-9][\d ()/-]{6,}\d(?!\w)/g,
      /(?<![\w.-])\(?[2-9]\d{2}[) .-]{1,2}\d{3}[ .-]\d{4}(?![\w-])/g,
      /(?<![\w.])\(?\d{2}\) ?9?\d{4}-?\d{4}(?!\w)/g,
    ],
    isPhone,
  ),
  ...each("address", ADDRESSES),
  ...each("place", [/-?\b\d{1,3}\.\d{3,}\s*[,;]\s*-?\d{1,3}\.\d{3,}/g]),
  ...each("schedule", SCHEDULES),
  ...each("entity", [ENTITY], (text) => !FILES.test(text)),
  ...each("device", DEVICES),
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
