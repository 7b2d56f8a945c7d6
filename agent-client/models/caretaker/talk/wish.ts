import type { Call, Exchange } from "../facts.js";

/** What a person can want, and the words that belong to it. */
interface Wishes {
  remind: { readonly tries: readonly Reminder[]; readonly hasTime: boolean };
  add: { readonly items: readonly string[]; readonly list: string; readonly mustExist: boolean };
  remove: { readonly item: string; readonly list: string | undefined };
  complete: Wishes["remove"];
  cancel: { readonly task: string };
  list: { readonly list: string; readonly item: string | undefined };
  lists: Alone;
  tasks: Alone;
  status: { readonly about: string };
  why: Wishes["status"];
  did: Wishes["status"];
  watering: Wishes["status"];
  remember: { readonly text: string };
  recall: Wishes["remember"];
  forget: Alone;
  unknown: Wishes["remember"];
  stop: Alone;
  light_off: Alone;
  light_on: Alone;
  water: Alone;
  hello: Alone;
  thanks: Alone;
  help: Alone;
  nothing: Alone;
}
/** Without words of its own. */
type Alone = unknown;

export type Kind = keyof Wishes;
export type WishOf<K extends Kind> = K extends Kind ? { readonly kind: K } & Wishes[K] : never;
export type Wish = WishOf<Kind>;

interface Reminder {
  readonly title: string;
  /** Undefined: without a time. */
  readonly time: string | undefined;
}

/** Work on a wish: it yields calls, gets their answers, and returns what to say. */
export type Steps<T = string> = Generator<Call, T, Exchange>;

/**
 * Words about time are read by the runtime alone: here it is only guessed where they begin, and the runtime refuses a wrong
 * guess. So the longest guess comes first.
 */

const DAYS =
  "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?";
const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
/** Words that hardly begin anything but a time. */
const STRONG = new RegExp(
  `^(?:every|each|daily|weekly|monthly|yearly|hourly|tomorrow|tonight|today|yesterday|noon|midnight|weekdays?|weekends?|(?:${DAYS})s?|\\d{1,2}(?::\\d\\d)? ?(?:am|pm)|\\d{1,2}:\\d\\d)$`,
  "i",
);
/** Words that begin a time, and much else. */
const WEAK = new RegExp(
  `^(?:in|at|on|by|before|after|from|until|till|starting|next|this|later|soon|once|twice|half|quarter|morning|evening|afternoon|night|${MONTHS}|\\d{1,4}(?:st|nd|rd|th)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$`,
  "i",
);
/** A choice: each guess is a call. A time has at most this many words that could begin it. */
const MAX_TRIES = 6;

const bare = (word: string): string => word.replace(/[,.;:!?]+$/, "");
const isStrong = (word: string): boolean => STRONG.test(bare(word));
/** "the day after tomorrow", "a week from now". */
const AFTER_ARTICLE =
  /^(?:\d.*|day|first|second|third|last|next|week|weekend|month|year|hour|minute|morning|evening|afternoon|night|end)s?$/i;
const ARTICLE = /^(?:the|a|an)$/i;

const mayBegin = (word: string, next = ""): boolean =>
  isStrong(word) || WEAK.test(bare(word)) || (ARTICLE.test(word) && AFTER_ARTICLE.test(bare(next)));

const tidy = (text: string): string => text.replace(/^[\s,:;–-]+|[\s,:;.!?–-]+$/g, "");

/** The ways to read "mist the fern every other evening": each part at its end that may be a time. */
function suffixes(body: string): readonly Reminder[] {
  const words = body.trim().split(/\s+/);
  return words
    .flatMap((word, at) => (at > 0 && mayBegin(word, words[at + 1]) ? [at] : []))
    .map((at) => ({ title: tidy(words.slice(0, at).join(" ")), time: tidy(words.slice(at).join(" ")) }))
    .filter(({ title, time }) => title !== "" && time !== "");
}

/** Whether words certainly speak of a time: if the runtime does not understand it, that must be said. */
export const speaksOfTime = (text: string): boolean => text.split(/\s+/).some(isStrong);

/** The ways to read "tomorrow to mist the fern": a time, then what is to be done. */
function timeFirst(text: string): readonly Reminder[] {
  return [...text.matchAll(/(?:,?\s+(?:to|that|about|of)\s+|\s*:\s+)/gi)].flatMap(({ 0: between, index }) => {
    const time = tidy(text.slice(0, index));
    const title = tidy(text.slice(index + between.length));
    return time === "" || title === "" ? [] : [...bothSides(time, title), { title, time }];
  });
}

/** "every day" and "mist the fern at 8": both belong to the time. */
const bothSides = (time: string, body: string): readonly Reminder[] =>
  suffixes(body).map(({ title, time: rest }) => ({ title, time: `${time} ${rest}` }));

/** The ways to read what follows "remind me", and the time that may stand before it. */
export function remindersIn(rest: string, before = ""): readonly Reminder[] {
  const [, body] = /^(?:(?:to|that|about|of)\s+|:\s*)(.+)$/is.exec(rest.trim()) ?? [];
  const title = tidy(body ?? rest);
  if (title === "") return [];
  if (before !== "") return limited([...bothSides(before, title), { title, time: before }], title);
  return limited(body === undefined ? [...timeFirst(rest), ...suffixes(rest)] : suffixes(title), title);
}

/** Without a time in the end, if none is understood. */
const limited = (tries: readonly Reminder[], title: string): readonly Reminder[] => [
  ...tries.filter((each) => !hasTimeLeft(each.title)).slice(0, MAX_TRIES),
  { title, time: undefined },
];

/** Whether a time stands in what is to be done: then a part of it was not understood. "The sunday paper" is no time. */
function hasTimeLeft(title: string): boolean {
  const words = title.split(/\s+/);
  return words.some(
    (word, at) => isStrong(word) && !/^(?:the|a|an|my|our|this|your)$/i.test(words[at - 1] ?? ""),
  );
}
