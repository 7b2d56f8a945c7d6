import { wantsOff } from "../../../../runtime/wire/stop-words.js";
import { remindersIn, speaksOfTime, type Wish } from "./wish.js";

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
  /[\s,]+(?:please|pls|plz|thanks(?: a lot)?|thank you(?: very much)?|thx|for me|if you can|if possible|will you|would you|(?<=,\s*)ok(?:ay)?|too|as well|tendril)$/i;
const ENDS = /[\s.!?]+$/;

/** The wish without greetings, politeness and marks at its end. A greeting alone stays. */
function politely(text: string): string {
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

/** A pattern of a whole sentence, and the wish in its groups. Undefined: it is another wish after all. */
type Form = readonly [
  pattern: string,
  wishOf: (groups: Readonly<Record<string, string>>, text: string) => Wish | undefined,
];

const LIST =
  "(?:(?:the|my|our|your|a|this)\\s+)?(?:list\\s+(?:called\\s+|named\\s+)?(?<named>[^,:]{1,60}?)|(?<name>(?:(?!\\b(?:on|onto|into|from|off|the|my|our|is|are|of)\\b)[^,:]){1,60}?)[\\s-]+list)";
const ONTO = "(?:on|onto|to|in|into)\\s+(?:to\\s+)?";
const FROM = "(?:off\\s+of|off\\s+from|off|from|out\\s+of|on|in)\\s+";
const PUT =
  "(?:add|adding|put|putting|write|append|place|note|note down|write down|jot down|stick|include|set)";

/** Where several fit, the first one counts. */
const FORMS: readonly Form[] = [
  [
    "(?:hi|hello|hey|hallo|good (?:morning|evening|afternoon|day)|moin|hola)(?: there)?",
    () => ({ kind: "hello" }),
  ],
  [
    "(?:many )?(?:thanks|thank you|thx|cheers|great|perfect|nice|good|ok|okay|cool|well done)(?: (?:a lot|so much|very much|you|job))?",
    () => ({ kind: "thanks" }),
  ],
  [
    "(?:help|(?:what|which things) (?:can|do|could) you(?: do)?(?: for me)?|who are you|what are you|commands)",
    () => ({ kind: "help" }),
  ],
  // reminders
  [
    "(?:(?<before>.+?)[,:]?\\s+)?(?:remind|nudge|ping|notify|alert)\\s+(?:me|us|again)(?:\\s+again)?\\s+(?<rest>.+)",
    ({ rest = "", before = "" }) => reminder(rest, before),
  ],
  ["(?:don't|do not|dont|never) let me forget\\s+(?<rest>.+)", ({ rest = "" }) => reminder(asBody(rest))],
  [
    "(?:i|we) (?:must not|mustn't|should not|shouldn't|can't|may not) forget\\s+(?<rest>.+)",
    ({ rest = "" }) => reminder(asBody(rest)),
  ],
  ["(?:i|we) (?:want|need|would like|have) to be reminded\\s+(?<rest>.+)", ({ rest = "" }) => reminder(rest)],
  [
    "(?:set|create|make|add|schedule|give me|send me|i need|i want|new)(?: up)?(?: me)?(?: an?)?(?: new)? (?:reminder|task|to-?do|alarm)s?(?: for me| for myself)?\\s*(?<rest>.+)",
    ({ rest = "" }) => (/\blist\b/i.test(rest) ? undefined : reminder(rest.replace(/^for\s+/i, ""))),
  ],
  // cancelled tasks
  [
    "(?:stop|quit|don't|do not|no longer|never)\\s+remind(?:ing)?\\s+(?:me|us)\\s+(?:any ?more\\s+)?(?:to|about|of|that)\\s+(?<task>.+?)(?:\\s+any ?more)?",
    ({ task = "" }) => ({ kind: "cancel", task }),
  ],
  [
    "(?:remove|delete|cancel|drop|forget)\\s+(?:the |my |that )?(?:reminder|task|to-?do)s?\\s*(?:to|about|for|of|called|named|:)?\\s+(?<task>.+)",
    ({ task = "" }) => ({ kind: "cancel", task: plain(task) }),
  ],
  [
    "(?:remove|delete|cancel|drop|forget)\\s+(?:the |my |that )?(?<task>.+?)\\s+(?:reminder|task|to-?do)",
    ({ task = "" }) => ({ kind: "cancel", task: plain(task) }),
  ],
  // lists
  [`${PUT}\\s+${ONTO}${LIST}\\s*[:,]?\\s+(?<items>.+)`, added],
  [`${PUT}\\s+(?:down\\s+)?(?<items>.+)\\s+(?:down\\s+)?${ONTO}${LIST}`, added],
  [`(?:i|we) (?:also )?(?:need|want|would like)\\s+(?<items>.+)\\s+${ONTO}${LIST}`, added],
  [
    `(?:remove|delete|take|drop|scratch|erase|get)\\s+(?:off\\s+)?(?<item>.+?)\\s+${FROM}${LIST}`,
    (groups) => gone("remove", groups),
  ],
  [
    `(?:complete|finish|check off|tick off|tick|check|cross off|cross out|strike|cross|mark)\\s+(?<item>.+?)(?:\\s+(?:as\\s+)?(?:off|done|completed?|finished|bought))?(?:\\s+${FROM}${LIST})`,
    (groups) => gone("complete", groups),
  ],
  [
    `is\\s+(?<item>.+?)\\s+(?:still\\s+|already\\s+)?(?:on|in)\\s+${LIST}`,
    ({ item = "", ...groups }) => ({ kind: "list", list: listName(groups), item: plain(item) }),
  ],
  [
    "(?:what|which|show(?: me)?|list|give me|tell me|do i have|are there|any|all)?\\s*(?:of )?(?:all )?(?:any )?(?:the |my |our )?lists(?: (?:do i have|do we have|are there|exist|have i got|there are))?",
    () => ({ kind: "lists" }),
  ],
  [
    `(?:what(?:'s| is| are| do i have| do we have| stands)?|show(?: me)?|read(?: me| out)?|tell me|display|give me|open|see|get|list|print)?\\s*(?:what(?:'s| is)\\s+)?(?:all |the )?(?:things? |items? |stuff |everything )?(?:is |are |still |left )*(?:on |in |of |from )?${LIST}`,
    ({ ...groups }) => ({ kind: "list", list: listName(groups), item: undefined }),
  ],
  [`${LIST}\\s*[:+]\\s*(?<items>.+)`, added],
  [
    `(?<items>.+)\\s+(?:on|onto|to|for)\\s+${LIST}`,
    (groups, text) =>
      /^(?:what|which|how|why|when|is|are|do|does|did|tell|show|water|remember)\b/i.test(text)
        ? undefined
        : added(groups),
  ],
  [
    "(?:add|adding)\\s+(?<items>.+)\\s+(?:to|onto)\\s+(?:the |my |our )?(?<name>[^\\s,]+(?: [^\\s,]+)?)",
    (groups) => ({
      kind: "add",
      items: itemsIn(groups.items ?? ""),
      list: groups.name ?? "",
      mustExist: true,
    }),
  ],
  // done
  [
    "(?:mark|set|tick|check)\\s+(?<item>.+?)\\s+(?:as\\s+)?(?:done|complete|completed|finished|off|bought)",
    (groups) => gone("complete", groups),
  ],
  [
    "(?:complete|finish|check off|tick off|cross off|cross out|done with|done:?)\\s+(?<item>.+)",
    (groups) => gone("complete", groups),
  ],
  [
    "(?:i|we)(?:'ve| have)?(?: already| just)? (?:bought|got|done|did|finished|completed)\\s+(?<item>.+)",
    (groups) => gone("complete", groups),
  ],
  [
    "(?<item>.+?)\\s+(?:is|are|was|were)\\s+(?:already\\s+|now\\s+)?(?:done|finished|bought|completed)",
    (groups) => gone("complete", groups),
  ],
  ["(?:remove|delete)\\s+(?<item>.+)", (groups) => gone("remove", groups)],
  [
    "(?:what (?:did|have) (?:you|the agent|the caretaker) (?:do|done|been doing|been up to|get done)|what (?:has )?happened|what was done)(?:\\s+.{1,60})?",
    (_, text) => ({ kind: "did", about: text }),
  ],
  // light, water
  [
    "(?:(?:turn|switch) (?:off|out) (?:the |all )?(?:grow )?(?:lights?|lamps?)|(?:turn|switch) (?:the |all )?(?:grow )?(?:lights?|lamps?) (?:off|out)|(?:lights?|lamps?) (?:off|out)|(?:mach |mache |schalte? )?(?:das )?licht (?:aus|ab)|(?:apaga|apague|apagar|desliga|desligue|desligar) (?:la |las |a |as )?(?:luz|luces|luzes))(?: now)?",
    () => ({ kind: "light_off" }),
  ],
  [
    "(?:(?:turn|switch) on (?:the |all )?(?:grow )?(?:lights?|lamps?)|(?:turn|switch) (?:the |all )?(?:grow )?(?:lights?|lamps?) on|(?:lights?|lamps?) on)\\b.*",
    () => ({ kind: "light_on" }),
  ],
  [
    "(?:why|how come|for what reason|what is the reason|explain why|what made you)\\b.*",
    (_, text) => ({ kind: "why", about: text }),
  ],
  [
    "(?:water|irrigate|pour|give)\\b(?!.*\\?$)(?:.*\\b(?:water|ml|drink|millilit(?:er|re)s?|dose)\\b.*| .+)?",
    (_, text) =>
      /^give\b/i.test(text) && !/\b(?:water|ml|drink|dose)\b/i.test(text) ? undefined : { kind: "water" },
  ],
  [
    "(?:when|how (?:much|often|many)|did you|have you|has anyone|has (?:the |my )?\\S+ been|was (?:the |my )?\\S+|what was)\\b.*\\b(?:water(?:ed|ing|ings)?|poured?|doses?|ml|drink)\\b.*",
    (_, text) => ({ kind: "watering", about: text }),
  ],
  [
    "(?:(?:the )?(?:last|latest|recent) (?:waterings?|doses?)|water (?:today|yesterday|history))",
    (_, text) => ({ kind: "watering", about: text }),
  ],
  // tasks
  [
    "(?:.*\\b(?:due|to-?dos?|tasks?|reminders?|agenda|on my plate|planned|on today)\\b.*|what (?:do|must|should|shall|have) (?:i|we) (?:have to |need to |got to |to )?(?:do|remember)\\b.*|(?:do|have) (?:i|we) (?:have )?(?:got )?(?:anything|something)(?: left)? to do\\b.*|anything to do\\b.*)",
    () => ({ kind: "tasks" }),
  ],
  // memory
  [
    "(?:remember|note|keep in mind|don't forget|do not forget|memori[sz]e|save)(?: that| this:?|:)?\\s+(?<text>.+)",
    ({ text = "" }) => (/^to\s/i.test(text) ? reminder(text) : { kind: "remember", text }),
  ],
  [
    "(?:what do you (?:know|remember)|do you (?:know|remember)(?: anything| something)?|what did i (?:say|tell you)|tell me what you know)(?: about| of)?\\s+(?<text>.+)",
    ({ text = "" }) => ({ kind: "recall", text: plain(text) }),
  ],
  ["forget\\b.*", () => ({ kind: "forget" })],
  // plants
  [
    ".*(?:\\b(?:status|state|moisture|wet|dry|thirsty|humid(?:ity)?|soil|healthy|alive|dying|doing|feeling|fine|overview|plants?)\\b|\\bneeds? (?:water|light|care|anything|something)\\b|\\blight (?:on|off)\\b|^how(?: is|'s| are|s)\\b|^(?:is|are) .*\\b(?:ok|okay|all right|alright|well|good)\\b).*",
    (_, text) => ({ kind: "status", about: text }),
  ],
];

const PATTERNS = FORMS.map(([pattern, wishOf]) => [new RegExp(`^${pattern}$`, "is"), wishOf] as const);

export function understandClause(clause: string): Wish {
  const text = politely(clause);
  if (text === "") return { kind: "nothing" };
  if (wantsOff(text)) return { kind: "stop" };
  for (const [pattern, wishOf] of PATTERNS) {
    const groups = pattern.exec(text);
    const wish = groups && wishOf(given(groups.groups), text);
    if (wish) return wish;
  }
  return { kind: "unknown", text };
}

const given = (groups: Readonly<Record<string, string | undefined>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([name, text]) => (text === undefined ? [] : [[name, text.trim()]])),
  );

const CLEAR: ReadonlySet<Wish["kind"]> = new Set([
  ...(["remind", "list", "lists", "tasks", "cancel", "light_off", "why", "did", "watering"] as const),
]);

/** Wishes that stand for themselves after "and": other clauses may belong to the one before. */
export function isClear(wish: Wish): boolean {
  if (wish.kind === "add") return !wish.mustExist;
  if (wish.kind === "remove" || wish.kind === "complete") return wish.list !== undefined;
  return CLEAR.has(wish.kind);
}

function reminder(rest: string, before = ""): Wish | undefined {
  const time = politely(before);
  if (time !== "" && !speaksOfTime(time) && !/^(?:in|at|on|by|after|before|next|this|the)\b/i.test(time))
    return undefined;
  const tries = remindersIn(rest, time);
  return tries.length === 0
    ? undefined
    : { kind: "remind", tries, hasTime: time !== "" || speaksOfTime(rest) };
}

const asBody = (rest: string): string => (/^(?:to|that|about|of)\s/i.test(rest) ? rest : `about ${rest}`);

function added(groups: Readonly<Record<string, string>>): Wish | undefined {
  const items = itemsIn(groups.items ?? "");
  const list = listName(groups);
  return items.length === 0 || list === "" ? undefined : { kind: "add", items, list, mustExist: false };
}

function gone(kind: "remove" | "complete", groups: Readonly<Record<string, string>>): Wish | undefined {
  const item = plain(groups.item ?? "");
  const list = listName(groups);
  return item === "" ? undefined : { kind, item, list: list === "" ? undefined : list };
}

const listName = ({ name, named }: Readonly<Record<string, string>>): string =>
  plain(name ?? named ?? "").replace(/\s+list$/i, "");

/** Without quotes, articles and marks around it. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^["'“‘]+|["'”’.,!?]+$/g, "")
    .replace(/^(?:the|my|our|some|a|an|any|that|this)\s+/i, "")
    .trim();

/** A choice: nobody says more in a sentence. */
const MAX_ITEMS = 20;

/** "perlite, bark and moss"; what is in quotes stays whole. */
function itemsIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/["“]([^"”]+)["”]/g)].map(([, each = ""]) => each.trim());
  if (quoted.length > 0) return quoted.slice(0, MAX_ITEMS);
  return text
    .split(/\s*(?:,|;|&|\+|\bplus\b|\band\b)\s*/i)
    .map((each) =>
      each
        .replace(/^(?:some|also|the|an?)\s+/i, "")
        .replace(/[.!?]+$/, "")
        .trim(),
    )
    .filter((each) => each !== "")
    .slice(0, MAX_ITEMS);
}
